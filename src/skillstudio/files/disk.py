"""A folder on disk as a tree, read on demand."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from errno import EISDIR
from typing import BinaryIO, NamedTuple

from skillstudio.files.paths import below
from skillstudio.files.temporary import has_temporary, is_temporary
from skillstudio.files.tree import FileEntry, Kind, kind_of_mode

_MOST_KEPT = 16 * 1024 * 1024  # Bytes of files that a tree keeps.
AskedOutside = dict[tuple[str, str], "str | None"]
"""What was asked of paths outside of a tree: a folder and a path below it, and `judge_path`'s
problem."""
_SETTLING_TIME = 100_000_000  # Nanoseconds without a change after which a file is kept.


class DiskTree:
    """The folder at `root`, a path in the file system."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.path.abspath(root)
        self.name = os.path.basename(self.root)
        self._below = os.path.join(self.root, "")
        self._real = ""

    def path(self, path: str) -> str:
        """The path on disk of a path of the tree."""
        return self._below + path.replace("/", os.sep) if path else self.root

    def kind(self, path: str) -> Kind | None:
        if has_temporary(path):
            return None
        try:
            status = os.lstat(self.path(path)) if path else os.stat(self.root)
        except (OSError, ValueError):
            return None
        return kind_of_mode(status.st_mode)

    def list(self, path: str = "") -> list[FileEntry]:
        with os.scandir(self.path(path)) as entries:
            return sorted(
                FileEntry(entry.name, _kind_of(entry), _size_of(entry))
                for entry in entries
                if not is_temporary(entry.name)
            )

    def read(self, path: str, limit: int | None = None) -> bytes:
        with self._open(path, is_buffered=False) as file:
            if limit is None:
                return file.read()
            # Room for the limit would take longer than to read most files.
            size = os.fstat(file.fileno()).st_size
            data = file.read(min(limit, size + 1))
            return data if len(data) <= size else data + file.read(limit - len(data))

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        with self._open(path, is_buffered=False) as file:
            while piece := file.read(size):
                yield piece

    def _open(self, path: str, is_buffered: bool = True) -> BinaryIO:
        # Without O_NONBLOCK, opening a FIFO that replaced the file would hang.
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(self.path(path), flags)
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            os.close(handle)
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
            raise OSError(f"not a regular file: {path}")
        return open(handle, "rb", -1 if is_buffered else 0)

    def size(self, path: str) -> int:
        return os.stat(self.path(path)).st_size

    def mode(self, path: str) -> int:
        return stat.S_IMODE(os.stat(self.path(path)).st_mode)

    def target(self, path: str) -> str:
        return os.readlink(self.path(path))

    def resolve(self, path: str) -> str | None:
        if not self._real:
            self._real = os.path.realpath(self.root)
        try:
            real = os.path.realpath(self.path(path), strict=True)
        except (OSError, ValueError):
            return None
        inside = below(real, self._real)
        return None if inside is None else inside.replace(os.sep, "/")


class DiskSnapshot(DiskTree):
    """A folder on disk for one check, which asks several times what a folder contains.

    Each folder is listed once. Do not change the lists.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root)
        self._listings: dict[str, list[FileEntry]] = {}
        self.outside: AskedOutside = {}
        """What the result of the check depends on besides the folder."""

    def list(self, path: str = "") -> list[FileEntry]:
        entries = self._listings.get(path)
        if entries is None:
            entries = self._listings[path] = super().list(path)
        return entries


class WatchedTree(DiskTree):
    """A folder on disk that is read again and again: a file only after it changed.

    A file is the same if its identity, size and both of its times are. One that changed a moment
    ago is always read, because it may change again within the precision of these times.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root)
        self._read: dict[str, tuple[_Stamp, bytes]] = {}
        self._size = 0

    def read(self, path: str, limit: int | None = None) -> bytes:
        stamp = self._stamp(path)
        before, data = self._read.get(path, (None, b""))
        if stamp is not None and stamp == before:
            return data[:limit]
        self._forget(path)
        data = super().read(path, limit)
        if stamp is not None and len(data) == stamp.size and stamp.is_settled:
            self._keep(path, stamp, data)
        return data

    def _stamp(self, path: str) -> _Stamp | None:
        try:
            now = os.stat(self.path(path))
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(now.st_mode):
            return None
        return _Stamp(now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)

    def _keep(self, path: str, stamp: _Stamp, data: bytes) -> None:
        if self._size + len(data) <= _MOST_KEPT:
            self._size += len(data)
            self._read[path] = stamp, data

    def _forget(self, path: str) -> None:
        if (before := self._read.pop(path, None)) is not None:
            self._size -= len(before[1])


class _Stamp(NamedTuple):
    """What differs after a file was changed or replaced; times in nanoseconds."""

    device: int
    number: int
    size: int
    modified_at: int
    changed_at: int

    @property
    def is_settled(self) -> bool:
        """Whether the last change is so long ago that another one would have another time."""
        return time.time_ns() - max(self.modified_at, self.changed_at) > _SETTLING_TIME


def _kind_of(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "folder" if entry.is_dir(follow_symlinks=False) else "other"


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
