"""Which skills of a workspace a prompt finds, why, and which get in one another's way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from skillstudio.preview.discovery.describing import Descriptions, Vector, nearness, shared
from skillstudio.preview.discovery.known import Known
from skillstudio.preview.discovery.topics import Match, PromptWords, match_tags, match_topics
from skillstudio.preview.discovery.words import telling, words_of

_CLOSE = 0.75
"""How near, as a part of the nearest, a description must come to compete with it."""
_MOST = 12
"""Skills that are held against one another."""
_WORDS = 8


class Injected(NamedTuple):
    """A file of knowledge, and how much of it the token budget of its skill lets in."""

    path: str
    tokens: int
    taken: int


class FoundSkill(NamedTuple):
    """A skill that a prompt finds."""

    name: str
    path: str
    matches: tuple[Match, ...]
    score: float
    """How near its description is, 0 to 1."""
    priority: int | None
    """Of its knowledge, where a topic matches: the highest is put before the model first."""
    injected: tuple[Injected, ...] = ()


class Competing(NamedTuple):
    """Two skills whose descriptions come about as near to a prompt."""

    one: str
    other: str
    scores: tuple[float, float]
    alike: float
    """How near the two descriptions are to each other, 0 to 1."""
    words: tuple[str, ...]
    """Those that both share with the prompt."""


class Discovery(NamedTuple):
    """What a prompt comes to."""

    prompt: str
    words: tuple[str, ...]
    found: tuple[FoundSkill, ...]
    """Those whose topics match by priority, then the others by how near their description is."""
    missed: tuple[str, ...]
    """The skills that are not found, by path."""
    competing: tuple[Competing, ...]
    notes: tuple[str, ...]


class Library:
    """Some skills, whose descriptions are weighed once for any number of prompts."""

    def __init__(self, skills: Iterable[Known]) -> None:
        """The order in which they are given says nothing."""
        self.skills = sorted(skills, key=lambda each: each.path)
        texts = [telling(words_of(f"{each.name} {each.description}")) for each in self.skills]
        self._descriptions = Descriptions(texts)

    def find(self, prompt: str, is_wanted: Callable[[], bool] = lambda: True) -> Discovery | None:
        """What a prompt finds; None once it is not wanted any more."""
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
    """What a prompt finds among some skills. The order in which they are given says nothing."""
    found = Library(skills).find(prompt)
    assert found is not None  # noqa: S101  (it is wanted all the time)
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


def _rank(found: FoundSkill) -> tuple[int, int, float, str]:
    by_topic = found.priority is not None
    return (0 if by_topic else 1, -(found.priority or 0), -found.score, found.path)


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
            pairs.append(
                Competing(*paths, (scores[one], scores[other]), alike, tuple(both[:_WORDS]))
            )
    return pairs
