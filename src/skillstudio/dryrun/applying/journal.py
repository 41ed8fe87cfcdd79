"""The items of an apply, each one name in one folder that is replaced in one step, and its journal,
without content. It is written once, before the first rename; the progress is in its file name,
which a rename changes atomically and without disk space."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, get_args

from skillstudio.dryrun.applying.changes import ApplyBusy, ApplyChange
from skillstudio.files.changeset import FileState, snapshot, state_of
from skillstudio.files.durability import open_handle, sync_folder, write_all
from skillstudio.files.saving.locks import take
from skillstudio.files.temporary import PREFIX
from skillstudio.files.tree import Kind

ANY_MODE = -1


class EntryState(NamedTuple):
    """The state of an entry as a journal records it."""

    kind: Kind
    mode: int  # Permission bits, or ANY_MODE.
    digest: str = ""  # SHA-256 of a file's content or a link's target.


Content = Mapping[str, EntryState]
"""The entries at and below a path, by relative path, "" for the path itself; empty when missing."""


class ApplyItem(NamedTuple):
    """One name that is replaced, created or removed, or a folder whose mode changes."""

    target: str
    new: str  # The temporary path of the new entry, in the same folder; "" for none.
    old: str  # The temporary path for the old entry; "" for none.
    before: Content
    after: Content
    paths: tuple[str, ...]

    @property
    def is_mode_only(self) -> bool:
        """Whether only the mode of a folder changes."""
        return not self.new and not self.old


def group(changes: Sequence[ApplyChange], run: str) -> list[ApplyItem]:
    """Group checked changes into items, mode-only ones last; `run` makes temporary names unique."""
    by_target = {each.target: each for each in changes}
    groups: dict[str, list[ApplyChange]] = {}
    for target in sorted(by_target):
        groups.setdefault(_top(by_target[target], by_target), []).append(by_target[target])
    made = [
        _make_item(target, found, f"{PREFIX}{run}-{number}")
        for number, (target, found) in enumerate(groups.items())
    ]
    return sorted(made, key=lambda each: each.is_mode_only)


def matches(path: str, content: Content) -> bool:
    """Whether exactly this content is at a path. Raises OSError when it cannot be read."""
    try:
        found = {"": state_of(path)}
    except (FileNotFoundError, NotADirectoryError):
        return not content
    if found[""].kind == "folder":
        found.update(snapshot(path))
    for inside, state in found.items():
        if state.kind == "file" and not state.digest:
            raise PermissionError(errno.EACCES, "cannot be read", os.path.join(path, inside))
    return found.keys() == content.keys() and all(
        _is(state, content[inside]) for inside, state in found.items()
    )


def entry_state(state: FileState) -> EntryState:
    """A state for the journal: only a digest of a link's target, which may be private."""
    if state.kind == "link":
        raw = os.fsencode(state.target)
        return EntryState("link", 0, hashlib.sha256(raw).hexdigest())
    return EntryState(state.kind, state.mode, state.digest)


def _is(state: FileState, wanted: EntryState) -> bool:
    found = entry_state(state)
    return (
        found.kind == wanted.kind
        and found.digest == wanted.digest
        and wanted.mode in (ANY_MODE, found.mode)
    )


def _top(change: ApplyChange, by_target: Mapping[str, ApplyChange]) -> str:
    """The path whose rename makes a change: its own, or a parent that is created or removed."""
    for step in change.parents:
        other = by_target.get(step)
        if (other is not None and other.is_moved) or not os.path.lexists(step):
            return step
    return change.target


def _make_item(target: str, changes: Sequence[ApplyChange], name: str) -> ApplyItem:
    wanted = {each.target[len(target) + 1 :].replace(os.sep, "/"): each for each in changes}
    before = _content_of(wanted, lambda each: each.before)
    after = _content_of(wanted, lambda each: each.after)
    aside = os.path.join(os.path.dirname(target), name)
    stays = bool(before) and bool(after) and before[""].kind == after[""].kind == "folder"
    return ApplyItem(
        target,
        "" if stays or not after else aside + ".new",
        "" if stays or not before else aside + ".old",
        before,
        after,
        tuple(each.target for each in changes),
    )


def _content_of(
    wanted: Mapping[str, ApplyChange], side: Callable[[ApplyChange], FileState | None]
) -> dict[str, EntryState]:
    found: dict[str, EntryState] = {}
    for inside, each in wanted.items():
        state = side(each)
        if state is None:
            continue
        above = inside
        while above:
            above = above.rpartition("/")[0]
            found.setdefault(above, EntryState("folder", ANY_MODE))
        found[inside] = entry_state(state)
    return found


State = Literal["preparing", "committed", "applied", "undoing", "undone"]
"""Before `committed`, and from `applied` and `undone` on, only temporary files need removing."""

_VERSION = 1
_NAME = re.compile(r"([0-9a-f]{16})\.([a-z]+)")
_UNFINISHED = ".half"
_LOCK = "lock"


class ApplyJournal(NamedTuple):
    """An apply in progress."""

    folder: str
    run: str  # A unique name, also part of its temporary files' names.
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
            with open_handle(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600) as handle:
                write_all(handle, json.dumps(data, ensure_ascii=True).encode("ascii"))
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
    with open_handle(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT, 0o600) as handle:
        try:
            take(handle)
        except (BlockingIOError, PermissionError):
            raise ApplyBusy(
                "another skillstudio is applying changes; wait until it is done, then apply again"
            ) from None
        yield


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
