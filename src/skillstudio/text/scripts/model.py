"""What can be told of a script without running it: its commands and their options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Type = Literal["string", "integer", "number", "boolean"]

NOTHING: Any = type("Nothing", (), {"__repr__": lambda _: "NOTHING"})()
"""In the place of a default that is not there, as None can be one."""


@dataclass(frozen=True)
class ScriptOption:
    """One argument of a command: an option with its flags, or one that is known by its place."""

    name: str
    """The name of its value, as a Python name."""
    flags: tuple[str, ...] = ()
    """`-n`, `--name`; none for an argument known by its place."""
    type: Type = "string"
    required: bool = False
    default: Any = NOTHING
    """A literal; NOTHING where there is none, or the script works it out."""
    help: str = ""
    choices: tuple[str, ...] = ()
    switch: bool = False
    """It is there or not, and takes no value."""
    many: bool = False
    """It takes any number of values."""

    @property
    def flag(self) -> str:
        """The flag to call it by, the longest; "" for an argument known by its place."""
        return max(self.flags, key=len, default="")


@dataclass(frozen=True)
class ScriptCommand:
    """What a script does when called one way; `name` is "" where there is only one."""

    name: str = ""
    about: str = ""
    options: tuple[ScriptOption, ...] = ()
    certain: bool = True
    """All its options were understood; where not, there may be others."""
    before: int = 0
    """How many of the options stand before the command's own name."""

    @property
    def places(self) -> tuple[ScriptOption, ...]:
        """The arguments that are known by their place, in order."""
        return tuple(each for each in self.options if not each.flags)


@dataclass(frozen=True)
class Script:
    """A script as it was read."""

    language: str
    """`python`, `bash` or `powershell`."""
    commands: tuple[ScriptCommand, ...] = ()
    effects: frozenset[str] = frozenset()
    """What it seems to do, in the words of skill-manifest-2.0."""
    notes: tuple[str, ...] = ()
    """What could not be told, each a sentence for people."""
    program: bool = True
    """It is meant to be run; others are taken in by programs."""
    speaks_json: bool = False
    """It seems to print JSON."""


class NotRead(Exception):
    """A file that is no script that can be read; the text says why."""
