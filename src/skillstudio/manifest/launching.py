"""How an operation is started, whatever system says so: what a dry run has to know of a manifest.

A dialect whose operations can be started has a `launch.py` in its folder, with
`launch(manifest, skill, operation)` that gives a `Launching`, or None where it knows no such
operation. Nothing is filled in or started here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from skillstudio.interface.model import Requirement, Variable
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.placeholders import SINGLE

Confirmation = Literal["auto", "prompt", "always"]
_NOTHING: Mapping[str, tuple[LaunchedProcess, ...]] = {}


class LaunchedProcess(NamedTuple):
    """One program with its arguments, the placeholders still in them."""

    argv: tuple[str, ...]
    pointer: str
    """Where it is stated, in the interface."""
    name: str = ""
    confirmation: Confirmation = "auto"
    timeout: float | None = None
    """Seconds; None is not said."""
    command: str = ""
    """All of it as one text, where that is how it is written."""
    refused: str = ""
    """Why it may not be started."""
    needs_shell: str = ""
    """Why it cannot be started without a shell."""


class Mock(NamedTuple):
    """What stands for a program that is not started."""

    pattern: str
    """A glob over the whole command, the inputs put in."""
    stdout: str
    exit_code: int


class Launching(NamedTuple):
    """How one operation is started, and what of it is only known to its dialect."""

    operation: str
    """The operation of the interface whose inputs it takes."""
    platforms: Mapping[str, tuple[LaunchedProcess, ...]] = _NOTHING
    """`unix`, `windows` or `any` to the processes, in order."""
    script: str | None = None
    """The path of a script in the skill whose first line says what runs it."""
    module: str = ""
    """The path of a WASI command in the skill."""
    takes: Literal["arguments", "environment", "stdin"] = "arguments"
    """Where the inputs go: in placeholders, in variables, or as one JSON value to read."""
    placeholders: str = SINGLE
    folder: Literal["skill", "workspace"] = "skill"
    """Where it is started."""
    procedure: str = ""
    """What an agent is told to do; no program is started for it."""
    refused: str = ""
    """Why a plan is all that there can be."""
    requirements: tuple[Requirement, ...] = ()
    """What it needs beside what the interface says."""
    variables: tuple[Variable, ...] = ()
    """The variables that it reads beside those of the interface."""
    mocks: tuple[Mock, ...] = ()
    """The first whose pattern fits a command counts."""
    notes: tuple[str, ...] = ()


def script_named(skill: Skill, operation: str) -> str | None:
    """The script that an operation's name means: a path in the skill, there or not.

    "" is the skill itself, for which no script is named; None is no path.
    """
    if not operation or "/" in operation or "." in operation:
        return operation
    return operation if skill.tree.kind(operation) is not None else None
