"""Apply the changes of a recorded run from the preview: all or none of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.apply import apply, recover
from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyFailed,
    Conflict,
    Conflicting,
)
from skillstudio.present.lines import count

_RECOVERED = {"finished": "was finished", "rolled back": "was rolled back"}


class ApplyOutcome(NamedTuple):
    """The result of an apply."""

    applied: tuple[str, ...] = ()  # The absolute paths of the changed files.
    conflicts: tuple[Conflict, ...] = ()
    error: str = ""  # Why nothing was applied, except for conflicts.
    notes: tuple[str, ...] = ()


def journal_folder(runs: str) -> str:
    """The folder of the journals, beside the folder of the recorded runs."""
    return os.path.join(os.path.dirname(runs), "applies")


def apply_changes(wanted: Sequence[ApplyChange], folder: str) -> ApplyOutcome:
    """Recover from an interrupted apply, then apply all or none; `folder` has the journals."""
    notes: list[str] = []
    try:
        for each in recover(folder):
            what = _RECOVERED.get(each.outcome, "could be neither finished nor rolled back")
            files = count(len(each.paths), "file")
            notes.append("; ".join((f"an interrupted apply {what}: {files}", *each.notes)))
        done = apply(wanted, folder)
    except Conflicting as error:
        return ApplyOutcome((), error.conflicts, notes=tuple(notes))
    except ApplyFailed as error:
        return ApplyOutcome(error=str(error), notes=tuple(notes))
    applied = tuple(each.target for each in done.applied)
    return ApplyOutcome(applied, notes=(*notes, *done.notes))
