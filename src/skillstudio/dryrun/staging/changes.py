"""The changes of a run in its copies, by the paths of the originals."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from skillstudio.dryrun.staging.staged import Root, Staged
from skillstudio.files.changeset import EntryChange, Snapshot, SnapshotLimit, compare, snapshot


class StagedChange(NamedTuple):
    """A changed entry of a copy."""

    root: Root
    path: str
    """Relative to the root, with `/`."""
    changed: EntryChange
    copy: str
    """Its absolute path in the copy, where nothing is if it was removed."""
    original: str
    """The absolute path it would be written to."""


class StagedChanges(NamedTuple):
    """The changes of a run, as far as there was time to compare."""

    changes: tuple[StagedChange, ...]
    unread: tuple[str, ...] = ()
    """Files that may have changed and were not read, by their originals."""
    unlisted: tuple[str, ...] = ()
    """Folders that were not listed, by their originals."""


def look_at(
    folder: str, before: Snapshot | None = None, bound: SnapshotLimit | None = None
) -> Snapshot:
    """A snapshot of a folder of the run; empty when the run removed it or replaced it with a
    link."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return {}
    return snapshot(folder, before, True, bound)


def compare_copies(staged: Staged, stopped: Callable[[], bool]) -> StagedChanges:
    """Compare until `stopped` returns true; what was not compared by then is listed."""
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
            # A copied folder contains at least one root; what is above the inner is the outer's.
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
    """The certain changes; a file that was not read can only be known to be new."""
    changes = compare(before, after)
    unread, unlisted = set(bound.unread), set(bound.unlisted)
    return (
        *changes.added,
        *(each for each in changes.modified if each.path not in unread),
        *(each for each in changes.removed if unlisted.isdisjoint(_above(each.path))),
    )


def _above(path: str) -> Iterator[str]:
    """The parent folders of a path, up to ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
