"""Measure and delete folders."""

from __future__ import annotations

import itertools
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping

from skillstudio.files.paths import make_relative

_DEEPEST = 64  # The nesting depth that is deleted recursively.
_LONGEST = 2_000  # Bytes of a path; systems accept at most 4096, and 255 for a name.
_MOST_FILES = 20_000  # Files of a folder that are looked at for changes.

FileStates = Mapping[str, tuple[int, int, int]]
"""The time, size and mode of each file of a folder, by its path in it."""


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


def file_states(folder: str, left_out: Collection[str] = ()) -> FileStates:
    """The state of the files below a folder, without folders that have a name in `left_out`."""
    files = itertools.islice(_files(folder, left_out), _MOST_FILES)
    return {
        make_relative(path, folder): (state.st_mtime_ns, state.st_size, state.st_mode)
        for path, state in files
    }


def _files(folder: str, left_out: Collection[str]) -> Iterator[tuple[str, os.stat_result]]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in left_out)
        for name in sorted(names):
            path = os.path.join(above, name)
            try:
                yield path, os.lstat(path)
            except OSError:
                continue


def remove(folder: str) -> None:
    """Delete a folder that nobody else uses, if it exists, with all content. Raises OSError."""
    if not os.path.lexists(folder):
        return
    os.chmod(folder, stat.S_IRWXU)
    _make_shallow(folder)
    shutil.rmtree(folder)


def _make_shallow(folder: str) -> None:
    """Make every folder below one readable, and move up folders that are too deep for a path."""
    pending_folders = [(folder, 0)]
    while pending_folders:
        where, depth = pending_folders.pop()
        with os.scandir(where) as entries:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in folders:
            os.chmod(path, stat.S_IRWXU)
            inside = depth + 1
            if inside > _DEEPEST or len(os.fsencode(path)) > _LONGEST:
                target = os.path.join(folder, f"moved-{os.urandom(8).hex()}")
                os.rename(path, target)
                path, inside = target, 1
            pending_folders.append((path, inside))
