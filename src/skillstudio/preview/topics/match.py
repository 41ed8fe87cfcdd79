"""Match a prompt with the topics of skills for caro.

A topic matches exactly, within two letters, or by synonym, in the order of caro's manifest contract
("Topic Matching"); the first match is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from skillstudio.preview.topics.declared import DeclaredTopics
from skillstudio.text.nearest import edit_distance

DISTANCE = 2
_SHORT = 4  # A shorter topic is within two letters of most short words.

MOST = 2_000  # Words of a text that are used.
_WORD = re.compile(r"[^\W_]+", re.UNICODE)

Rule = Literal["topic-exact", "topic-fuzzy", "topic-synonym"]


class TopicMatch(NamedTuple):
    """A topic that matches a prompt, with the words of the prompt."""

    rule: Rule
    topic: str
    words: tuple[str, ...]
    distance: int = 0  # The number of letters that differ.
    note: str = ""


class LoadedKnowledge(NamedTuple):
    """A knowledge file, and how much of it fits in the skill's token budget."""

    path: str
    tokens: int
    taken: int


class MatchingSkill(NamedTuple):
    """A skill with a topic that matches a prompt."""

    name: str
    path: str
    priority: int  # The knowledge of the skill with the highest one is loaded first.
    matches: tuple[TopicMatch, ...]
    knowledge: tuple[LoadedKnowledge, ...] = ()


class PromptMatches(NamedTuple):
    """The skills whose topics match a prompt."""

    prompt: str
    words: tuple[str, ...]
    matching: tuple[MatchingSkill, ...]  # By priority, the highest first.
    others: tuple[str, ...]  # Paths of skills that do not match.
    notes: tuple[str, ...]


def match_prompt(skills: Iterable[DeclaredTopics], prompt: str) -> PromptMatches:
    """The skills that match a prompt. The order of `skills` has no effect."""
    phrases = PromptPhrases(words_of(prompt))
    matching_skills: list[MatchingSkill] = []
    other_paths: list[str] = []
    sorted_skills = sorted(skills, key=lambda skill: skill.path)
    for skill in sorted_skills:
        if matches := tuple(match_topics(skill, phrases)):
            knowledge = tuple(_load(skill))
            matching_skills.append(
                MatchingSkill(skill.name, skill.path, skill.priority, matches, knowledge)
            )
        else:
            other_paths.append(skill.path)
    return PromptMatches(
        prompt,
        phrases.words,
        tuple(sorted(matching_skills, key=lambda skill: -skill.priority)),
        tuple(other_paths),
        tuple(f"{skill.path}: {note}" for skill in sorted_skills for note in skill.notes),
    )


def _load(skill: DeclaredTopics) -> Iterator[LoadedKnowledge]:
    budget = skill.most_tokens
    for path, tokens in skill.knowledge:
        loaded_tokens = min(tokens, budget)
        yield LoadedKnowledge(path, tokens, loaded_tokens)
        budget -= loaded_tokens


class PromptPhrases:
    """The words of a prompt in order, with phrases."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._phrases: dict[int, Mapping[int, Mapping[str, int]]] = {}

    def of_size(self, size: int) -> Mapping[int, Mapping[str, int]]:
        """The phrases of a number of words: by length in letters, each with its first position."""
        if size not in self._phrases:
            phrases: dict[int, dict[str, int]] = {}
            for at in range(len(self.words) - size + 1 if size else 0):
                phrase = " ".join(self.words[at : at + size])
                phrases.setdefault(len(phrase), {}).setdefault(phrase, at)
            self._phrases[size] = phrases
        return self._phrases[size]


def match_topics(skill: DeclaredTopics, phrases: PromptPhrases) -> Iterator[TopicMatch]:
    """A match for each topic in the prompt."""
    for topic in skill.topics:
        match = (
            _match_exactly(topic, phrases)
            or _match_nearly(topic, phrases)
            or _match_synonym(skill, topic, phrases)
        )
        if match is not None:
            yield match


def _match_exactly(topic: str, phrases: PromptPhrases) -> TopicMatch | None:
    words = words_of(topic)
    topic_phrase = " ".join(words)
    if topic_phrase in phrases.of_size(len(words)).get(len(topic_phrase), ()):
        return TopicMatch("topic-exact", topic, tuple(words))
    return None


def _match_nearly(topic: str, phrases: PromptPhrases) -> TopicMatch | None:
    """The most similar words; the first one on a tie."""
    words = words_of(topic)
    topic_phrase = " ".join(words)
    parts = _parts(topic_phrase)
    best: tuple[int, int, str] | None = None
    for length, positions in phrases.of_size(len(words)).items():
        if abs(length - len(topic_phrase)) > DISTANCE:
            continue
        for phrase, at in positions.items():
            if not any(part in phrase for part in parts):
                continue
            distance = edit_distance(topic_phrase, phrase, DISTANCE, swaps=False)
            if distance <= DISTANCE and (best is None or (distance, at) < best[:2]):
                best = distance, at, phrase
    if best is None:
        return None
    note = ""
    if len(topic_phrase) < _SHORT:
        note = f"a topic of {len(topic_phrase)} letters is similar to most short words"
    return TopicMatch("topic-fuzzy", topic, tuple(best[2].split(" ")), best[0], note)


def _parts(text: str) -> tuple[str, ...]:
    """Split into one part more than letters may differ; one of them is in any similar word."""
    cuts = [len(text) * number // (DISTANCE + 1) for number in range(DISTANCE + 2)]
    return tuple(text[start:end] for start, end in pairwise(cuts))


def _match_synonym(skill: DeclaredTopics, topic: str, phrases: PromptPhrases) -> TopicMatch | None:
    synonyms = {key.casefold(): words for key, words in skill.synonyms.items()}
    for synonym in synonyms.get(topic.casefold(), ()):
        match = _match_exactly(synonym, phrases)
        if match is not None:
            note = f"{synonym} is a synonym of {topic}"
            return TopicMatch("topic-synonym", topic, match.words, note=note)
    return None


def words_of(text: str) -> list[str]:
    """The lower-case words in order, consisting of letters and digits."""
    return [match.group().casefold() for match in islice(_WORD.finditer(text), MOST)]
