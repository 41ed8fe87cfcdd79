"""Apply the changes of a recorded run from the preview: all or none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.apply import apply, find_interrupted_apply
from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyConflicts,
    ApplyFailed,
    Conflict,
)


class ApplyOutcome(NamedTuple):
    """The result of an apply."""

    changed_paths: tuple[str, ...] = ()  # The absolute paths of the changed files.
    conflicts: tuple[Conflict, ...] = ()
    error: str = ""  # Why nothing was applied, except for conflicts.
    notes: tuple[str, ...] = ()


def apply_changes(changes: Sequence[ApplyChange]) -> ApplyOutcome:
    """Apply all or none."""
    if error := find_interrupted_apply():
        return ApplyOutcome(error=error)
    try:
        result = apply(changes)
    except ApplyConflicts as conflict:
        return ApplyOutcome((), conflict.conflicts)
    except ApplyFailed as failure:
        return ApplyOutcome(error=str(failure))
    return ApplyOutcome(
        tuple(change.target for change in result.applied_changes), notes=result.notes
    )
