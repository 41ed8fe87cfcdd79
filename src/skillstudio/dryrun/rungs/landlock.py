"""What Landlock is asked to hold: bits by the kernel's ABI, and rules for the files of a run.

The bits are those of include/uapi/linux/landlock.h. Rules only ever grant, and a rule for a folder
holds for all below it: to leave one folder out, its neighbours are granted one by one.
"""

from __future__ import annotations

import functools
import os
import stat
import struct
import sys
from collections.abc import Iterable
from typing import NamedTuple

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_FIRST, _REFER = (1 << 13) - 1, 1 << 13

READ = _EXECUTE | _READ_FILE | _READ_DIR
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_NEWEST = 6
"""The last ABI that added something to ask for here."""

_CREATE_RULESET, _VERSION = 444, 1


class Rule(NamedTuple):
    """What is granted on a path and all below it."""

    path: str | int
    """An absolute path, or the descriptor of what went through the gate."""
    access: int


class Landlock(NamedTuple):
    """A rule set, as the launcher makes it."""

    attributes: bytes
    """What the kernel is told to hold, in the size that its ABI knows."""
    rules: tuple[Rule, ...]


@functools.cache
def abi() -> int:
    """The kernel's Landlock ABI; 0 where it has none or does not let it be used."""
    if sys.platform != "linux":
        return 0
    import ctypes

    found = ctypes.CDLL(None, use_errno=True).syscall(
        ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)
    )
    return max(int(found), 0)


def handled(version: int) -> int:
    """The bits on files that an ABI can hold: all of them are asked for."""
    bits = _FIRST
    if version >= 2:
        bits |= _REFER
    if version >= 3:
        bits |= _TRUNCATE
    if version >= 5:
        bits |= _IOCTL_DEV
    return bits


def attributes(version: int) -> bytes:
    """`struct landlock_ruleset_attr`: files; TCP from ABI 4, other programs from 6."""
    values = [handled(version)]
    if version >= 4:
        values.append(0b11)
    if version >= _NEWEST:
        values.append(0b11)
    return struct.pack(f"={len(values)}Q", *values)


def ruleset(version: int, writable: Iterable[str], masked: Iterable[str]) -> Landlock:
    """Writing in `writable` alone, reading everywhere but in `masked` and in `/dev`.

    `version` is what the kernel has, or less to be held to less.
    """
    rules = [Rule("/", _READ_DIR)]
    rules += [Rule(path, READ) for path in readable((*masked, "/dev"))]
    return _with_writing(version, rules, writable)


def nothing_but(
    version: int, readable: Iterable[str | int], writable: Iterable[str | int]
) -> Landlock:
    """Reading in `readable` alone and writing in `writable` alone; not even names elsewhere."""
    return _with_writing(version, [Rule(path, READ) for path in readable], writable)


def _with_writing(version: int, rules: list[Rule], writable: Iterable[str | int]) -> Landlock:
    all_bits = handled(version)
    device = (_READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV) & all_bits
    rules += [Rule(f"/dev/{name}", device) for name in _DEVICES]
    write = all_bits & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV)
    rules += [Rule(path, write) for path in writable]
    return Landlock(attributes(version), tuple(rules))


def readable(masked: Iterable[str]) -> list[str]:
    """The largest folders and files that together leave out exactly what is masked.

    Links are left out: what they lead to has a rule of its own, or none.
    """
    hidden = {os.path.realpath(path) for path in masked} | set(masked)
    parents = {parent for path in hidden for parent in _parents(path)}
    found: list[str] = []
    for parent in sorted(parents):
        if any(parent == path or parent.startswith(path + "/") for path in hidden):
            continue
        try:
            with os.scandir(parent) as entries:
                found += [
                    entry.path
                    for entry in entries
                    if entry.path not in hidden
                    and entry.path not in parents
                    and not entry.is_symlink()
                    and not _is_socket(entry)
                ]
        except OSError:
            continue  # What this user cannot list, the program cannot read either.
    return sorted(found)


def _parents(path: str) -> list[str]:
    found = []
    while (parent := os.path.dirname(path)) != path:
        found.append(parent)
        path = parent
    return found


def _is_socket(entry: os.DirEntry[str]) -> bool:
    try:
        return stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return False
