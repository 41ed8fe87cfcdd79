"""Which skills of a workspace a prompt finds, why, and which get in one another's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.preview.discovery.describing import Descriptions, Vector, nearness, shared
from skillstudio.preview.discovery.known import Known
from skillstudio.preview.discovery.topics import Match, match_tags, match_topics
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


def find(skills: Sequence[Known], prompt: str) -> Discovery:
    """What a prompt finds among some skills. The order in which they are given says nothing."""
    ordered = sorted(skills, key=lambda each: each.path)
    words = words_of(prompt)
    texts = [telling(words_of(f"{each.name} {each.description}")) for each in ordered]
    descriptions = Descriptions(texts)
    asked = descriptions.vector(telling(words))
    scores = [nearness(asked, vector) for vector in descriptions.vectors]
    found: list[FoundSkill] = []
    missed: list[str] = []
    for known, score, vector in zip(ordered, scores, descriptions.vectors, strict=True):
        topics = list(match_topics(known, words))
        matches = [*topics, *match_tags(known, words)]
        if score:
            matches.append(Match("description", "", shared(asked, vector)[:_WORDS], score))
        if not matches:
            missed.append(known.path)
            continue
        found.append(
            FoundSkill(
                known.name,
                known.path,
                tuple(matches),
                score,
                known.priority if topics else None,
                _injected(known) if topics else (),
            )
        )
    found.sort(key=_rank)
    return Discovery(
        prompt,
        tuple(words),
        tuple(found),
        tuple(missed),
        tuple(_competing(ordered, scores, descriptions, asked)),
        tuple(f"{each.path}: {note}" for each in ordered for note in each.notes),
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
