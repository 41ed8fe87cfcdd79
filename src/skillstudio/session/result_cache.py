"""Keep the results of checked skills in the user's cache, and use those that are still right.

A file belongs to one program and one kind of check. A line has the key of a skill, a checksum and
the result as JSON. The key is made of the skill's path and settings and of the names, sizes and
times of its files, so a line whose skill changed is not found. A file or line that cannot be read
is ignored.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from skillstudio import __version__
from skillstudio.files.temporary import FILE, temporary_name
from skillstudio.manifest.registry import dialects

if TYPE_CHECKING:
    from skillstudio.skill.workspace import SkillPath

_FORMAT = 6
_KEY = 32  # Characters of a key.
_MOST_ENTRIES = 2_000  # A skill with more files and folders is checked every time.
_MOST_BYTES = 64 * 1024 * 1024
_MOST_FILES = 32
_SETTLING_TIME = 50_000_000
"""Nanoseconds after which a change of a file surely changes its time."""
_SETTLED_COARSELY = 2_100_000_000  # The same where times are whole seconds.
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class _CachedLines(NamedTuple):
    lines: dict[bytes, bytes]
    """The checksum and the value of each key."""
    complete: bool = True  # Whether the last line has its end.


class ResultCache:
    """The results of one kind of check; `kind` is what they depend on besides the skills."""

    def __init__(self, kind: Sequence[Any]) -> None:
        self._path = ""
        self._file = _CachedLines({})
        self._began = time.time_ns()
        self._keys: dict[str, bytes] = {}
        """The key of each skill that `get` did not find and may be added, by its path on disk."""
        self._used: set[bytes] = set()
        self._new_lines: dict[bytes, bytes] = {}
        program = [_FORMAT, __version__, sys.version, *_program(), *kind]
        self._header = b"skillstudio results " + _digest(program) + b"\n"
        with suppress(OSError):
            self._path = os.path.join(_folder(), _digest([program, os.getcwd()]).decode())
            self._file = _read(self._path, self._header)

    def get(self, skill: SkillPath, is_right: Callable[[Any], bool] = lambda _: True) -> Any:
        """The value that was added for a skill that has not changed since; None for none.

        `is_right` checks what a value depends on besides the skill.
        """
        key, newest = _key(skill)
        if not key:
            return None
        line = self._file.lines.get(key)
        if line is not None:
            value = line[9:]
            if line[:9] == b"%08x " % crc32(value):
                with suppress(ValueError):
                    cached_value = json.loads(value)
                    if is_right(cached_value):
                        self._used.add(key)
                        return cached_value
        settling_time = _SETTLING_TIME if newest % 1_000_000_000 else _SETTLED_COARSELY
        if newest < self._began - settling_time:
            self._keys[skill.disk] = key
        return None

    def add(self, skill: SkillPath, value: Any) -> None:
        """Keep the result of a skill that `get` did not find."""
        key = self._keys.get(skill.disk)
        if key is None:
            return
        with suppress(ValueError):  # YAML has numbers that JSON does not have.
            data = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
            self._new_lines[key] = b"%08x %s" % (crc32(data), data)

    def save(self) -> None:
        """Write what was added. A cache that cannot be written is no problem of a check."""
        if not self._new_lines or not self._path:
            return
        stale = len(self._file.lines) - len(self._used)
        with suppress(OSError):
            if self._file.lines and stale <= max(len(self._used), 100):
                _append(self._path, _lines(self._new_lines), self._file.complete)
            else:
                used_lines = {key: self._file.lines[key] for key in self._used}
                _replace(self._path, self._header + _lines({**used_lines, **self._new_lines}))


def is_right_outside(value: Any) -> bool:
    """Whether what a value depends on outside of the skill, its last part, is as it was."""
    if not value[-1]:
        return True
    from skillstudio.files.around import is_unchanged

    return is_unchanged({(folder, path): answer for folder, path, answer in value[-1]})


def _lines(values: dict[bytes, bytes]) -> bytes:
    return b"".join(b"%s %s\n" % pair for pair in values.items())


def _digest(value: Any) -> bytes:
    return (
        blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest().encode()
    )


def _program() -> Iterator[tuple[str, int, int]]:
    """The files of the program and of installed dialects: a changed rule may change any result."""
    for folder in dict.fromkeys((_PACKAGE, *(dialect.path for dialect in dialects()))):
        if folder == _PACKAGE or not folder.startswith(_PACKAGE):
            for path, state in _walk(folder, ("__pycache__",)):
                if not stat.S_ISDIR(state.st_mode):
                    yield path, state.st_size, state.st_mtime_ns


def _walk(folder: str, skipped_names: Sequence[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The entries at all depths with their state; links are not followed. Raises OSError."""
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield entry.path, state
                if stat.S_ISDIR(state.st_mode) and entry.name not in skipped_names:
                    folders.append(entry.path)


def _key(skill: SkillPath) -> tuple[bytes, int]:
    """The key of a skill, and the last time that something in it changed; no key if it is large.

    The time of a file's last change of any kind is compared, too, which no program can set.
    """
    entries: list[tuple[Any, ...]] = []
    newest = 0
    try:
        for path, state in _walk(skill.disk, (".git",)):
            change_time = state.st_ctime_ns
            # Where a link leads may depend on links outside of the skill.
            leads = os.path.realpath(path) if stat.S_ISLNK(state.st_mode) else ""
            about = state.st_mode, state.st_size, state.st_mtime_ns, change_time, state.st_ino
            entries.append((path, leads, *about))
            newest = max(newest, change_time, state.st_mtime_ns)
            if len(entries) > _MOST_ENTRIES:
                return b"", 0
    except OSError:
        return b"", 0
    entries.sort()
    return _digest((skill.label, skill.disk, skill.settings, entries)), newest


def _folder() -> str:
    from skillstudio.files.state import cache_folder

    return os.path.join(cache_folder(), "results")


def _is_own(state: os.stat_result) -> bool:
    """Whether only this user can have written a file or folder."""
    if os.name == "nt":
        return True
    return state.st_uid == os.geteuid() and not state.st_mode & 0o022


def _open(path: str, flags: int) -> int:
    """Open a regular file of the user's own. Raises OSError for another one."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    state = os.fstat(handle)
    parent = os.stat(os.path.dirname(path))
    if not stat.S_ISREG(state.st_mode) or not _is_own(state) or not _is_own(parent):
        os.close(handle)
        raise PermissionError(path)
    return handle


def _read(path: str, header: bytes) -> _CachedLines:
    """The lines of a file; none if it has another header or is too large. Raises OSError."""
    with open(_open(path, os.O_RDONLY), "rb") as file:
        if os.fstat(file.fileno()).st_size > _MOST_BYTES or file.readline() != header:
            return _CachedLines({})
        data = file.read()
    lines = {line[:_KEY]: line[_KEY + 1 :] for line in data.split(b"\n") if line}
    return _CachedLines(lines, not data or data.endswith(b"\n"))


def _append(path: str, data: bytes, complete: bool) -> None:
    with open(_open(path, os.O_WRONLY | os.O_APPEND), "wb", 0) as file:
        file.write(data if complete else b"\n" + data)


def _replace(path: str, data: bytes) -> None:
    from skillstudio.files.state import make_private

    folder = os.path.dirname(path)
    make_private(folder)
    files = [entry for entry in os.scandir(folder) if entry.path != path]
    files.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
    for old in files[: max(len(files) - _MOST_FILES + 1, 0)]:
        with suppress(OSError):
            os.unlink(old.path)
    temporary_path = os.path.join(folder, temporary_name(FILE))
    try:
        handle = os.open(temporary_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb", 0) as file:
            file.write(data)
        os.replace(temporary_path, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary_path)
        raise
