"""Build the system call filter as a BPF program; `calls.toml` lists what is refused."""

from __future__ import annotations

import errno
import functools
import struct
from typing import Any, Literal

from skillstudio.resources import toml_table

FilteredLevel = Literal["confined", "isolated"]

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # Offsets into `struct seccomp_data`.
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000

Line = tuple[int, int, int, int]
"""Operation, lines to skip if true, lines to skip if false, operand."""


class NoFilter(ValueError):
    """The processor is not in the table: a sentence for the user."""


def table() -> dict[str, Any]:
    """The refused calls and the known processors."""
    return toml_table(__file__, "calls.toml")


@functools.cache
def program(isolation: FilteredLevel, traced: bool, machine: str) -> bytes:
    """The filter as bytes; `traced` allows ptrace, for the tracer only. Raises NoFilter."""
    lines = _lines(isolation, traced, machine)
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _lines(isolation: str, traced: bool, machine: str) -> list[Line]:
    tables = table()
    if machine not in tables["arch"]:
        known = " and ".join(sorted(tables["arch"]))
        raise NoFilter(f"no system call filter for processor {machine}, only for {known}")
    arch = tables["arch"][machine]
    column = ("x86_64", "aarch64").index(machine)
    lines: list[Line] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, arch["token"]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if arch["foreign_bit"]:
        lines += [(_JUMP_AT_LEAST, 0, 1, arch["foreign_bit"]), (_RETURN, 0, 0, _KILL)]
    for deny in tables["deny"]:
        if isolation not in deny["levels"] or (deny.get("untraced") and traced):
            continue
        refuse = (_RETURN, 0, 0, _REFUSE | int(getattr(errno, deny["error"])))
        for call in deny["calls"]:
            number = tables["numbers"][call][column]
            if number >= 0:
                test = _condition(deny, refuse)
                lines += [(_JUMP_EQUAL, 0, len(test), number), *test]
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
