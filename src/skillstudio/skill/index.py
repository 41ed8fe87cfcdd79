"""The index of a folder of skills, for looking up skills by capability.

It has the format of public `skills-index.json` files without the time stamp, so that the same
skills give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from skillstudio.interface.model import Interface

SCHEMA_VERSION = "2.0"
_PARTS = ("schema_version", "skills", "capability_index")
_TAGS = "capability-tag"
_ONLY = '""'


class IndexedSkill(NamedTuple):
    """A skill of an index: its path relative to the folder, and its declarations."""

    path: str
    interface: Interface
    content_hash: str


class IndexDifference(NamedTuple):
    """A skill that differs from the index. `how` is `changed`, `added` or `removed`."""

    skill: str
    path: str
    how: str
    fields: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()  # Descriptions of the changed fields.


def make_index(skills: Iterable[IndexedSkill]) -> dict[str, Any]:
    """The index of some skills, by name, or by path if the name is not unique."""
    indexed_skills = sorted(skills, key=lambda indexed_skill: indexed_skill.path)
    names = Counter(skill.interface.name for skill in indexed_skills)
    paths = {skill.path for skill in indexed_skills}
    entries = {}
    for skill in indexed_skills:
        name = skill.interface.name
        alone = names[name] == 1 and (name not in paths or name == skill.path)
        entries[name if alone else skill.path] = _entry(skill)
    by_capability: dict[str, list[str]] = {}
    for name in sorted(entries):
        for capability in entries[name]["capabilities"]:
            by_capability.setdefault(capability, []).append(name)
    return {
        "schema_version": SCHEMA_VERSION,
        "skills": {name: entries[name] for name in sorted(entries)},
        "capability_index": {tag: by_capability[tag] for tag in sorted(by_capability)},
    }


def _entry(skill: IndexedSkill) -> dict[str, Any]:
    interface = skill.interface
    return {
        "name": interface.name,
        "dir": skill.path,
        "path": skill.path,
        "version": interface.version or None,
        "description": interface.description,
        "dialects": list(interface.dialects),
        "capabilities": sorted(
            {tag for term in interface.terms if term.name == _TAGS for tag in term.value}
        ),
        "effects": sorted(
            {effect for operation in interface.operations for effect in operation.effects}
        ),
        "operations": {
            operation.name: {
                "description": operation.description,
                "input_params": list(operation.input_names),
            }
            for operation in sorted(interface.operations, key=lambda operation: operation.name)
        },
        "content_hash": skill.content_hash,
    }


def render(index: dict[str, Any]) -> bytes:
    """An index as file content: UTF-8 with escaped lone surrogates."""
    text = json.dumps(index, indent=2, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def is_index(value: Any) -> bool:
    """Whether a JSON value has the format of an index."""
    if not isinstance(value, dict) or not isinstance(value.get("capability_index"), dict):
        return False
    skills = value.get("skills")
    return isinstance(skills, dict) and all(isinstance(skill, dict) for skill in skills.values())


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[IndexDifference]:
    """The skills that differ from an old index; "" if only its other parts differ."""
    before, after = old["skills"], new["skills"]
    changes = []
    for name in sorted({*before, *after}):
        old_entry, other = before.get(name), after.get(name)
        if old_entry is None:
            changes.append(IndexDifference(name, other["path"], "added"))
        elif other is None:
            path = old_entry.get("path", old_entry.get("dir"))
            changes.append(IndexDifference(name, path if isinstance(path, str) else "", "removed"))
        elif old_entry != other:
            fields = [
                key for key in sorted({*old_entry, *other}) if old_entry.get(key) != other.get(key)
            ]
            summaries = tuple(
                _field_change(key, old_entry.get(key), other.get(key)) for key in fields
            )
            changes.append(
                IndexDifference(name, other["path"], "changed", tuple(fields), summaries)
            )
    if not changes:
        parts = tuple(part for part in _PARTS if old.get(part) != new[part])
        changes = [IndexDifference("", "", "changed", parts, parts)] if parts else []
    return changes


def _field_change(field: str, old: Any, new: Any) -> str:
    if field == "version":
        return f"version {_value(old)} → {_value(new)}"
    if isinstance(old, list) and isinstance(new, list):
        pairs = [("+", value) for value in new if value not in old]
        pairs += [("-", value) for value in old if value not in new]
        if pairs:
            return f"{field} " + " ".join(f"{sign}{_value(value)}" for sign, value in pairs)
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
        return f"{field} {', '.join(key or _ONLY for key in keys)}"
    return field


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
