"""Measure and delete folders."""

from __future__ import annotations

import os
import shutil
import stat

_DEEPEST = 64  # The nesting depth that is deleted recursively.
_LONGEST = 2_000  # Bytes of a path; systems accept at most 4096, and 255 for a name.


def folder_size(folder: str) -> int:
    """Bytes of the files below a folder; unreadable ones count as 0."""
    size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue
    return size


def remove(folder: str) -> None:
    """Delete a folder that nobody else uses, if it exists, with all content. Raises OSError."""
    if not os.path.lexists(folder):
        return
    os.chmod(folder, stat.S_IRWXU)
    _make_shallow(folder)
    shutil.rmtree(folder)


def _make_shallow(folder: str) -> None:
    """Make every folder below one readable, and move up folders that are too deep for a path."""
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
