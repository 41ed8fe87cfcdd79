"""The copies of a run, and how paths of copies and originals correspond."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.prepared import CopiedFolder, RunFolders
from skillstudio.files.changeset import EntryChange, Snapshot, SnapshotLimit, compare, snapshot
from skillstudio.files.paths import below

Root = Literal["workspace", "skill"]


class StagingRefused(Exception):
    """A folder that cannot be copied: a sentence with the reason and the fix."""


class SkippedEntry(NamedTuple):
    """Something left out of the copies."""

    path: str  # Absolute, in the original.
    why: str


class Copy(NamedTuple):
    """A copied folder."""

    original: str
    folder: str
    baseline: Snapshot  # The state of the copy before the run.


class Staging(NamedTuple):
    """The copies of both roots: a single one when the skill is in the workspace."""

    folder: str  # The folder of the copies and of what a run writes beside them.
    roots: Roots  # The roots in the copies.
    original: Roots
    copies: tuple[Copy, ...]
    home: str
    temporary: str
    skipped: tuple[SkippedEntry, ...]
    size: int  # Bytes copied.

    @property
    def run_folders(self) -> RunFolders:
        """The folders as isolation levels know them."""
        copies = tuple(CopiedFolder(copy.original, copy.folder) for copy in self.copies)
        return RunFolders(self.folder, copies, self.home, self.temporary)

    def copy_of(self, path: str) -> str | None:
        """The copy of a path in an original; None outside all roots."""
        return _move_path(path, ((copy.original, copy.folder) for copy in self.copies))

    def original_of(self, path: str) -> str | None:
        """The original of a path in a copy; None outside all copies."""
        return _move_path(path, ((copy.folder, copy.original) for copy in self.copies))

    def restore_paths(self, text: str) -> str:
        """A text with the paths of a real run, since readers do not know the copies."""
        names = [(copy.folder, copy.original) for copy in self.copies]
        names += [(self.home, "~"), (self.temporary, "$TMPDIR")]
        for folder, name in sorted(names, key=lambda pair: -len(pair[0])):
            text = text.replace(folder, name)
        return text

    def was_present(self, path: str) -> bool:
        """Whether an original path was there before the run. What is in no copy is thought to have
        been, but for temporary files."""
        inside = [(copy, part) for copy in self.copies if (part := below(path, copy.original))]
        if inside:
            copy, part = max(inside, key=lambda pair: len(pair[0].original))
            return part.replace(os.sep, "/") in copy.baseline
        return below(path, self.temporary) is None

    def root_of(self, original: str) -> tuple[Root, str] | None:
        """The root of an original path, and the path in it; the skill's comes first."""
        root_names: tuple[Root, ...] = ("skill", "workspace")
        for root in root_names:
            inside = below(original, getattr(self.original, root))
            if inside is not None:
                return root, inside
        return None


def _move_path(path: str, pairs: Iterable[tuple[str, str]]) -> str | None:
    for start, end in pairs:
        inside = below(path, start)
        if inside is not None:
            return os.path.join(end, inside) if inside else end
    return None


class StagedChange(NamedTuple):
    """A changed entry of a copy."""

    root: Root
    path: str  # Relative to the root, with `/`.
    entry_change: EntryChange
    copy: str  # Its absolute path in the copy, where nothing is if it was removed.
    original: str  # The absolute path it would be written to.


class StagedChanges(NamedTuple):
    """The changes of a run, as far as there was time to compare."""

    changes: tuple[StagedChange, ...]
    unread: tuple[str, ...] = ()
    """Files that may have changed and were not read, by their originals."""
    unlisted_folders: tuple[str, ...] = ()  # Folders that were not listed, by their originals.


def look_at(
    folder: str, before: Snapshot | None = None, limit: SnapshotLimit | None = None
) -> Snapshot:
    """A snapshot of a folder of the run; empty when the run removed it or made it a link."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return {}
    return snapshot(folder, before, True, limit)


def rebase_copies(staging: Staging) -> Staging:
    """The same copies with their current state as the new baseline."""
    copies = tuple(
        copy._replace(baseline=look_at(copy.folder, copy.baseline)) for copy in staging.copies
    )
    return staging._replace(copies=copies)


def compare_copies(staging: Staging, is_stopped: Callable[[], bool]) -> StagedChanges:
    """Compare until `is_stopped` returns true; what was not compared by then is listed."""
    staged_changes: list[StagedChange] = []
    unread: list[str] = []
    unlisted_folders: list[str] = []
    for copy in staging.copies:
        limit = SnapshotLimit(is_stopped)
        after = look_at(copy.folder, copy.baseline, limit)
        unread += [os.path.join(copy.original, path) for path in sorted(limit.unread)]
        unlisted_folders += [
            os.path.join(copy.original, path) for path in sorted(limit.unlisted_folders)
        ]
        for entry_change in find_certain_changes(copy.baseline, after, limit):
            inside = entry_change.path.replace("/", os.sep)
            original = os.path.join(copy.original, inside)
            # A copied folder contains at least one root; what is above the inner is the outer's.
            root = staging.root_of(original) or ("workspace", entry_change.path)
            path = root[1].replace(os.sep, "/")
            place = os.path.join(copy.folder, inside)
            staged_changes.append(StagedChange(root[0], path, entry_change, place, original))
    changes = tuple(sorted(staged_changes, key=lambda change: (change.root, change.path)))
    return StagedChanges(changes, tuple(unread), tuple(unlisted_folders))


def find_certain_changes(
    before: Snapshot, after: Snapshot, limit: SnapshotLimit
) -> tuple[EntryChange, ...]:
    """The certain changes; a file that was not read can only be known to be new."""
    changes = compare(before, after)
    unread, unlisted_folders = set(limit.unread), set(limit.unlisted_folders)
    return (
        *changes.added,
        *(change for change in changes.modified if change.path not in unread),
        *(change for change in changes.removed if unlisted_folders.isdisjoint(_above(change.path))),
    )


def _above(path: str) -> Iterator[str]:
    """The parent folders of a path, up to ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
