"""The folder of a run: its owner, and how to find what a killed run left."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from contextlib import suppress
from typing import NamedTuple

from skillstudio.files.folders import folder_size

PREFIX = "run-"
OWNER = "owner.json"
_YOUNG = 60.0  # Seconds in which a folder without an owner may just be in creation or deletion.


class Leftover(NamedTuple):
    """A folder of a run that no process uses any more."""

    folder: str
    size: int  # Bytes of the files in it.


def claim(parent: str) -> str:
    """Create a run's private folder and record this process as its owner. Raises OSError."""
    os.makedirs(parent, 0o700, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
    with open(os.path.join(folder, OWNER), "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "started": _read_start_time(os.getpid())}, file)
    return folder


def leftovers(parent: str, prefix: str = PREFIX) -> list[Leftover]:
    """This user's folders with this prefix that no process uses any more."""
    try:
        names = sorted(os.listdir(parent))
    except OSError:
        return []
    folders = [os.path.join(parent, name) for name in names if name.startswith(prefix)]
    return [
        Leftover(folder, folder_size(folder))
        for folder in folders
        if _is_own_folder(folder) and not _is_owned(folder)
    ]


def _is_own_folder(path: str) -> bool:
    """Whether this is a folder, not a link, and this user's: other users have theirs here too."""
    try:
        about = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and (os.name != "posix" or about.st_uid == os.geteuid())


def _is_owned(folder: str) -> bool:
    try:
        with open(os.path.join(folder, OWNER), encoding="utf-8") as file:
            owner = json.load(file)
        pid, start_time = int(owner["pid"]), owner["started"]
    except (OSError, ValueError, KeyError, TypeError):
        # Killed while creating or deleting it: unowned, unless somebody does that right now.
        with suppress(OSError):
            return time.time() - os.stat(folder).st_mtime < _YOUNG
        return True
    return _is_alive(pid) and _read_start_time(pid) == start_time


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        # Signal 0 ends a process there: treat every process as alive.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read_start_time(pid: int) -> str:
    """The start time of a process, as process ids are reused; "" when unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""
