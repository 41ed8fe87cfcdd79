"""Apply the changes of a recorded run from the preview: all or none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.apply import apply, unfinished
from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyFailed,
    Conflict,
    Conflicting,
)


class ApplyOutcome(NamedTuple):
    """The result of an apply."""

    applied: tuple[str, ...] = ()  # The absolute paths of the changed files.
    conflicts: tuple[Conflict, ...] = ()
    error: str = ""  # Why nothing was applied, except for conflicts.
    notes: tuple[str, ...] = ()


def apply_changes(wanted: Sequence[ApplyChange]) -> ApplyOutcome:
    """Apply all or none."""
    if error := unfinished():
        return ApplyOutcome(error=error)
    try:
        done = apply(wanted)
    except Conflicting as conflicting:
        return ApplyOutcome((), conflicting.conflicts)
    except ApplyFailed as failed:
        return ApplyOutcome(error=str(failed))
    return ApplyOutcome(tuple(change.target for change in done.applied), notes=done.notes)
