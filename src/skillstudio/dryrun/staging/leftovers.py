"""The folder of a run: whose it is, and how what a killed run left is found and removed."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
from typing import NamedTuple

PREFIX = "run-"
OWNER = "owner.json"
_YOUNG = 60.0
"""Seconds in which a folder without an owner's name may be one that is just made or deleted."""
_DEEPEST = 64
"""Folders within another that are deleted as they are; each of them takes a call within another."""
_LONGEST = 2_000
"""Bytes of a path; systems take 4096 at most, and a name has up to 255."""


class Leftover(NamedTuple):
    """A folder of a run that no process works in any more."""

    folder: str
    size: int
    """Bytes of the files in it."""


def claim(parent: str) -> str:
    """Make the folder of a run, for its owner alone, and write down which process that is.

    Raises OSError.
    """
    os.makedirs(parent, 0o700, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
    with open(os.path.join(folder, OWNER), "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "started": _started(os.getpid())}, file)
    return folder


def leftovers(parent: str) -> list[Leftover]:
    """The folders of runs whose process is gone. Nothing where there is no such parent."""
    try:
        names = sorted(os.listdir(parent))
    except OSError:
        return []
    folders = [os.path.join(parent, name) for name in names if name.startswith(PREFIX)]
    return [
        Leftover(folder, folder_size(folder))
        for folder in folders
        if os.path.isdir(folder) and not os.path.islink(folder) and not _is_owned(folder)
    ]


def remove(folder: str) -> None:
    """Delete the folder of a run, also what a program protected from it, however deep.

    Raises OSError.
    """
    if not os.path.lexists(folder):
        return
    os.chmod(folder, stat.S_IRWXU)
    _make_shallow(folder)
    shutil.rmtree(folder)


def _make_shallow(folder: str) -> None:
    """Open every folder below one, and move up what lies so deep that no path reaches it."""
    waiting = [(folder, 0)]
    while waiting:
        where, depth = waiting.pop()
        with os.scandir(where) as listed:
            folders = [each.path for each in listed if each.is_dir(follow_symlinks=False)]
        for path in folders:
            os.chmod(path, stat.S_IRWXU)
            inside = depth + 1
            if inside > _DEEPEST or len(os.fsencode(path)) > _LONGEST:
                target = os.path.join(folder, f"moved-{os.urandom(8).hex()}")
                os.rename(path, target)
                path, inside = target, 1
            waiting.append((path, inside))


def _is_owned(folder: str) -> bool:
    try:
        with open(os.path.join(folder, OWNER), encoding="utf-8") as file:
            owner = json.load(file)
        pid, started = int(owner["pid"]), owner["started"]
    except (OSError, ValueError, KeyError, TypeError):
        # Killed between making the folder and writing the name, or between deleting the two:
        # nobody's, unless somebody is doing that right now.
        return _is_young(folder)
    return _is_alive(pid) and _started(pid) == started


def _is_young(folder: str) -> bool:
    try:
        return time.time() - os.stat(folder).st_mtime < _YOUNG
    except OSError:
        return True


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        # Signal 0 ends a process there; what may be alive is left alone.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str:
    """When a process began, as this system counts; "" where it does not tell.

    A number of a process is given again after it ended: the time tells them apart.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def folder_size(folder: str) -> int:
    """Bytes of the files below a folder; what cannot be read counts nothing."""
    size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue
    return size
