"""How near a prompt is to descriptions, and they to one another: TF-IDF and the cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt

Vector = Mapping[str, float]


class Descriptions:
    """The words of the descriptions of a workspace, weighed.

    A word weighs 1 + ln(how often it is there), times 1 + ln((1 + descriptions) / (1 + those that
    have it)); vectors are of length 1.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        having = Counter(word for words in texts for word in set(words))
        self._idf = {w: 1 + log((1 + len(texts)) / (1 + n)) for w, n in having.items()}
        self.vectors = [self.vector(words) for words in texts]

    def vector(self, words: Sequence[str]) -> Vector:
        """Words that no description has weigh nothing."""
        weights = {
            word: (1 + log(number)) * self._idf[word]
            for word, number in sorted(Counter(words).items())
            if word in self._idf
        }
        length = sqrt(sum(each * each for each in weights.values()))
        return {word: weight / length for word, weight in weights.items()} if length else {}


def nearness(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1, to four digits, so that it is the same everywhere."""
    both = (weight * other[word] for word, weight in one.items() if word in other)
    return round(sum(both, 0.0), 4)


def shared(one: Vector, other: Vector) -> tuple[str, ...]:
    """The words that make two vectors near, the weightiest first."""
    common = [word for word in one if word in other]
    return tuple(sorted(common, key=lambda word: (-round(one[word] * other[word], 9), word)))
