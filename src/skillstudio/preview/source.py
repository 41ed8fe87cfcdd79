"""Sources of bytes for views: a file on disk, or memory. Read in pieces."""

from __future__ import annotations

import os
import stat
from typing import Literal, NamedTuple, Protocol

What = Literal["link", "folder", "pipe", "socket", "device", "missing", "unreadable"]
_WORDS: dict[What, str] = {
    "link": "a link",
    "folder": "a folder",
    "pipe": "a pipe (FIFO)",
    "socket": "a socket",
    "device": "a device",
    "missing": "nothing: the file does not exist",
    "unreadable": "a file that cannot be read",
}
_CHANGED_STATE = "the file changed while it was shown; open it again"
_REMOVED_STATE = "the file was removed after it was opened; the rest cannot be shown"
_REPLACED_STATE = "the file was replaced after it was opened"
_NO_BLOCK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | _NO_BLOCK


class ByteSource(Protocol):
    """Bytes with random access."""

    name: str  # The file's name or path; its suffix hints at the kind.
    size: int  # The size in bytes when it was opened.
    mode: int | None  # The permission bits, if any.

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes; fewer at the end, none if unreadable."""

    @property
    def state(self) -> str:
        """A message if it changed since it was opened, else ""."""


class Special(NamedTuple):
    """An entry that cannot be read as a file; never followed or opened."""

    name: str
    what: What
    target: str = ""  # The target of a link, or why a file cannot be read.

    @property
    def description(self) -> str:
        """What it is, in words."""
        words = _WORDS[self.what]
        if self.what == "link":
            return f"{words} to {self.target}"
        return f"{words} ({self.target})" if self.target else words


class MemorySource:
    """Bytes in memory."""

    def __init__(self, name: str, data: bytes, mode: int | None = None) -> None:
        self.name = name
        self.size = len(data)
        self.mode = mode
        self.state = ""
        self._data = data

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class DiskSource:
    """A regular file, opened for each read so that no handle stays open."""

    def __init__(self, name: str, path: str, status: os.stat_result) -> None:
        self.name = name
        self.path = path
        self.size = status.st_size
        self.mode: int | None = stat.S_IMODE(status.st_mode)
        self._stamp = _stamp(status)
        self._state = ""

    def read(self, offset: int, length: int) -> bytes:
        # Ignore bytes added later; a file of size 0 can be endless.
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        try:
            handle = os.open(self.path, _FLAGS)
        except OSError as error:
            self._state = (
                _REMOVED_STATE if isinstance(error, FileNotFoundError) else _REPLACED_STATE
            )
            return b""
        with open(handle, "rb", 0) as file:
            if not self._compare(os.fstat(handle)):
                return b""
            file.seek(offset)
            return file.read(length) or b""

    @property
    def state(self) -> str:
        try:
            self._compare(os.lstat(self.path))
        except OSError:
            self._state = _REMOVED_STATE
        return self._state

    def _compare(self, now: os.stat_result) -> bool:
        """Update the state; return whether it is still a regular file."""
        is_file = stat.S_ISREG(now.st_mode)
        if not is_file:
            self._state = _REPLACED_STATE
        elif not self._state and _stamp(now) != self._stamp:
            self._state = _CHANGED_STATE
        return is_file


def read_lines(source: ByteSource, size: int) -> tuple[str, bool]:
    """The first whole lines in `size` bytes of a text, and whether that is all of it."""
    data = source.read(0, size)
    is_all = source.size <= size
    end = -1 if is_all else data.rfind(b"\n")
    return (data if end < 0 else data[: end + 1]).decode("utf-8", "replace"), is_all


def open_source(path: str, name: str = "") -> ByteSource | Special:
    """Open a file, shown as `name`, without following a final link and without blocking."""
    display_name = name or path
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return Special(display_name, "missing")
    except OSError as error:
        return Special(display_name, "unreadable", error.strerror or str(error))
    if stat.S_ISLNK(status.st_mode):
        return Special(display_name, "link", _target(path))
    if stat.S_ISREG(status.st_mode):
        try:
            handle = os.open(path, _FLAGS)
        except OSError as error:
            return Special(display_name, "unreadable", error.strerror or str(error))
        try:
            status = os.fstat(handle)
        finally:
            os.close(handle)
    if not stat.S_ISREG(status.st_mode):
        return Special(display_name, _SPECIAL.get(stat.S_IFMT(status.st_mode), "device"))
    return DiskSource(display_name, os.path.abspath(path), status)


_SPECIAL: dict[int, What] = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError as error:
        return f"a place that cannot be read: {error.strerror or error}"


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
