"""The journal of an apply, without content. It is written once, before the first rename; the
progress is in its file name, which a rename changes atomically and without disk space."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, get_args

from skillstudio.dryrun.applying.changes import ApplyBusy
from skillstudio.dryrun.applying.items import ApplyItem, Content, EntryState
from skillstudio.files.durability import sync_folder
from skillstudio.files.saving.locks import take
from skillstudio.files.temporary import PREFIX

State = Literal["preparing", "committed", "applied", "undoing", "undone"]
"""Before `committed`, and from `applied` and `undone` on, only temporary files need removing."""

_VERSION = 1
_NAME = re.compile(r"([0-9a-f]{16})\.([a-z]+)")
_UNFINISHED = ".half"
_LOCK = "lock"


class ApplyJournal(NamedTuple):
    """An apply in progress."""

    folder: str
    run: str
    """A unique name, also part of its temporary files' names."""
    state: State
    items: tuple[ApplyItem, ...]

    @property
    def file(self) -> str:
        return os.path.join(self.folder, f"{self.run}.{self.state}")

    def begin(self) -> None:
        """Write the journal. Raises OSError and leaves none then."""
        half = os.path.join(self.folder, self.run + _UNFINISHED)
        data = {"version": _VERSION, "items": [item._asdict() for item in self.items]}
        try:
            # ASCII with escapes keeps names that are not UTF-8, as surrogates.
            write_synced(half, json.dumps(data, ensure_ascii=True).encode("ascii"))
            os.rename(half, self.file)
        except OSError:
            if os.path.lexists(half):
                os.unlink(half)
            raise
        sync_folder(self.folder)

    def mark(self, state: State) -> ApplyJournal:
        """Move on to a state, also on disk. Raises OSError."""
        marked = self._replace(state=state)
        os.rename(self.file, marked.file)
        sync_folder(self.folder)
        return marked

    def end(self) -> None:
        """Remove the journal. Raises OSError."""
        os.unlink(self.file)
        sync_folder(self.folder)


class JournalUnreadable(NamedTuple):
    """A journal that is damaged or from another version."""

    file: str


def make_folder(folder: str) -> None:
    """Create the folder of journals, for its user only. Raises OSError."""
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        sync_folder(os.path.dirname(folder))
    os.chmod(folder, 0o700)


def pending_journals(folder: str) -> list[str]:
    """The names of the journals in a folder, which may not exist."""
    try:
        return sorted(name for name in os.listdir(folder) if _state_of(name))
    except FileNotFoundError:
        return []


def read(folder: str, name: str) -> ApplyJournal | JournalUnreadable:
    """Read a journal. Raises OSError."""
    path = os.path.join(folder, name)
    state = _state_of(name)
    with open(path, "rb") as file:
        raw = file.read()
    try:
        value = json.loads(raw)
        if value["version"] != _VERSION or state is None:
            return JournalUnreadable(path)
        items = tuple(_item(each) for each in value["items"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return JournalUnreadable(path)
    return ApplyJournal(folder, name.partition(".")[0], state, items)


def remove_unfinished(folder: str) -> None:
    """Remove journals whose writing was interrupted before anything was done. Raises OSError."""
    for name in os.listdir(folder):
        if name.endswith(_UNFINISHED):
            os.unlink(os.path.join(folder, name))


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Hold the lock of a journal folder; it ends with the process. Raises ApplyBusy, OSError."""
    handle = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            take(handle)
        except (BlockingIOError, PermissionError):
            raise ApplyBusy(
                "another skillstudio is applying changes; wait until it is done, then apply again"
            ) from None
        yield
    finally:
        os.close(handle)


def write_synced(path: str, data: bytes) -> None:
    """Create a file for its user only and sync it to disk. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _state_of(name: str) -> State | None:
    match = _NAME.fullmatch(name)
    return next((each for each in get_args(State) if match and each == match[2]), None)


def _item(value: Any) -> ApplyItem:
    paths = tuple(_absolute(path) for path in value["paths"])
    target = _absolute(value["target"])
    before, after = _content(value["before"]), _content(value["after"])
    new, old = (_aside(value[name], target) for name in ("new", "old"))
    if not (new or old) and not (before and after):
        raise ValueError(value)
    if (new and not after) or (old and not before):
        raise ValueError(value)
    return ApplyItem(target, new, old, before, after, paths)


def _absolute(value: Any) -> str:
    if not isinstance(value, str) or not os.path.isabs(value):
        raise ValueError(value)
    return value


def _aside(value: Any, target: str) -> str:
    """A temporary name beside a target, or "": such an entry is removed without asking."""
    if value == "":
        return ""
    folder, name = os.path.split(_absolute(value))
    if folder != os.path.dirname(target) or not name.startswith(PREFIX):
        raise ValueError(value)
    return os.path.join(folder, name)


def _content(value: Any) -> Content:
    found = {
        path: EntryState(kind, int(mode), digest) for path, (kind, mode, digest) in value.items()
    }
    if found and "" not in found:
        raise ValueError(value)
    return found
