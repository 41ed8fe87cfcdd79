"""How the operations of a dialect are started, for dry runs. Nothing is started here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from skillstudio.interface.model import Requirement, Variable
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.placeholders import SINGLE

Confirmation = Literal["auto", "prompt", "always"]
_NOTHING: Mapping[str, tuple[LaunchedProcess, ...]] = {}


class LaunchedProcess(NamedTuple):
    """One program with its arguments, including placeholders."""

    argv: tuple[str, ...]
    pointer: str  # Its pointer in the interface.
    name: str = ""
    confirmation: Confirmation = "auto"
    timeout: float | None = None  # Seconds; None if not declared.
    command: str = ""  # The whole command as one text, if it is written that way.
    refused: str = ""
    needs_shell: str = ""


class Mock(NamedTuple):
    """A replacement for a program that is not started."""

    pattern: str  # A glob for the whole command, after inputs are filled in.
    stdout: str
    exit_code: int


class Launching(NamedTuple):
    """How one operation is started, including details that only its dialect has."""

    operation: str  # The operation of the interface with its inputs.
    platforms: Mapping[str, tuple[LaunchedProcess, ...]] = _NOTHING
    """`unix`, `windows` or `any` to the processes, in order."""
    script: str | None = None
    """The path of a script in the skill whose first line names its interpreter."""
    module: str = ""  # The path of a WASI command in the skill.
    takes: Literal["arguments", "environment", "stdin"] = "arguments"
    """How inputs are passed: in placeholders, in variables, or as one JSON value on standard input.
    """
    placeholders: str = SINGLE
    folder: Literal["skill", "workspace"] = "skill"
    procedure: str = ""  # Instructions for an agent; no program is started.
    refused: str = ""  # Why it can only be planned.
    requirements: tuple[Requirement, ...] = ()
    variables: tuple[Variable, ...] = ()
    mocks: tuple[Mock, ...] = ()  # The first one whose pattern matches a command is used.
    notes: tuple[str, ...] = ()


def launch_script(_manifest: Manifest, skill: Skill, operation: str) -> Launching | None:
    """The hook of dialects without entrypoints: a script in the workspace, as agents start it."""
    script = script_named(skill, operation)
    if script is None:
        return None
    return Launching("", script=script, takes="environment", folder="workspace")


def script_named(skill: Skill, operation: str) -> str | None:
    """The path that an operation's name refers to; "" is the skill, None is not a path."""
    if not operation or "/" in operation or "." in operation:
        return operation
    return operation if skill.tree.kind(operation) is not None else None
