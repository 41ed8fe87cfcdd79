"""Landlock rule sets; the bits are those of include/uapi/linux/landlock.h. Rules only grant, also
everything below a folder: to exclude one folder, its siblings are granted one by one."""

from __future__ import annotations

import functools
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillstudio.dryrun.isolation import landlock, seccomp
from skillstudio.files.paths import below

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_SPECIAL = _MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV
_FIRST, _REFER = (1 << 13) - 1, 1 << 13

READ = _EXECUTE | _READ_FILE | _READ_DIR
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_NEWEST = 6  # The last ABI that adds a right used here.

_CREATE_RULESET, _VERSION = 444, 1


class PathGrant(NamedTuple):
    """The access granted to a path and everything below it."""

    path: str | int  # An absolute path, or a descriptor opened by the gate.
    access: int


class Landlock(NamedTuple):
    """A rule set for the launcher."""

    attributes: bytes  # `struct landlock_ruleset_attr`, in the size that the ABI knows.
    rules: tuple[PathGrant, ...]


@functools.cache
def abi() -> int:
    """The kernel's Landlock ABI; 0 when absent or unusable."""
    if sys.platform != "linux":
        return 0
    import ctypes

    version = ctypes.CDLL(None, use_errno=True).syscall(
        ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)
    )
    return max(int(version), 0)


def compute_rights(version: int) -> int:
    """Every file right that an ABI can restrict."""
    later = {2: _REFER, 3: _TRUNCATE, 5: _IOCTL_DEV}
    return _FIRST | sum(bit for since, bit in later.items() if version >= since)


def attributes(version: int, network: bool = False) -> bytes:
    """`struct landlock_ruleset_attr`: files; from ABI 4 TCP, from ABI 6 signals and sockets.
    `network` leaves TCP unrestricted, for a program with its own network namespace."""
    values = [compute_rights(version)]
    if version >= 4:
        values.append(0 if network else 0b11)
    if version >= _NEWEST:
        values.append(0b11)
    return struct.pack(f"={len(values)}Q", *values)


def ruleset(version: int, writable: Iterable[str | int], readable: Iterable[str | int]) -> Landlock:
    """Allow writing in `writable`, and reading there, in `readable` and on harmless devices."""
    all_bits = compute_rights(version)
    rules = [PathGrant(path, READ) for path in readable]
    device = (_READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV) & all_bits
    rules += [PathGrant(f"/dev/{name}", device) for name in _DEVICES]
    return Landlock(attributes(version), (*rules, *_grant_writes(writable, all_bits)))


def inside_view(version: int, writable: Iterable[str]) -> Landlock:
    """For a mount namespace: writing in `writable` and on its own devices. The namespace alone
    leaves named pipes open, as a read-only mount does not restrict those."""
    all_bits = compute_rights(version)
    device_rights = (READ | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV) & all_bits
    rules = (
        PathGrant("/", READ),
        PathGrant("/dev", device_rights),
        PathGrant("/dev/shm", all_bits & ~_SPECIAL),  # noqa: S108
    )
    return Landlock(attributes(version, True), (*rules, *_grant_writes(writable, all_bits)))


def _grant_writes(paths: Iterable[str | int], all_bits: int) -> list[PathGrant]:
    return [PathGrant(path, all_bits & ~_SPECIAL) for path in paths]


def subtract_paths(allowed_paths: Iterable[str], hidden_paths: Iterable[str]) -> list[str]:
    """The largest folders and files in `allowed_paths` that exclude exactly `hidden_paths`; all
    real paths. Links are left out; a rule covers every hard link to a file."""
    masked_paths = set(hidden_paths)
    parents = {path[:end] or "/" for path in masked_paths for end in _ends(path)}
    paths: list[str] = []
    pending_paths = [
        path
        for path in allowed_paths
        if not any(below(path, masked_path) is not None for masked_path in masked_paths)
    ]
    while pending_paths:
        path = pending_paths.pop()
        if path not in parents:
            paths.append(path)
            continue
        try:
            with os.scandir(path) as entries:
                pending_paths += [
                    entry.path
                    for entry in entries
                    if entry.path not in masked_paths and not entry.is_symlink()
                ]
        except OSError:
            continue  # If this user cannot list it, neither can the program.
    return sorted(set(paths))


def _ends(path: str) -> Iterator[int]:
    """Where the path of each folder around an absolute path ends."""
    return (end for end, character in enumerate(path) if character == "/")


def confinement() -> tuple[bytes, bytes] | None:
    """Landlock attributes and system call filter for our own processes; None without Landlock."""
    version = landlock.abi()
    if not version:
        return None
    try:
        return landlock.attributes(version), seccomp.program("confined", False, os.uname().machine)
    except seccomp.NoFilter:
        return None
