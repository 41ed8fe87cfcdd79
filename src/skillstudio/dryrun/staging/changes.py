"""What a run changed in its copies, told by the originals' paths."""

from __future__ import annotations

import os
from typing import NamedTuple

from skillstudio.dryrun.staging.staged import Root, Staged
from skillstudio.files.changeset import Changed, Snapshot, compare, snapshot


class StagedChange(NamedTuple):
    """An entry of a copy that is not as it was before the run."""

    root: Root
    path: str
    """Relative to the root, with `/`."""
    changed: Changed
    copy: str
    """Where it lies, absolute; nothing is there where it was removed."""
    original: str
    """What it would be written to, absolute."""


def look_at(folder: str, before: Snapshot | None = None) -> Snapshot:
    """What lies in a folder of the run, which the run may have closed or taken away.

    A link in its place leads where nobody asked to look: nothing lies there then.
    """
    if os.path.islink(folder) or not os.path.isdir(folder):
        return {}
    return snapshot(folder, before, ours=True)


def changes_of(staged: Staged) -> tuple[StagedChange, ...]:
    """Everything that differs from the baseline, by root and path."""
    found: list[StagedChange] = []
    for copy in staged.copies:
        changes = compare(copy.baseline, look_at(copy.folder, copy.baseline))
        for changed in (*changes.added, *changes.modified, *changes.removed):
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
    return tuple(sorted(found, key=lambda change: (change.root, change.path)))
