"""The items of an apply: each is one name in one folder that is replaced in one step."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.files.changeset import FileState, snapshot, state_of
from skillstudio.files.temporary import NEW, OLD, beside
from skillstudio.files.tree import Kind

ANY_MODE = -1


class EntryState(NamedTuple):
    """The state of an entry, without its content."""

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


def group(changes: Sequence[ApplyChange]) -> list[ApplyItem]:
    """Group changes into items, mode-only ones last."""
    by_target = {change.target: change for change in changes}
    groups: dict[str, list[ApplyChange]] = {}
    for target in sorted(by_target):
        groups.setdefault(_top(by_target[target], by_target), []).append(by_target[target])
    items = [_make_item(target, inside) for target, inside in groups.items()]
    return sorted(items, key=lambda item: item.is_mode_only)


def matches(path: str, content: Content) -> bool:
    """Whether exactly this content is at a path. Raises OSError when it cannot be read."""
    try:
        states = {"": state_of(path)}
    except (FileNotFoundError, NotADirectoryError):
        return not content
    if states[""].kind == "folder":
        states.update(snapshot(path))
    for inside, state in states.items():
        if state.kind == "file" and not state.digest:
            raise PermissionError(errno.EACCES, "cannot be read", os.path.join(path, inside))
    return states.keys() == content.keys() and all(
        _is(state, content[inside]) for inside, state in states.items()
    )


def entry_state(state: FileState) -> EntryState:
    """A state whose digest of a link is that of its target."""
    if state.kind == "link":
        raw = os.fsencode(state.target)
        return EntryState("link", 0, hashlib.sha256(raw).hexdigest())
    return EntryState(state.kind, state.mode, state.digest)


def _is(state: FileState, expected_state: EntryState) -> bool:
    actual_state = entry_state(state)
    return (
        actual_state.kind == expected_state.kind
        and actual_state.digest == expected_state.digest
        and expected_state.mode in (ANY_MODE, actual_state.mode)
    )


def _top(change: ApplyChange, by_target: Mapping[str, ApplyChange]) -> str:
    """The path whose rename makes a change: its own, or a parent that is created or removed."""
    for step in change.parents:
        other = by_target.get(step)
        if (other is not None and other.is_moved) or not os.path.lexists(step):
            return step
    return change.target


def _make_item(target: str, changes: Sequence[ApplyChange]) -> ApplyItem:
    changes_by_path = {
        change.target[len(target) + 1 :].replace(os.sep, "/"): change for change in changes
    }
    before = _content_of(changes_by_path, lambda change: change.before)
    after = _content_of(changes_by_path, lambda change: change.after)
    # The next apply finds what a killed one left by these names.
    aside = beside(target)
    stays = bool(before) and bool(after) and before[""].kind == after[""].kind == "folder"
    return ApplyItem(
        target,
        "" if stays or not after else aside + NEW,
        "" if stays or not before else aside + OLD,
        before,
        after,
        tuple(change.target for change in changes),
    )


def _content_of(
    changes_by_path: Mapping[str, ApplyChange], side: Callable[[ApplyChange], FileState | None]
) -> dict[str, EntryState]:
    content: dict[str, EntryState] = {}
    for inside, change in changes_by_path.items():
        state = side(change)
        if state is None:
            continue
        above = inside
        while above:
            above = above.rpartition("/")[0]
            content.setdefault(above, EntryState("folder", ANY_MODE))
        content[inside] = entry_state(state)
    return content
