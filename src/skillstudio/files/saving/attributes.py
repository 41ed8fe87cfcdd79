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
    extended_attributes: tuple[tuple[str, bytes], ...]
    """Extended attributes by name, including POSIX ACLs; Linux only."""


def attributes_of(file: int | str) -> Attributes:
    """The attributes of an open file or of a path, links not followed. Raises OSError."""
    about = os.fstat(file) if isinstance(file, int) else os.lstat(file)
    mode = stat.S_IMODE(about.st_mode)
    return Attributes(
        about.st_uid, about.st_gid, mode, tuple(sorted(_read_extended_attributes(file).items()))
    )


def give(handle: int, attributes: Attributes) -> bool:
    """Copy attributes to an open, still empty file as permitted; return whether all were set.

    Intermediate permissions are never wider than `attributes`.
    """
    if hasattr(os, "fchown"):
        now = os.fstat(handle)
        # An ordinary user can change a file's group to another of theirs, but not its owner.
        if now.st_gid != attributes.gid:
            with suppress(PermissionError):
                os.fchown(handle, -1, attributes.gid)
        if now.st_uid != attributes.uid:
            with suppress(PermissionError):
                os.fchown(handle, attributes.uid, -1)
        now = os.fstat(handle)
        if (now.st_uid, now.st_gid) != (attributes.uid, attributes.gid):
            # Do not set the mode: with another owner or group it would be wider.
            return False
    if hasattr(os, "setxattr"):
        _give_extended(handle, dict(attributes.extended_attributes))
    if hasattr(os, "fchmod"):
        os.fchmod(handle, attributes.mode)
    return attributes_of(handle) == attributes


def _give_extended(handle: int, attributes: dict[str, bytes]) -> None:
    now = _read_extended_attributes(handle)
    for name in now.keys() - attributes.keys():
        # For example, the folder's default ACL.
        with suppress(OSError):
            os.removexattr(handle, name)
    for name, value in attributes.items():
        if now.get(name) != value:
            with suppress(OSError):
                os.setxattr(handle, name, value)


def _read_extended_attributes(file: int | str) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    # A descriptor cannot be combined with `follow_symlinks=False`.
    follow = isinstance(file, int)
    try:
        all_names = os.listxattr(file, follow_symlinks=follow)
    except OSError:
        # This file system has no extended attributes.
        return {}
    names = [name for name in all_names if name not in _OF_CONTENT]
    return {name: os.getxattr(file, name, follow_symlinks=follow) for name in names}
