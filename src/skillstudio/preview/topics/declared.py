"""Read the topics of a skill for caro, and the knowledge that a match loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project
from skillstudio.preview.tokens import estimate_tokens
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span, decode

SYNONYMS = "knowledge/synonyms.yaml"
"""The file of a caro skill with synonyms of its topics: topic to a list of words. caro's manifest
contract ("Topic Matching") requires synonyms but names no file."""

FOLDER = "knowledge"
_LARGEST = 256 << 10
_FILES = 200
_DEPTH = 8
_NOTHING: Mapping[str, Any] = {}


class Knowledge(NamedTuple):
    """A file that is loaded when a topic of its skill matches, with its estimated tokens."""

    path: str
    tokens: int


class DeclaredTopics(NamedTuple):
    """The topics of a skill; none if it is not for caro."""

    name: str
    path: str
    topics: tuple[str, ...] = ()
    priority: int = 50
    most_tokens: int = 1_000  # The token budget of its knowledge.
    synonyms: Mapping[str, tuple[str, ...]] = _NOTHING
    knowledge: tuple[Knowledge, ...] = ()
    notes: tuple[str, ...] = ()  # Messages about unreadable parts.


def read_topics(skill: Skill, path: str) -> DeclaredTopics:
    """Read the topics of the skill at a path, with notes about unreadable parts."""
    interface = project(skill)
    terms = {term.name: term.value for term in interface.terms}
    notes: list[str] = []
    topics = _strings(terms.get("knowledge-topic"))
    return DeclaredTopics(
        interface.name,
        path,
        topics,
        _number(terms.get("knowledge-priority"), 50),
        _number(terms.get("knowledge-max-tokens"), 1_000),
        _synonyms(skill.tree, notes) if topics else {},
        tuple(_files(skill.tree, notes)) if topics else (),
        tuple(notes),
    )


def _strings(value: Any) -> tuple[str, ...]:
    entries = value if isinstance(value, tuple) else ()
    return tuple(entry for entry in entries if isinstance(entry, str))


def _number(value: Any, otherwise: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return otherwise


def _synonyms(tree: FileTree, notes: list[str]) -> dict[str, tuple[str, ...]]:
    if tree.kind(SYNONYMS) is None:
        return {}
    fault = judge_path(tree, SYNONYMS).problem
    if fault or tree.kind(SYNONYMS) != "file":
        notes.append(f"{SYNONYMS} is not a file of the skill and was not read")
        return {}
    try:
        text, invalid_at = decode(tree.read(SYNONYMS, _LARGEST))
    except OSError as error:
        notes.append(f"{SYNONYMS} cannot be read: {error.strerror or error}")
        return {}
    source = Source(text, SYNONYMS)
    document = read(source, "yaml", Span(0, len(text)))
    for wrong in document.faults[:1]:
        line, column = source.position(wrong.start)
        notes.append(f"{SYNONYMS}:{line}:{column}: {wrong.message}; only the readable part is used")
    value = document.value
    inner = value.get("synonyms") if isinstance(value, dict) else None
    topics = inner if isinstance(inner, dict) else value
    if invalid_at is not None or not isinstance(topics, dict):
        notes.append(f"{SYNONYMS} is not a mapping of topics to lists of words")
        return {}
    synonyms: dict[str, tuple[str, ...]] = {}
    for topic, words in topics.items():
        word_list = [words] if isinstance(words, str) else words
        if not isinstance(word_list, list) or not all(isinstance(word, str) for word in word_list):
            notes.append(f"{SYNONYMS}: the value of {topic} is not a list of words")
            continue
        synonyms[str(topic)] = tuple(word_list)
    return synonyms


def _files(tree: FileTree, notes: list[str]) -> list[Knowledge]:
    """The Markdown files below knowledge/, by path."""
    files: list[Knowledge] = []
    folders = [FOLDER]
    while folders and len(files) < _FILES:
        folder = folders.pop(0)
        if tree.kind(folder) != "folder" or folder.count("/") > _DEPTH:
            continue
        for entry in tree.list(folder):
            path = f"{folder}/{entry.name}"
            if entry.kind == "folder":
                folders.append(path)
            elif entry.kind == "file" and entry.name.lower().endswith((".md", ".markdown", ".txt")):
                try:
                    text, _ = decode(tree.read(path, _LARGEST))
                except OSError as error:
                    notes.append(f"{path} cannot be read: {error.strerror or error}")
                    continue
                files.append(Knowledge(path, estimate_tokens(text)))
    return sorted(files[:_FILES])
