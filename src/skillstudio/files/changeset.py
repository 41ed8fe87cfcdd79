"""What lies in a folder, and what changed in it from one moment to another.

Bytes tell, not times: a file whose stamp is the same as before is not read again, any other is
compared by its digest, so that a rewrite of the same bytes is no change.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from skillstudio.files.tree import Kind

_CHUNK = 1 << 20
_KINDS: tuple[tuple[int, Kind], ...] = (
    (stat.S_IFREG, "file"),
    (stat.S_IFDIR, "folder"),
    (stat.S_IFLNK, "link"),
)

Stamp = tuple[int, int, int, int]
"""Inode, size, and times of content and status in nanoseconds."""


class FileState(NamedTuple):
    """One entry of a folder at one moment."""

    kind: Kind
    mode: int
    """The permission bits; 0 of a link, which has none of its own."""
    size: int = 0
    digest: str = ""
    """SHA-256 of a file's bytes in hexadecimal; "" of what cannot be read."""
    target: str = ""
    """Where a link points, as it is written."""
    stamp: Stamp | None = None
    """Where this is as before, the bytes are. It is no part of what is compared."""

    def same(self, other: FileState) -> bool:
        """Whether nothing that a user can see differs."""
        return self[:5] == other[:5]


Snapshot = Mapping[str, FileState]
"""Path relative to the folder, with `/`, to what lies there; the folder itself is not in it."""


class Changed(NamedTuple):
    """An entry that is not as it was; on one side there may be none."""

    path: str
    before: FileState | None
    after: FileState | None


class ChangeSet(NamedTuple):
    """What changed, each by path in order."""

    added: tuple[Changed, ...] = ()
    modified: tuple[Changed, ...] = ()
    removed: tuple[Changed, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.modified or self.removed)


def snapshot(folder: str, before: Snapshot | None = None, ours: bool = False) -> Snapshot:
    """What lies in a folder now, no link followed. Files as they were `before` are not read.

    What cannot be listed or read is there without its content; where all of it is `ours`, folders
    whose mode keeps us out are opened. Raises OSError where the folder itself cannot be listed.
    """
    known = before or {}
    found: dict[str, FileState] = {}
    for path, entry in _walk(folder, ours):
        try:
            found[path] = state_of(entry.path, known.get(path))
        except FileNotFoundError:
            continue  # It went between the look at the folder and this one.
        except OSError:
            # Such as a path that is longer than the system takes.
            found[path] = FileState("other", 0)
    return found


def state_of(path: str, known: FileState | None = None) -> FileState:
    """What lies at a path; the digest is that of `known` where the stamp is the same.

    Raises OSError where nothing lies there.
    """
    about = os.lstat(path)
    kind = kind_of_mode(about.st_mode)
    stamp = stamp_of(about)
    if kind == "link":
        return FileState(kind, 0, target=os.readlink(path), stamp=stamp)
    mode = stat.S_IMODE(about.st_mode)
    if kind != "file":
        return FileState(kind, mode, stamp=stamp)
    unread = known is not None and known.kind == "file" and known.stamp == stamp
    digest = known.digest if known is not None and unread else _digest(path)
    return FileState(kind, mode, about.st_size, digest, stamp=stamp)


def compare(before: Snapshot, after: Snapshot) -> ChangeSet:
    """What is in one and not in the other, or otherwise.

    A folder counts only where it is empty: of any other its content tells.
    """
    filled = _filled(before), _filled(after)
    added = [
        Changed(path, None, state)
        for path, state in after.items()
        if path not in before and not (state.kind == "folder" and path in filled[1])
    ]
    removed = [
        Changed(path, state, None)
        for path, state in before.items()
        if path not in after and not (state.kind == "folder" and path in filled[0])
    ]
    modified = [
        Changed(path, state, after[path])
        for path, state in before.items()
        if path in after and not state.same(after[path])
    ]
    return ChangeSet(*(tuple(sorted(each)) for each in (added, modified, removed)))


def stamp_of(about: os.stat_result) -> Stamp:
    """What changes whenever the bytes do, as far as the file system tells."""
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def kind_of_mode(mode: int) -> Kind:
    """The kind of an entry by its `st_mode`."""
    return next((kind for bits, kind in _KINDS if stat.S_IFMT(mode) == bits), "other")


def _filled(found: Iterable[str]) -> set[str]:
    return {path.rpartition("/")[0] for path in found}


def _walk(folder: str, ours: bool) -> Iterator[tuple[str, os.DirEntry[str]]]:
    waiting = [(folder, "")]
    while waiting:
        where, above = waiting.pop()
        try:
            if ours and not os.access(where, os.R_OK | os.X_OK):
                os.chmod(where, stat.S_IRWXU)
            with os.scandir(where) as listed:
                entries = list(listed)
        except OSError:
            if not above:
                raise
            continue
        for entry in entries:
            path = above + entry.name
            yield path, entry
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, path + "/"))


def _digest(path: str) -> str:
    import hashlib

    made = hashlib.sha256()
    try:
        # Between the look and the opening a program may have put a FIFO there.
        with open(os.open(path, os.O_RDONLY | _NO_WAIT), "rb") as file:
            while piece := file.read(_CHUNK):
                made.update(piece)
    except OSError:
        return ""
    return made.hexdigest()


_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
