"""Match the words of a prompt with topics: exactly, within two letters, and by synonym.

The order is that of caro's manifest contract ("Topic Matching"); the first match is reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from skillstudio.preview.discovery.known import Known

Rule = Literal["topic-exact", "topic-fuzzy", "topic-synonym", "capability", "description"]

DISTANCE = 2
_SHORT = 4  # A shorter topic is within two letters of most short words.

MOST = 2_000  # Words of a text that are used.
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


class Match(NamedTuple):
    """Why a skill matches a prompt, with the words of the prompt."""

    rule: Rule
    subject: str  # The topic, the tag, or "" for the description.
    words: tuple[str, ...]
    score: float  # For a topic, the differing letters; for a description, the similarity up to 1.
    note: str = ""


class PromptWords:
    """The words of a prompt in order, with phrases."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._runs: dict[int, Mapping[int, Mapping[str, int]]] = {}

    def runs(self, size: int) -> Mapping[int, Mapping[str, int]]:
        """The phrases of a number of words: by length in letters, each with its first position."""
        if size not in self._runs:
            found: dict[int, dict[str, int]] = {}
            for at in range(len(self.words) - size + 1 if size else 0):
                run = " ".join(self.words[at : at + size])
                found.setdefault(len(run), {}).setdefault(run, at)
            self._runs[size] = found
        return self._runs[size]


def match_topics(known: Known, prompt: PromptWords) -> Iterator[Match]:
    """A match for each topic in the prompt."""
    for topic in known.topics:
        found = _exact(topic, prompt) or _near(topic, prompt) or _synonym(known, topic, prompt)
        if found is not None:
            yield found


def match_tags(known: Known, prompt: PromptWords) -> Iterator[Match]:
    """A match for each capability tag all of whose words are in the prompt, in any order."""
    there = set(prompt.words)
    for tag in known.tags:
        parts = words_of(tag)
        if parts and there.issuperset(parts):
            yield Match("capability", tag, tuple(parts), 0.0)


def _exact(topic: str, prompt: PromptWords) -> Match | None:
    words = words_of(topic)
    wanted = " ".join(words)
    if wanted in prompt.runs(len(words)).get(len(wanted), ()):
        return Match("topic-exact", topic, tuple(words), 0.0)
    return None


def _near(topic: str, prompt: PromptWords) -> Match | None:
    """The most similar words; the first one on a tie."""
    words = words_of(topic)
    wanted = " ".join(words)
    parts = _parts(wanted)
    best: tuple[int, int, str] | None = None
    for length, runs in prompt.runs(len(words)).items():
        if abs(length - len(wanted)) > DISTANCE:
            continue
        for run, at in runs.items():
            if not any(part in run for part in parts):
                continue
            distance = levenshtein(wanted, run, DISTANCE)
            if distance <= DISTANCE and (best is None or (distance, at) < best[:2]):
                best = distance, at, run
    if best is None:
        return None
    note = ""
    if len(wanted) < _SHORT:
        note = f"a topic of {len(wanted)} letters is similar to most short words"
    return Match("topic-fuzzy", topic, tuple(best[2].split(" ")), float(best[0]), note)


def _parts(text: str) -> tuple[str, ...]:
    """Split into one part more than letters may differ; one of them is in any similar word."""
    cuts = [len(text) * each // (DISTANCE + 1) for each in range(DISTANCE + 2)]
    return tuple(text[one:other] for one, other in pairwise(cuts))


def _synonym(known: Known, topic: str, prompt: PromptWords) -> Match | None:
    stated = {key.casefold(): words for key, words in known.synonyms.items()}
    for each in stated.get(topic.casefold(), ()):
        found = _exact(each, prompt)
        if found is not None:
            note = f"{each} is a synonym of {topic}"
            return Match("topic-synonym", topic, found.words, 0.0, note)
    return None


def words_of(text: str) -> list[str]:
    """The lower-case words in order, consisting of letters and digits."""
    return [found.group().casefold() for found in islice(_WORD.finditer(text), MOST)]


def telling(words: Iterable[str]) -> list[str]:
    """The words without stop words, with plurals as singulars."""
    return [_singular(each) for each in words if each not in _none()]


def levenshtein(one: str, other: str, most: int) -> int:
    """The edit distance between two words (a swap counts 2); `most` + 1 if larger."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        above, row = row, [i]
        for j, right in enumerate(other, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def _none() -> frozenset[str]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "words.toml"), "rb") as file:
        return frozenset(tomllib.load(file)["none"])
