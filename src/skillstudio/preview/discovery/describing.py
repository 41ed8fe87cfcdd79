"""Similarity of prompts and descriptions: TF-IDF and cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt

Vector = Mapping[str, float]


class Descriptions:
    """TF-IDF vectors of the descriptions of a workspace.

    A word weighs 1 + ln(its count), times 1 + ln((1 + descriptions) / (1 + descriptions with it));
    vectors have length 1.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        having = Counter(word for words in texts for word in set(words))
        self._idf = {w: 1 + log((1 + len(texts)) / (1 + n)) for w, n in having.items()}
        self.vectors = [self.vector(words) for words in texts]

    def vector(self, words: Sequence[str]) -> Vector:
        """Words that are in no description weigh nothing."""
        weights = {
            word: (1 + log(number)) * self._idf[word]
            for word, number in sorted(Counter(words).items())
            if word in self._idf
        }
        length = sqrt(sum(each * each for each in weights.values()))
        return {word: weight / length for word, weight in weights.items()} if length else {}


def nearness(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1, rounded to be equal on all platforms."""
    both = (weight * other[word] for word, weight in one.items() if word in other)
    return round(sum(both, 0.0), 4)


def shared(one: Vector, other: Vector) -> tuple[str, ...]:
    """The shared words of two vectors, the most important first."""
    common = [word for word in one if word in other]
    return tuple(sorted(common, key=lambda word: (-round(one[word] * other[word], 9), word)))
