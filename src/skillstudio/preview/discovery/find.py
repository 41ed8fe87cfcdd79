"""Find the skills that match a prompt, with reasons and conflicts.

Topics match exactly, within two letters, or by synonym, in the order of caro's manifest contract
("Topic Matching"); the first match is reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise
from math import log, sqrt
from typing import Literal, NamedTuple

from skillstudio.preview.discovery.known import Known
from skillstudio.resources import toml_table
from skillstudio.text.nearest import edit_distance

_CLOSE = 0.75  # The similarity, relative to the best, from which a description competes with it.
_MOST = 12  # Skills that are compared with each other.
_WORDS = 8
DISTANCE = 2
_SHORT = 4  # A shorter topic is within two letters of most short words.

MOST = 2_000  # Words of a text that are used.
_WORD = re.compile(r"[^\W_]+", re.UNICODE)

Rule = Literal["topic-exact", "topic-fuzzy", "topic-synonym", "capability", "description"]


class Match(NamedTuple):
    """Why a skill matches a prompt, with the words of the prompt."""

    rule: Rule
    subject: str  # The topic, the tag, or "" for the description.
    words: tuple[str, ...]
    score: float  # For a topic, the differing letters; for a description, the similarity up to 1.
    note: str = ""


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
    for path, tokens in known.knowledge:
        taken.append(Injected(path, tokens, min(tokens, left)))
        left -= taken[-1].taken
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
            distance = edit_distance(wanted, run, DISTANCE, swaps=False)
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


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def _none() -> frozenset[str]:
    return frozenset(toml_table(__file__, "words.toml")["none"])
