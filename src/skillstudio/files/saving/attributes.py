"""The owner, mode, ACL and extended attributes of a file."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import NamedTuple

_OF_CONTENT = frozenset({"security.capability", "security.ima", "security.evm"})
"""What the system grants or vouches for because of the bytes; other bytes do not get it."""


class Attributes(NamedTuple):
    """Everything about a file that is neither its name nor its bytes nor a time."""

    uid: int
    gid: int
    mode: int
    extended: tuple[tuple[str, bytes], ...]
    """Extended attributes by name; POSIX ACLs are among them. Only Linux has them here."""


def attributes_of(file: int | str) -> Attributes:
    """The attributes of an open file, or of one at a path, no link followed. Raises OSError."""
    about = os.fstat(file) if isinstance(file, int) else os.lstat(file)
    mode = stat.S_IMODE(about.st_mode)
    return Attributes(about.st_uid, about.st_gid, mode, tuple(sorted(_extended(file).items())))


def give(handle: int, wanted: Attributes) -> bool:
    """Give an open file the attributes of another one, as far as this user may.

    Whether it has all of them now. Meant for a file that is still empty: what it is given on the
    way is never wider than `wanted`.
    """
    if hasattr(os, "fchown"):
        now = os.fstat(handle)
        # An ordinary user may give a file to its other groups, but never to another user.
        if now.st_gid != wanted.gid:
            with suppress(PermissionError):
                os.fchown(handle, -1, wanted.gid)
        if now.st_uid != wanted.uid:
            with suppress(PermissionError):
                os.fchown(handle, wanted.uid, -1)
        now = os.fstat(handle)
        if (now.st_uid, now.st_gid) != (wanted.uid, wanted.gid):
            # The same mode for another owner or group would be wider: it is not set at all.
            return False
    if hasattr(os, "setxattr"):
        _give_extended(handle, dict(wanted.extended))
    if hasattr(os, "fchmod"):
        os.fchmod(handle, wanted.mode)
    return attributes_of(handle) == wanted


def _give_extended(handle: int, wanted: dict[str, bytes]) -> None:
    now = _extended(handle)
    for name in now.keys() - wanted.keys():
        # Such as the ACL that new files in this folder get.
        with suppress(OSError):
            os.removexattr(handle, name)
    for name, value in wanted.items():
        if now.get(name) != value:
            with suppress(OSError):
                os.setxattr(handle, name, value)


def _extended(file: int | str) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    if isinstance(file, int):
        return {name: os.getxattr(file, name) for name in _listed(file)}
    return {name: os.getxattr(file, name, follow_symlinks=False) for name in _listed(file)}


def _listed(file: int | str) -> list[str]:
    try:
        found = (
            os.listxattr(file)
            if isinstance(file, int)
            else os.listxattr(file, follow_symlinks=False)
        )
    except OSError:
        # This file system has no extended attributes.
        return []
    return [name for name in found if name not in _OF_CONTENT]
