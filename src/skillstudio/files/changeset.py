"""Take snapshots of a folder and compare them.

Content decides, not times: a file with the same stamp is not read again, any other is compared by
digest, so rewriting the same bytes is not a change.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from typing import NamedTuple

from skillstudio.files.tree import Kind, kind_of_mode

_CHUNK = 1 << 20
HOLE = bytes(_CHUNK)  # A block of zeros in a sparse region of a file.
_UNREAD = "unread"

Stamp = tuple[int, int, int, int]  # Inode, size, and times of content and status in nanoseconds.


class FileState(NamedTuple):
    """One entry of a snapshot."""

    kind: Kind
    mode: int  # The permission bits; 0 for a link.
    size: int = 0
    digest: str = ""  # SHA-256 of a file's bytes in hexadecimal; "" if unreadable.
    target: str = ""  # The target of a link as written.
    stamp: Stamp | None = None  # If this is unchanged, so are the bytes. Not compared.

    def same(self, other: FileState) -> bool:
        """Whether everything visible to a user is equal."""
        return self[:5] == other[:5]


Snapshot = Mapping[str, FileState]  # Entries by relative path with `/`, without the folder itself.


class EntryChange(NamedTuple):
    """A changed entry; None on the side where it does not exist."""

    path: str
    before: FileState | None
    after: FileState | None


class ChangeSet(NamedTuple):
    """Changes, sorted by path."""

    added: tuple[EntryChange, ...] = ()
    modified: tuple[EntryChange, ...] = ()
    removed: tuple[EntryChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.modified or self.removed)


class SnapshotLimit:
    """A deadline for a snapshot, and what was not read by then."""

    def __init__(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self.is_stopped = is_stopped
        self.unread: list[str] = []  # Paths of files whose bytes were not compared.
        self.unlisted_folders: list[str] = []
        """Folders that were not listed: too late, or too deeply nested. "" is the root."""


def snapshot(
    folder: str,
    before: Snapshot | None = None,
    ours: bool = False,
    limit: SnapshotLimit | None = None,
) -> Snapshot:
    """Take a snapshot of a folder; links are not followed, files as in `before` not read again.

    Unreadable entries have no content. `ours` makes folders readable, `limit` can cut it off; small
    files are read first. Raises OSError if the folder itself cannot be listed.
    """
    known_states = before or {}
    limit = limit or SnapshotLimit()
    states: dict[str, FileState] = {}
    unread: list[tuple[int, str, str]] = []
    for path, entry in _walk(folder, ours, limit):
        try:
            states[path] = state = _unread_state(entry.path, known_states.get(path))
        except FileNotFoundError:
            continue  # It was removed after the folder was listed.
        except OSError:
            # For example, a path that is too long for the system.
            states[path] = FileState("other", 0)
            continue
        if state.digest == _UNREAD:
            unread.append((state.size, path, entry.path))
    for _, path, file in sorted(unread):
        digest = None if limit.is_stopped() else _digest(file, limit.is_stopped)
        if digest is None:
            limit.unread.append(path)
        states[path] = states[path]._replace(digest=digest or "")
    return states


def state_of(path: str, known_state: FileState | None = None) -> FileState:
    """The entry at a path; the digest is that of `known_state` if the stamp is equal. Raises
    OSError."""
    state = _unread_state(path, known_state)
    return state._replace(digest=_digest(path) or "") if state.digest == _UNREAD else state


def _unread_state(path: str, known_state: FileState | None) -> FileState:
    """`state_of` with `_UNREAD` as the digest of a file that must be read."""
    about = os.lstat(path)
    kind = kind_of_mode(about.st_mode)
    stamp = stamp_of(about)
    if kind == "link":
        return FileState(kind, 0, target=os.readlink(path), stamp=stamp)
    mode = stat.S_IMODE(about.st_mode)
    if kind != "file":
        return FileState(kind, mode, stamp=stamp)
    is_same = known_state and known_state.kind == "file" and known_state.stamp == stamp
    digest = known_state.digest if known_state and is_same else _UNREAD
    return FileState(kind, mode, about.st_size, digest, stamp=stamp)


def compare(before: Snapshot, after: Snapshot) -> ChangeSet:
    """Added, removed and changed entries; of the folders only empty ones."""
    added_entries = [EntryChange(path, None, state) for path, state in _missing(after, before)]
    removed_entries = [EntryChange(path, state, None) for path, state in _missing(before, after)]
    modified_entries = [
        EntryChange(path, state, after[path])
        for path, state in before.items()
        if path in after and not state.same(after[path])
    ]
    return ChangeSet(
        *(tuple(sorted(paths)) for paths in (added_entries, modified_entries, removed_entries))
    )


def stamp_of(about: os.stat_result) -> Stamp:
    """A stamp that changes with the bytes, as far as the file system reports it."""
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _missing(states: Snapshot, other: Snapshot) -> Iterator[tuple[str, FileState]]:
    """The entries that are only in one snapshot, without folders that have entries."""
    parents = {path.rpartition("/")[0] for path in states}
    for path, state in states.items():
        if path not in other and not (state.kind == "folder" and path in parents):
            yield path, state


def _walk(folder: str, ours: bool, limit: SnapshotLimit) -> Iterator[tuple[str, os.DirEntry[str]]]:
    pending_folders = [(folder, "")]
    while pending_folders:
        if limit.is_stopped():
            limit.unlisted_folders += [above.rstrip("/") for _, above in pending_folders]
            return
        where, above = pending_folders.pop()
        try:
            if ours and not os.access(where, os.R_OK | os.X_OK):
                os.chmod(where, stat.S_IRWXU)
            with os.scandir(where) as scan:
                entries = list(scan)
        except OSError:
            if not above:
                raise
            limit.unlisted_folders.append(above.rstrip("/"))
            continue
        for entry in entries:
            path = above + entry.name
            yield path, entry
            if entry.is_dir(follow_symlinks=False):
                pending_folders.append((entry.path, path + "/"))


def _digest(path: str, is_stopped: Callable[[], bool] = lambda: False) -> str | None:
    """The digest of a file; "" if unreadable, None after the deadline."""
    import hashlib

    digest = hashlib.sha256()
    try:
        # A program may have put a FIFO there since the file was listed.
        with open(os.open(path, os.O_RDONLY | _NO_WAIT), "rb", 0) as file:
            for piece in pieces(file):
                digest.update(piece)
                if is_stopped():
                    return None
    except OSError:
        return ""
    return digest.hexdigest()


def pieces(file: FileIO) -> Iterator[bytes]:
    """The bytes of a file in pieces of 1 MiB; `HOLE` for sparse regions, which are not read."""
    fd = file.fileno()
    about = os.fstat(fd)
    size = about.st_size
    seek_data = getattr(os, "SEEK_DATA", None)
    if seek_data is None or about.st_blocks * 512 >= size:
        while piece := file.read(_CHUNK):
            yield piece
        return
    at = 0
    while at < size:
        try:
            data = os.lseek(fd, at, seek_data)
        except OSError:  # No more data, or no support for sparse files.
            data = size if os.fstat(fd).st_size <= size else at
        while at < data:
            hole = min(_CHUNK, data - at)
            at += hole
            yield HOLE if hole == _CHUNK else HOLE[:hole]
        os.lseek(fd, at, os.SEEK_SET)
        if not (piece := file.read(_CHUNK)):
            return
        at += len(piece)
        yield piece
    while piece := file.read(_CHUNK):
        yield piece


_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
