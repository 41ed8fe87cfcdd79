"""Find the skills that match a prompt, with reasons and conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt
from typing import NamedTuple

from skillstudio.preview.discovery.known import Known
from skillstudio.preview.discovery.topics import (
    Match,
    PromptWords,
    match_tags,
    match_topics,
    telling,
    words_of,
)

_CLOSE = 0.75  # The similarity, relative to the best, from which a description competes with it.
_MOST = 12  # Skills that are compared with each other.
_WORDS = 8


class Injected(NamedTuple):
    """A knowledge file, and how much of it fits in the skill's token budget."""

    path: str
    tokens: int
    taken: int


class FoundSkill(NamedTuple):
    """A skill that matches a prompt."""

    name: str
    path: str
    matches: tuple[Match, ...]
    score: float  # The similarity of its description, 0 to 1.
    priority: int | None
    """The priority of its knowledge if a topic matches; the highest is loaded first."""
    injected: tuple[Injected, ...] = ()


class Competing(NamedTuple):
    """Two skills whose descriptions are about as similar to a prompt, and the common words."""

    one: str
    other: str
    scores: tuple[float, float]
    alike: float  # The similarity of the two descriptions, 0 to 1.
    words: tuple[str, ...]


class Discovery(NamedTuple):
    """The skills that match a prompt."""

    prompt: str
    words: tuple[str, ...]
    found: tuple[FoundSkill, ...]  # Topic matches by priority, then the others by similarity.
    missed: tuple[str, ...]  # Paths of skills that do not match.
    competing: tuple[Competing, ...]
    notes: tuple[str, ...]


class Library:
    """Skills indexed for any number of prompts."""

    def __init__(self, skills: Iterable[Known]) -> None:
        """The order of `skills` has no effect."""
        self.skills = sorted(skills, key=lambda each: each.path)
        texts = [telling(words_of(f"{each.name} {each.description}")) for each in self.skills]
        self._descriptions = Descriptions(texts)

    def find(self, prompt: str, is_wanted: Callable[[], bool] = lambda: True) -> Discovery | None:
        """The skills that match a prompt; None if cancelled."""
        asked = PromptWords(words_of(prompt))
        vector = self._descriptions.vector(telling(asked.words))
        scores: list[float] = []
        found: list[FoundSkill] = []
        missed: list[str] = []
        for known, own in zip(self.skills, self._descriptions.vectors, strict=True):
            if not is_wanted():
                return None
            scores.append(nearness(vector, own))
            each = _found(known, asked, scores[-1], shared(vector, own)[:_WORDS])
            if each.matches:
                found.append(each)
            else:
                missed.append(known.path)
        return Discovery(
            prompt,
            asked.words,
            tuple(sorted(found, key=_rank)),
            tuple(missed),
            tuple(_competing(self.skills, scores, self._descriptions, vector)),
            tuple(f"{each.path}: {note}" for each in self.skills for note in each.notes),
        )


def find(skills: Iterable[Known], prompt: str) -> Discovery:
    """The skills that match a prompt. The order of `skills` has no effect."""
    found = Library(skills).find(prompt)
    assert found is not None  # noqa: S101  (never cancelled)
    return found


def _found(known: Known, asked: PromptWords, score: float, words: tuple[str, ...]) -> FoundSkill:
    topics = tuple(match_topics(known, asked))
    described = (Match("description", "", words, score),) if score else ()
    return FoundSkill(
        known.name,
        known.path,
        (*topics, *match_tags(known, asked), *described),
        score,
        known.priority if topics else None,
        _injected(known) if topics else (),
    )


def _rank(found: FoundSkill) -> tuple[bool, int, float, str]:
    return found.priority is None, -(found.priority or 0), -found.score, found.path


def _injected(known: Known) -> tuple[Injected, ...]:
    left = known.most_tokens
    taken: list[Injected] = []
    for each in known.knowledge:
        fits = min(each.tokens, left)
        left -= fits
        taken.append(Injected(each.path, each.tokens, fits))
    return tuple(taken)


def _competing(
    skills: Sequence[Known], scores: Sequence[float], descriptions: Descriptions, asked: Vector
) -> list[Competing]:
    best = max(scores, default=0.0)
    close = [at for at, score in enumerate(scores) if score and score >= _CLOSE * best]
    close = sorted(close, key=lambda at: (-scores[at], skills[at].path))[:_MOST]
    pairs: list[Competing] = []
    for number, one in enumerate(close):
        for other in close[number + 1 :]:
            vectors = descriptions.vectors[one], descriptions.vectors[other]
            both = [word for word in shared(*vectors) if word in asked]
            alike = nearness(*vectors)
            paths = skills[one].path, skills[other].path
            near = (scores[one], scores[other])
            pairs.append(Competing(*paths, near, alike, tuple(both[:_WORDS])))
    return pairs


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
