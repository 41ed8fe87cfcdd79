"""The steps of an apply on the disk, each of which can be done again after a kill.

A file that is replaced is linked under its temporary name first, so that at every moment its
name holds the old bytes or the new ones.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress

from skillstudio.dryrun.applying.items import ANY_MODE, Held, Item, Made, holds
from skillstudio.dryrun.applying.journal import sync_folder
from skillstudio.dryrun.applying.wanted import Wanted
from skillstudio.files.folders import remove

_CHUNK = 1 << 20
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Moved(OSError):
    """What lies at a path is not what was checked."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "it was changed meanwhile", path)


def prepare(made: Made) -> None:
    """Make what comes under its temporary name, on the disk for good. Raises OSError."""
    item = made.item
    folders = [inside for inside, each in item.after.items() if each.kind == "folder"]
    for inside in sorted(item.after):
        path = _at(item.new, inside)
        if item.after[inside].kind == "folder":
            os.mkdir(path)
        else:
            _make(made.wanted[inside], item.after[inside], path)
    for inside in sorted(folders, reverse=True):
        path = _at(item.new, inside)
        if item.after[inside].mode != ANY_MODE:
            os.chmod(path, item.after[inside].mode)
        sync_folder(path)


def go(item: Item) -> None:
    """Put what comes in the place of what was there, if that is not done yet.

    Raises OSError, of which Moved where something else is there.
    """
    if item.is_mode_only:
        os.chmod(item.target, item.after[""].mode)
    elif item.new:
        if os.path.lexists(item.new):
            _put(item)
    elif not os.path.lexists(item.old) and os.path.lexists(item.target):
        _require(item)
        os.rename(item.target, item.old)


def undo(item: Item) -> str:
    """Put back what was there, if that is not done yet.

    Where something else has come meanwhile it stays, and a sentence says where the other lies.
    Raises OSError.
    """
    if item.is_mode_only:
        return _undo_mode(item)
    if item.new and not os.path.lexists(item.new):
        if item.old and not os.path.lexists(item.old):
            return ""
        if os.path.lexists(item.target):
            if not holds(item.target, item.after):
                return _left(item)
            if item.old and not {"folder"} & {item.before[""].kind, item.after[""].kind}:
                os.replace(item.old, item.target)
                return ""
            os.rename(item.target, item.new)
    if not item.old or not os.path.lexists(item.old):
        return ""
    if not os.path.lexists(item.target):
        os.rename(item.old, item.target)
    elif _is_same(item.old, item.target):
        os.unlink(item.old)
    else:
        return _left(item)
    return ""


def clear(path: str) -> None:
    """Remove what lies under a temporary name, also what is protected. Raises OSError."""
    if path and os.path.lexists(path):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            remove(path)
        else:
            os.unlink(path)


def _put(item: Item) -> None:
    if not item.old:
        if os.path.lexists(item.target):
            raise Moved(item.target)
        os.rename(item.new, item.target)
        return
    if not os.path.lexists(item.old):
        _require(item)
        _keep(item)
    if not os.path.lexists(item.target):
        os.rename(item.new, item.target)
        return
    if not _is_same(item.old, item.target):
        raise Moved(item.target)
    before = _stamp(item.old)
    os.replace(item.new, item.target)
    if _stamp(item.old) != before:
        raise Moved(item.target)


def _keep(item: Item) -> None:
    """Give what is there its temporary name, if it can be beside its own."""
    if not {"folder"} & {item.before[""].kind, item.after[""].kind}:
        try:
            os.link(item.target, item.old, follow_symlinks=False)
            return
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            # This file system or system has no such links: for a moment the name is free.
            pass
    os.rename(item.target, item.old)


def _require(item: Item) -> None:
    if not holds(item.target, item.before):
        raise Moved(item.target)


def _undo_mode(item: Item) -> str:
    try:
        mode = stat.S_IMODE(os.lstat(item.target).st_mode)
    except FileNotFoundError:
        return f"{item.target} is gone, so its mode is not put back"
    if mode == item.after[""].mode:
        os.chmod(item.target, item.before[""].mode)
    elif mode != item.before[""].mode:
        return f"{item.target} got the mode {mode:04o} since, which stays"
    return ""


def _left(item: Item) -> str:
    kept = f"; what was there before lies in {item.old}" if os.path.lexists(item.old) else ""
    return f"{item.target} was changed since, so it stays as it is now{kept}"


def _make(wanted: Wanted, after: Held, path: str) -> None:
    if after.kind == "link":
        os.symlink(wanted.after.target if wanted.after else "", path)
        return
    before = wanted.before
    is_same = before is not None and before.kind == "file" and before.digest == after.digest
    source = wanted.target if is_same else wanted.source
    seen = hashlib.sha256()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    with open(handle, "wb") as made:
        with open(os.open(source, os.O_RDONLY | _NO_FOLLOW | _BINARY), "rb") as kept:
            about = os.fstat(kept.fileno())
            while piece := kept.read(_CHUNK):
                seen.update(piece)
                made.write(piece)
        made.flush()
        if seen.hexdigest() != after.digest:
            raise Moved(source)
        _belong(wanted, path)
        os.chmod(path, after.mode)
        if is_same:
            os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        os.fsync(made.fileno())


def _belong(wanted: Wanted, path: str) -> None:
    """Let a file belong to whom it belonged, as far as this user may give it away."""
    if wanted.before is None or wanted.before.kind != "file" or not hasattr(os, "chown"):
        return
    was, now = os.lstat(wanted.target), os.lstat(path)
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        with suppress(PermissionError):
            os.chown(path, was.st_uid, was.st_gid)


def _at(path: str, inside: str) -> str:
    return os.path.join(path, *inside.split("/")) if inside else path


def _is_same(one: str, other: str) -> bool:
    """Whether both names are of the same file, no link followed."""
    return os.path.samestat(os.lstat(one), os.lstat(other))


def _stamp(path: str) -> tuple[int, int]:
    about = os.lstat(path)
    return about.st_size, about.st_mtime_ns
