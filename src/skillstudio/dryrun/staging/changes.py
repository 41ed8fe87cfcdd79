"""What a run changed in its copies, told by the originals' paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from skillstudio.dryrun.staging.staged import Root, Staged
from skillstudio.files.changeset import EntryChange, Snapshot, SnapshotLimit, compare, snapshot


class StagedChange(NamedTuple):
    """An entry of a copy that is not as it was before the run."""

    root: Root
    path: str
    """Relative to the root, with `/`."""
    changed: EntryChange
    copy: str
    """Where it lies, absolute; nothing is there where it was removed."""
    original: str
    """What it would be written to, absolute."""


class StagedChanges(NamedTuple):
    """What a run changed, as far as there was time to compare."""

    changes: tuple[StagedChange, ...]
    unread: tuple[str, ...] = ()
    """Files that may have changed and were not read, by their originals."""
    unlisted: tuple[str, ...] = ()
    """Folders in which nothing was looked at, by their originals."""


def look_at(
    folder: str, before: Snapshot | None = None, bound: SnapshotLimit | None = None
) -> Snapshot:
    """What lies in a folder of the run, which the run may have closed or taken away.

    A link in its place leads where nobody asked to look: nothing lies there then.
    """
    if os.path.islink(folder) or not os.path.isdir(folder):
        return {}
    return snapshot(folder, before, True, bound)


def changes_of(staged: Staged) -> tuple[StagedChange, ...]:
    """Everything that differs from the baseline, by root and path."""
    return compare_copies(staged, lambda: False).changes


def compare_copies(staged: Staged, stopped: Callable[[], bool]) -> StagedChanges:
    """The same until it is `stopped`: what was not compared by then is no change, and is named."""
    found: list[StagedChange] = []
    unread: list[str] = []
    unlisted: list[str] = []
    for copy in staged.copies:
        bound = SnapshotLimit(stopped)
        after = look_at(copy.folder, copy.baseline, bound)
        unread += [os.path.join(copy.original, path) for path in sorted(bound.unread)]
        unlisted += [os.path.join(copy.original, path) for path in sorted(bound.unlisted)]
        for changed in compared(copy.baseline, after, bound):
            inside = changed.path.replace("/", os.sep)
            original = os.path.join(copy.original, inside)
            # A copied folder holds one root at least; what lies above the other is the outer's.
            root = staged.root_of(original) or ("workspace", changed.path)
            found.append(
                StagedChange(
                    root[0],
                    root[1].replace(os.sep, "/"),
                    changed,
                    os.path.join(copy.folder, inside),
                    original,
                )
            )
    changes = tuple(sorted(found, key=lambda change: (change.root, change.path)))
    return StagedChanges(changes, tuple(unread), tuple(unlisted))


def compared(before: Snapshot, after: Snapshot, bound: SnapshotLimit) -> tuple[EntryChange, ...]:
    """What is sure to have changed: of a file that was not read only that it is new."""
    changes = compare(before, after)
    unread, unlisted = set(bound.unread), set(bound.unlisted)
    return (
        *changes.added,
        *(each for each in changes.modified if each.path not in unread),
        *(each for each in changes.removed if unlisted.isdisjoint(_above(each.path))),
    )


def _above(path: str) -> Iterator[str]:
    """The folders that a path lies in, "" the outermost."""
    while path:
        path = path.rpartition("/")[0]
        yield path
