"""Store unsaved texts outside their files, so that they survive a crash.

Each process has a draft file of its own for each text, and a lock file that it keeps locked: a
draft is abandoned when nobody has the lock, because the system releases it when its process ends.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from skillstudio.files.durability import open_handle
from skillstudio.files.saving.leftovers import is_ours
from skillstudio.files.saving.locks import take
from skillstudio.files.saving.writer import write_file
from skillstudio.files.state import make_private

_PRIVATE_MODE = 0o600
_DRAFT, _LOCK = ".json", ".lock"
_KEY = 32  # Characters of the hash of a path, with which the name of its draft begins.


class BufferDraft(NamedTuple):
    """The unsaved text of one file."""

    path: str
    text: str
    base: str | None  # The file's text before editing; None if there was no file.
    when: float  # Seconds since the epoch.


class Drafts:
    """The drafts in one folder: those of this process, and the abandoned ones of others.

    Drafts of other living processes are neither read nor deleted.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._owner = f"{os.getpid()}-{os.urandom(6).hex()}"
        self._handle: int | None = None  # The lock file, while this process has its lock.

    def keep(self, draft: BufferDraft) -> None:
        """Write a draft, replacing an earlier own one of the same file. Raises OSError."""
        self._lock()
        data = json.dumps(draft._asdict(), ensure_ascii=True).encode("ascii")
        write_file(self._file(draft.path), data, _PRIVATE_MODE)

    def drop(self, path: str) -> None:
        """Delete the own draft of a file, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(self._file(path))

    def discard(self, draft: BufferDraft) -> None:
        """Delete an abandoned draft."""
        for name in self._find_abandoned_names():
            path = os.path.join(self.folder, name)
            if _read(path) == draft:
                with suppress(FileNotFoundError):
                    os.unlink(path)

    def all(self) -> list[BufferDraft]:
        """Every own or abandoned draft, the newest first; invalid files are skipped."""
        return self._read_newest_first([*self._of(self._owner), *self._find_abandoned_names()])

    def find_abandoned(self) -> list[BufferDraft]:
        """The drafts of processes that ended, the newest first."""
        return self._read_newest_first(self._find_abandoned_names())

    def close(self) -> None:
        """Leave the drafts that there are to the next process."""
        if self._handle is not None:
            if not self._of(self._owner):
                with suppress(OSError):
                    os.unlink(self._lock_file(self._owner))
            os.close(self._handle)
            self._handle = None

    def _lock(self) -> None:
        """Take the own lock, before the first draft. Raises OSError."""
        if self._handle is None:
            make_private(self.folder)
            for name in self._names(_LOCK):
                owner = name.removesuffix(_LOCK)
                if not self._of(owner) and not self._is_alive(owner):
                    with suppress(OSError):
                        os.unlink(os.path.join(self.folder, name))
        path = self._lock_file(self._owner)
        while self._handle is None:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, _PRIVATE_MODE)
            try:
                take(handle)
            except (BlockingIOError, PermissionError):
                os.close(handle)  # Another process just tries whether this one is alive.
                continue
            except OSError:
                pass  # The file system has no locks.
            if is_ours(path, handle):
                self._handle = handle
            else:
                os.close(handle)

    def _is_alive(self, owner: str) -> bool:
        """Whether a process still has its lock."""
        if owner == self._owner:
            return True
        try:
            with open_handle(self._lock_file(owner), os.O_RDWR) as handle:
                take(handle)
        except FileNotFoundError:
            return False
        except (BlockingIOError, PermissionError):
            return True
        except OSError:
            return _is_running(owner.partition("-")[0])  # The file system has no locks.
        return False

    def _find_abandoned_names(self) -> list[str]:
        names = self._names(_DRAFT)
        owners = {owner for name in names if (owner := _owner_of(name)) and self._is_alive(owner)}
        return [name for name in names if _owner_of(name) not in owners]

    def _of(self, owner: str) -> list[str]:
        return [name for name in self._names(_DRAFT) if _owner_of(name) == owner]

    def _names(self, suffix: str) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.folder) if name.endswith(suffix))
        except FileNotFoundError:
            return []

    def _read_newest_first(self, names: list[str]) -> list[BufferDraft]:
        drafts = [_read(os.path.join(self.folder, name)) for name in names]
        return sorted(filter(None, drafts), key=lambda draft: -draft.when)

    def _file(self, path: str) -> str:
        key = sha256(os.path.abspath(path).encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self.folder, f"{key[:_KEY]}-{self._owner}{_DRAFT}")

    def _lock_file(self, owner: str) -> str:
        return os.path.join(self.folder, f"{owner}{_LOCK}")


def _owner_of(name: str) -> str:
    """The process of a draft; "" for those of earlier versions, which all processes shared."""
    return name[_KEY + 1 : -len(_DRAFT)]


def _is_running(process: str) -> bool:
    if sys.platform == "win32" or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _read(path: str) -> BufferDraft | None:
    try:
        with open(path, encoding="ascii") as file:
            values = json.load(file)
        draft = BufferDraft(**values)
    except (OSError, ValueError, TypeError):
        return None
    right = isinstance(draft.path, str) and isinstance(draft.text, str)
    right = right and isinstance(draft.base, str | None) and isinstance(draft.when, int | float)
    return draft if right else None
