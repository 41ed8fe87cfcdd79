"""A script's commands and options, as determined without running it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Type = Literal["string", "integer", "number", "boolean"]

NOTHING: Any = type("Nothing", (), {"__repr__": lambda _: "NOTHING"})()
"""Marks a missing default, because None can be a default."""


@dataclass(frozen=True)
class ScriptOption:
    """One argument of a command: an option with flags, or a positional argument."""

    name: str  # The name of its value, as a Python name.
    flags: tuple[str, ...] = ()  # `-n`, `--name`; none for a positional argument.
    type: Type = "string"
    required: bool = False
    default: Any = NOTHING  # A literal; NOTHING if there is none, or if the script computes it.
    help: str = ""
    choices: tuple[str, ...] = ()
    switch: bool = False
    many: bool = False

    @property
    def flag(self) -> str:
        """The longest flag; "" for a positional argument."""
        return max(self.flags, key=len, default="")


@dataclass(frozen=True)
class ScriptCommand:
    """One command of a script; `name` is "" if there is only one."""

    name: str = ""
    about: str = ""
    options: tuple[ScriptOption, ...] = ()
    certain: bool = True
    before: int = 0  # The number of options before the command's name.

    @property
    def places(self) -> tuple[ScriptOption, ...]:
        """The positional arguments, in order."""
        return tuple(each for each in self.options if not each.flags)


@dataclass(frozen=True)
class Script:
    """The result of reading a script."""

    language: str
    commands: tuple[ScriptCommand, ...] = ()
    effects: frozenset[str] = frozenset()
    """Its probable effects, in the terms of skill-manifest-2.0."""
    notes: tuple[str, ...] = ()  # Messages about what could not be determined.
    program: bool = True  # Whether it is a program rather than a library.
    speaks_json: bool = False


class NotRead(Exception):
    """A file that is not a readable script; the message says why."""


def first_sentence(text: str) -> str:
    """The first sentence of a docstring or a help text, on one line."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return paragraph.split(". ")[0].removesuffix(".") + "." if paragraph else ""
