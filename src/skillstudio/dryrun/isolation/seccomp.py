"""Build the system call filter as a BPF program; `calls.toml` lists what is refused and what stops
for the tracer."""

from __future__ import annotations

import errno
import functools
import os
import struct
from collections.abc import Iterator
from typing import Any, Literal

from skillstudio.resources import toml_table

FilteredLevel = Literal["copy", "confined", "isolated"]

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # Offsets into `struct seccomp_data`.
_ALLOW, _KILL, _REFUSE, _STOP = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FF00000

_COLUMNS = ("x86_64", "aarch64")
_CONDITION = ("argument", "mask", "any_of", "equal", "other_than")

Line = tuple[int, int, int, int]
"""Operation, lines to skip if true, lines to skip if false, operand."""


class NoFilter(ValueError):
    """The processor is not in the table: a sentence for the user."""


def table() -> dict[str, Any]:
    """The refused calls and the known processors."""
    return toml_table(__file__, "calls.toml")


@functools.cache
def program(isolation: FilteredLevel, traced: bool, machine: str) -> bytes:
    """The filter as bytes. With `traced`, observed calls stop for the tracer, which refuses those
    that are refused; without a tracer the kernel refuses them all. Raises NoFilter."""
    lines = _lines(isolation, traced, machine)
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


@functools.cache
def observed(isolation: FilteredLevel, machine: str) -> dict[str, Any]:
    """What the tracer has to know at a level: the tokens of the processor, calls by number with the
    conditions under which they are refused, quiet folders. A filter of the program may stop calls
    too, so the tracer decides by this alone."""
    tables = table()
    at = _COLUMNS.index(machine)
    arch = tables["arch"][machine]
    calls: dict[int, dict[str, Any]] = {}
    for name, about in _observed(isolation):
        if (number := tables["numbers"][name][at]) >= 0:
            calls[number] = {"name": name, **about, "denied": _denied(isolation, name)}
    quiet = tuple(map(os.fsencode, tables["quiet"]))
    return {"arch": arch["token"], "foreign": arch["foreign_bit"], "calls": calls, "quiet": quiet}


def _observed(isolation: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, about in table()["observed"].items():
        if isolation in about.get("levels", (isolation,)):
            yield name, about


def _denied(isolation: str, call: str) -> list[dict[str, Any]]:
    """The conditions under which a call is refused at a level, each with its error number."""
    return [
        {key: deny[key] for key in _CONDITION if key in deny} | {"error": _error(deny)}
        for deny in table()["deny"]
        if isolation in deny["levels"] and call in deny["calls"]
    ]


def _error(deny: dict[str, Any]) -> int:
    return int(getattr(errno, deny["error"]))


def _lines(isolation: str, traced: bool, machine: str) -> list[Line]:
    tables = table()
    if machine not in tables["arch"]:
        known = " and ".join(sorted(tables["arch"]))
        raise NoFilter(f"no system call filter for processor {machine}, only for {known}")
    arch = tables["arch"][machine]
    column = _COLUMNS.index(machine)
    # At the level `copy` foreign calls are not refused: the tracer records that it cannot see them.
    foreign: Line = (_RETURN, 0, 0, _STOP if isolation == "copy" else _KILL)
    lines: list[Line] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, arch["token"]),
        foreign,
        (_LOAD, 0, 0, _NUMBER),
    ]
    if arch["foreign_bit"]:
        lines += [(_JUMP_AT_LEAST, 0, 1, arch["foreign_bit"]), foreign]
    for deny in tables["deny"]:
        if isolation not in deny["levels"]:
            continue
        for call in deny["calls"]:
            is_observed = traced and call in tables["observed"]
            refuse = (_RETURN, 0, 0, _STOP if is_observed else _REFUSE | _error(deny))
            number = tables["numbers"][call][column]
            if number >= 0:
                test = _condition(deny, refuse)
                lines += [(_JUMP_EQUAL, 0, len(test), number), *test]
    for call, about in _observed(isolation) if traced else ():
        number = tables["numbers"][call][column]
        if number >= 0 and not about.get("refused"):
            test = _condition(about.get("when", {}), (_RETURN, 0, 0, _STOP))
            lines += [(_JUMP_EQUAL, 0, len(test), number), *test]
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _condition(condition: dict[str, Any], end: Line) -> list[Line]:
    """The lines after a call's number matched: `end`, or continue with the number loaded."""
    if "argument" not in condition:
        return [end]
    lines: list[Line] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * condition["argument"])]
    if "mask" in condition:
        lines.append((_AND, 0, 0, condition["mask"]))
    if "any_of" in condition:
        lines += [(_JUMP_ANY, 0, 1, condition["any_of"]), end]
    for value in condition.get("equal", ()):
        lines += [(_JUMP_EQUAL, 0, 1, value), end]
    if others := condition.get("other_than"):
        lines += [
            (_JUMP_EQUAL, len(others) - number, 0, value) for number, value in enumerate(others)
        ]
        lines.append(end)
    return [*lines, (_LOAD, 0, 0, _NUMBER)]
