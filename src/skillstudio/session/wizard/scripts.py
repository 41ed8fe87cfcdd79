"""What was read from each script of a folder, to be shown before a skill is made of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from skillstudio.scaffold.new.scripts.drafting import Drafted, draft_operations
from skillstudio.scaffold.new.scripts.gathering import Gathered


class OperationSummary(NamedTuple):
    """A drafted operation in words."""

    name: str
    about: str
    inputs: tuple[str, ...]
    """Names, those with a default as `limit=20`."""


class ScriptSummary(NamedTuple):
    """A file with what was drafted of it and what there is to know of it."""

    path: str
    language: str
    """"" where it is no program that was read."""
    effects: tuple[str, ...]
    operations: tuple[OperationSummary, ...]
    notes: tuple[str, ...]


def script_summaries(gathered: Gathered) -> list[ScriptSummary]:
    """The programs by path, then the files that are left out, not read or no program."""
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
                tuple(_rest(each.text, path) for each in notes if each.path == path),
            )
        )
    return found


def _rest(text: str, path: str) -> str:
    """A sentence without the path that it begins with."""
    return text.removeprefix(path).lstrip(": ")


def _operation(drafted: Drafted) -> OperationSummary:
    inputs = drafted.operation.inputs.items()
    return OperationSummary(
        drafted.name, drafted.operation.description, tuple(_input(*each) for each in inputs)
    )


def _input(name: str, schema: dict[str, Any]) -> str:
    return name if schema["required"] else f"{name}={schema['default']}"
