"""A script's commands and options, as determined without running it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Literal, NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern

Type = Literal["string", "integer", "number", "boolean"]

MOST = 200  # The options of a command, and the commands of a script, that are read.
NOTHING: Any = type("Nothing", (), {"__repr__": lambda _: "NOTHING"})()
"""Marks a missing default, because None can be a default."""


class ScriptOption(NamedTuple):
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
    exactly: int = 0  # The number of its values, if it is fixed and above 1.
    off: str = ""  # The flag that turns a switch off: `--no-colour`.
    repeats: bool = False  # Whether its flag is repeated for each of several values.
    is_joined: bool = False  # Whether its value must follow in the same word: `--name=VALUE`.
    rest: bool = False  # Whether it takes the rest of the line, such as another command.

    @property
    def flag(self) -> str:
        """The longest flag; "" for a positional argument."""
        return max(self.flags, key=len, default="")


_INTEGER = lazy_pattern(r"-?(?:0|[1-9][0-9]{0,14})")
_DECIMAL = lazy_pattern(r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}")


def with_default(option: ScriptOption, default: Any) -> ScriptOption:
    """The option with the text of a default, whose number makes it a number."""
    if not isinstance(default, str) or option.type != "string" or option.choices or option.many:
        return option._replace(default=default)
    if _INTEGER.fullmatch(default):
        return option._replace(default=int(default), type="integer")
    if _DECIMAL.fullmatch(default):
        return option._replace(default=float(default), type="number")
    return option._replace(default=default)


class OptionGroup(NamedTuple):
    """Options of which a call may pass only one."""

    names: tuple[str, ...]
    required: bool = False  # Whether it must pass one.


class ScriptCommand(NamedTuple):
    """One command of a script; `name` is "" if there is only one."""

    name: str = ""
    about: str = ""
    options: tuple[ScriptOption, ...] = ()
    certain: bool = True
    before: int = 0  # The number of options before the command's name.
    groups: tuple[OptionGroup, ...] = ()
    by_hand: bool = False
    """Whether the script parses its arguments itself, so that nothing is surely required."""
    reads_input: bool = False  # Whether it can read standard input, by its usage or its code.
    lead: int = 0  # The number of its positional arguments that come before its flags.

    @property
    def places(self) -> tuple[ScriptOption, ...]:
        """The positional arguments, in order."""
        return tuple(option for option in self.options if not option.flags)

    @property
    def leading_places(self) -> tuple[ScriptOption, ...]:
        """The positional arguments that come before the flags."""
        places = (option for option in self.options[self.before :] if not option.flags)
        return tuple(islice(places, self.lead))


class Script(NamedTuple):
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


_NO_DESCRIPTION = lazy_pattern(
    r"(?i)#!|-\*-|(?:en)?coding[:=]|vim?:|spdx-|copyright\b|\(c\)|©|all rights reserved|"
    r"(?:this (?:file|program|source|work|script) is )?(?:free software|licen[cs]ed?|part of)\b|"
    r"(?:the )?(?:mit|bsd|apache|gnu)\b[^.]*licen[cs]e|redistribut|usage\b|authors?\s*:|"
    r"version\s*[:\d]|///|shellcheck\b|eslint\b|prettier\b|@(?:ts-|file|author|licen|version)|"
    r"https?://\S+$|use strict\b|[\w./-]+\.(?:py|sh|m?js|ts|pl|rb|ps1)$"
)
"""The start of a paragraph of a header comment that does not describe the script."""
_NAME = lazy_pattern(r"^[\w./-]+\.\w{1,4}\s*(?:[-\u2013\u2014:]+\s+)(?=\S)")


def first_sentence(text: str) -> str:
    """The first sentence of a docstring or a header that describes something, on one line.

    A shebang, an encoding, a licence, a copyright, usage or an underline is no description.
    """
    for paragraph in re.split(r"\n[ \t]*\n", text.strip()):
        lines = [line.strip() for line in paragraph.split("\n")]
        description = " ".join(line for line in lines if re.search(r"\w", line))
        description = " ".join(_NAME.sub("", description).split())
        if description and not _NO_DESCRIPTION.match(description):
            return description.split(". ")[0].removesuffix(".").removesuffix(":") + "."
        if re.match(r"(?i)usage\b", description):
            break
    return ""
