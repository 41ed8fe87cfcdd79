"""Topics against a prompt: exact, within two letters, and by synonym (caro's manifest contract,
"Topic Matching"; its order is kept, so the first rule that holds is the one that is told)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from skillstudio.preview.discovery.known import Known
from skillstudio.preview.discovery.words import levenshtein, words_of

Rule = Literal["topic-exact", "topic-fuzzy", "topic-synonym", "capability", "description"]

DISTANCE = 2
_SHORT = 4
"""A topic of fewer letters is within two of nearly every short word."""


class Match(NamedTuple):
    """Why a prompt finds a skill."""

    rule: Rule
    subject: str
    """The topic, the tag, or "" for the description."""
    words: tuple[str, ...]
    """Those of the prompt."""
    score: float
    """Of a topic the letters that differ; of a description how near it is, up to 1."""
    note: str = ""


def match_topics(known: Known, prompt: Sequence[str]) -> Iterator[Match]:
    """A match for each topic that the prompt speaks of."""
    for topic in known.topics:
        found = _exact(topic, prompt) or _near(topic, prompt) or _synonym(known, topic, prompt)
        if found is not None:
            yield found


def match_tags(known: Known, prompt: Sequence[str]) -> Iterator[Match]:
    """A match for each capability tag all of whose words are in the prompt, in any order."""
    there = set(prompt)
    for tag in known.tags:
        parts = words_of(tag)
        if parts and there.issuperset(parts):
            yield Match("capability", tag, tuple(parts), 0.0)


def _exact(topic: str, prompt: Sequence[str]) -> Match | None:
    wanted = words_of(topic)
    for words in _runs(prompt, len(wanted)):
        if words == wanted:
            return Match("topic-exact", topic, tuple(words), 0.0)
    return None


def _near(topic: str, prompt: Sequence[str]) -> Match | None:
    """The nearest words, the first of those that are as near."""
    wanted = " ".join(words_of(topic))
    best: tuple[int, list[str]] | None = None
    for words in _runs(prompt, len(wanted.split())):
        distance = levenshtein(wanted, " ".join(words), DISTANCE)
        if distance <= DISTANCE and (best is None or distance < best[0]):
            best = distance, words
    if best is None:
        return None
    note = ""
    if len(wanted) < _SHORT:
        note = f"a topic of {len(wanted)} letters is this near to most short words"
    return Match("topic-fuzzy", topic, tuple(best[1]), float(best[0]), note)


def _synonym(known: Known, topic: str, prompt: Sequence[str]) -> Match | None:
    stated = {key.casefold(): words for key, words in known.synonyms.items()}
    for each in stated.get(topic.casefold(), ()):
        found = _exact(each, prompt)
        if found is not None:
            return Match("topic-synonym", topic, found.words, 0.0, f"{each} stands for {topic}")
    return None


def _runs(prompt: Sequence[str], size: int) -> Iterator[list[str]]:
    """Each so many words that follow one another."""
    if size:
        for at in range(len(prompt) - size + 1):
            yield list(prompt[at : at + size])
