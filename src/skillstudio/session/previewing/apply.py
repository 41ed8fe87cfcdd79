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
    with_real_roots,
)
from skillstudio.dryrun.applying.checking import judge
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


class ApplyStatus(NamedTuple):
    """The changes of a run by their status in the real folders."""

    applied: tuple[ApplyChange, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    free: tuple[ApplyChange, ...] = ()  # Changes that can be applied together.


def apply_status(wanted: Sequence[ApplyChange]) -> ApplyStatus:
    """The changes that are applied, conflict or can be applied. Reads every affected file."""
    judged = judge(wanted)
    applied = frozenset(judged.already)
    conflicting = {(each.root, each.path) for each in judged.conflicts}
    return ApplyStatus(
        tuple(each for each in with_real_roots(wanted) if each.target in applied),
        judged.conflicts,
        tuple(each for each in judged.pending if (each.root, each.path) not in conflicting),
    )


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
    return ApplyOutcome(done.paths, notes=(*notes, *done.notes))
