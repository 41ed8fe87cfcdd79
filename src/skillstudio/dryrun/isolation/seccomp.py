"""Build the system call filter as a BPF program; `calls.toml` lists what is refused and what stops
for the tracer."""

from __future__ import annotations

import errno
import functools
import os
import struct
from typing import Any, Literal

from skillstudio.resources import toml_table

FilteredLevel = Literal["copy", "confined", "isolated"]

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # Offsets into `struct seccomp_data`.
_ALLOW, _KILL, _REFUSE, _STOP = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FF00000

_COLUMNS = ("x86_64", "aarch64")

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
def observed(machine: str) -> dict[str, Any]:
    """What the tracer has to know: the token of a processor, calls by number, quiet folders."""
    tables = table()
    at = _COLUMNS.index(machine)
    calls = {
        tables["numbers"][name][at]: {"name": name, **about}
        for name, about in tables["observed"].items()
    }
    calls.pop(-1, None)
    quiet = tuple(map(os.fsencode, tables["quiet"]))
    return {"arch": tables["arch"][machine]["token"], "calls": calls, "quiet": quiet}


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
            how = _STOP if traced and call in tables["observed"] else _REFUSE
            refuse = (_RETURN, 0, 0, how | int(getattr(errno, deny["error"])))
            number = tables["numbers"][call][column]
            if number >= 0:
                test = _condition(deny, refuse)
                lines += [(_JUMP_EQUAL, 0, len(test), number), *test]
    for call, about in tables["observed"].items() if traced else ():
        number = tables["numbers"][call][column]
        is_here = isolation in about.get("levels", (isolation,))
        if number >= 0 and is_here and not about.get("refused"):
            lines += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _STOP)]
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _condition(deny: dict[str, Any], refuse: Line) -> list[Line]:
    """The lines after a call's number matched: refuse, or continue with the number loaded."""
    if "argument" not in deny:
        return [refuse]
    lines: list[Line] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * deny["argument"])]
    if "mask" in deny:
        lines.append((_AND, 0, 0, deny["mask"]))
    if "any_of" in deny:
        lines += [(_JUMP_ANY, 0, 1, deny["any_of"]), refuse]
    for value in deny.get("equal", ()):
        lines += [(_JUMP_EQUAL, 0, 1, value), refuse]
    if others := deny.get("other_than"):
        lines += [
            (_JUMP_EQUAL, len(others) - number, 0, value) for number, value in enumerate(others)
        ]
        lines.append(refuse)
    return [*lines, (_LOAD, 0, 0, _NUMBER)]
