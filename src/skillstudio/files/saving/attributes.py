"""The owner, mode, ACL and extended attributes of a file."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import NamedTuple

_OF_CONTENT = frozenset({"security.capability", "security.ima", "security.evm"})
"""Attributes bound to the bytes (capabilities, signatures), which are not copied."""


class Attributes(NamedTuple):
    """The metadata of a file except its name and times."""

    uid: int
    gid: int
    mode: int
    extended: tuple[tuple[str, bytes], ...]
    """Extended attributes by name, including POSIX ACLs; Linux only."""


def attributes_of(file: int | str) -> Attributes:
    """The attributes of an open file or of a path, links not followed. Raises OSError."""
    about = os.fstat(file) if isinstance(file, int) else os.lstat(file)
    mode = stat.S_IMODE(about.st_mode)
    return Attributes(about.st_uid, about.st_gid, mode, tuple(sorted(_extended(file).items())))


def give(handle: int, wanted: Attributes) -> bool:
    """Copy attributes to an open, still empty file as permitted; return whether all were set.

    Intermediate permissions are never wider than `wanted`.
    """
    if hasattr(os, "fchown"):
        now = os.fstat(handle)
        # An ordinary user can change a file's group to another of theirs, but not its owner.
        if now.st_gid != wanted.gid:
            with suppress(PermissionError):
                os.fchown(handle, -1, wanted.gid)
        if now.st_uid != wanted.uid:
            with suppress(PermissionError):
                os.fchown(handle, wanted.uid, -1)
        now = os.fstat(handle)
        if (now.st_uid, now.st_gid) != (wanted.uid, wanted.gid):
            # Do not set the mode: with another owner or group it would be wider.
            return False
    if hasattr(os, "setxattr"):
        _give_extended(handle, dict(wanted.extended))
    if hasattr(os, "fchmod"):
        os.fchmod(handle, wanted.mode)
    return attributes_of(handle) == wanted


def _give_extended(handle: int, wanted: dict[str, bytes]) -> None:
    now = _extended(handle)
    for name in now.keys() - wanted.keys():
        # For example, the folder's default ACL.
        with suppress(OSError):
            os.removexattr(handle, name)
    for name, value in wanted.items():
        if now.get(name) != value:
            with suppress(OSError):
                os.setxattr(handle, name, value)


def _extended(file: int | str) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    # The option must have its default for a file that is open.
    follow = isinstance(file, int)
    try:
        found = os.listxattr(file, follow_symlinks=follow)
    except OSError:
        # This file system has no extended attributes.
        return {}
    names = [name for name in found if name not in _OF_CONTENT]
    return {name: os.getxattr(file, name, follow_symlinks=follow) for name in names}
