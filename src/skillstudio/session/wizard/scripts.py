"""Summarize the scripts of a folder before a skill is created from them."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.scaffold.new.scripts.drafting import Drafted, draft_operations
from skillstudio.scaffold.new.scripts.gathering import Gathered


class OperationSummary(NamedTuple):
    """A drafted operation."""

    name: str
    about: str
    inputs: tuple[str, ...]
    """Names, with defaults such as `limit=20`."""


class ScriptSummary(NamedTuple):
    """A file, the operations drafted from it, and notes about it."""

    path: str
    language: str
    """"" if it is not a program."""
    effects: tuple[str, ...]
    operations: tuple[OperationSummary, ...]
    notes: tuple[str, ...]


def script_summaries(gathered: Gathered) -> list[ScriptSummary]:
    """The programs by path, then the files that are omitted, unreadable or not programs."""
    operations, notes = draft_operations(gathered)
    others = {each.path for each in notes} - set(gathered.programs)
    found = []
    for path in [*gathered.programs, *sorted(others)]:
        script = gathered.programs.get(path)
        found.append(
            ScriptSummary(
                path,
                script.language if script is not None else "",
                tuple(sorted(script.effects)) if script is not None else (),
                tuple(_operation(each) for each in operations if path in each.paths),
                tuple(n.text.removeprefix(path).lstrip(": ") for n in notes if n.path == path),
            )
        )
    return found


def _operation(drafted: Drafted) -> OperationSummary:
    inputs = tuple(
        name if schema["required"] else f"{name}={schema['default']}"
        for name, schema in drafted.body["input"].items()
    )
    return OperationSummary(drafted.name, drafted.body["description"], inputs)
