"""What discovery looks at in a skill, whatever system says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Interface
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project
from skillstudio.preview.tokens import estimate_tokens
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span, decode

SYNONYMS = "knowledge/synonyms.yaml"
"""Where a skill of caro's says which words stand for its topics (its manifest contract, "Topic
Matching", says that each skill does, not how): topic to a list of words."""

FOLDER = "knowledge"
_LARGEST = 256 << 10
_FILES = 200
_DEPTH = 8
_NOTHING: Mapping[str, Any] = {}


class Knowledge(NamedTuple):
    """A file that is put before a model when a topic of its skill comes up."""

    path: str
    tokens: int
    """Estimated."""


class Known(NamedTuple):
    """A skill as prompts find it."""

    name: str
    path: str
    description: str = ""
    topics: tuple[str, ...] = ()
    priority: int = 50
    most_tokens: int = 1_000
    """The token budget of its knowledge."""
    synonyms: Mapping[str, tuple[str, ...]] = _NOTHING
    tags: tuple[str, ...] = ()
    """Its capability tags."""
    knowledge: tuple[Knowledge, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be read, a sentence each."""


def know(skill: Skill, path: str) -> Known:
    """The skill at a path, for `find`. What cannot be read is noted."""
    interface = project(skill)
    terms = {each.name: each.value for each in interface.terms}
    notes: list[str] = []
    topics = _strings(terms.get("knowledge-topic"))
    provided = FOLDER in _strings(terms.get("provides"))
    return Known(
        interface.name,
        path,
        interface.description,
        topics,
        _number(terms.get("knowledge-priority"), 50),
        _number(terms.get("knowledge-max-tokens"), 1_000),
        _synonyms(skill.tree, notes) if topics else {},
        _tags(interface),
        tuple(_files(skill.tree, notes)) if topics or provided else (),
        tuple(notes),
    )


def _tags(interface: Interface) -> tuple[str, ...]:
    found = (
        tag
        for each in interface.terms
        if each.name == "capability-tag"
        for tag in _strings(each.value)
    )
    return tuple(dict.fromkeys(found))


def _strings(value: Any) -> tuple[str, ...]:
    return (
        tuple(each for each in value if isinstance(each, str)) if isinstance(value, tuple) else ()
    )


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
        notes.append(f"{SYNONYMS} is no file of the skill's own, so it is not read")
        return {}
    try:
        text, broken = decode(tree.read(SYNONYMS, _LARGEST))
    except OSError as error:
        notes.append(f"{SYNONYMS} cannot be read: {error.strerror or error}")
        return {}
    source = Source(text, SYNONYMS)
    document = read(source, "yaml", Span(0, len(text)))
    for wrong in document.faults[:1]:
        line, column = source.position(wrong.start)
        notes.append(f"{SYNONYMS}:{line}:{column}: {wrong.message}; what can be read of it holds")
    value = document.value
    inner = value.get("synonyms") if isinstance(value, dict) else None
    given = inner if isinstance(inner, dict) else value
    if broken is not None or not isinstance(given, dict):
        notes.append(f"{SYNONYMS} is no mapping of topics to lists of words")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for topic, words in given.items():
        listed = [words] if isinstance(words, str) else words
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            notes.append(f"{SYNONYMS}: what stands for {topic} is no list of words")
            continue
        found[str(topic)] = tuple(listed)
    return found


def _files(tree: FileTree, notes: list[str]) -> list[Knowledge]:
    """The Markdown files below knowledge/, by path."""
    found: list[Knowledge] = []
    folders = [FOLDER]
    while folders and len(found) < _FILES:
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
                found.append(Knowledge(path, estimate_tokens(text)))
    return sorted(found[:_FILES])
