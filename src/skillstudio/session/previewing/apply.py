"""Applying what a recorded run changed, from the preview: first every conflict, then all or
nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.apply import Recovered, apply, recover
from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyFailed,
    Conflict,
    Conflicting,
    with_real_roots,
)
from skillstudio.dryrun.applying.checking import judge

_MADE_GOOD = {"finished": "was finished", "rolled back": "was rolled back"}


class ApplyOutcome(NamedTuple):
    """What became of an apply."""

    applied: tuple[str, ...] = ()
    """The files that were changed, absolute."""
    conflicts: tuple[Conflict, ...] = ()
    """Why nothing was applied."""
    error: str = ""
    """Why nothing was applied, apart from conflicts."""
    notes: tuple[str, ...] = ()
    """What was made good before, and what is left, a sentence each."""


def journal_folder(runs: str) -> str:
    """Where the journals lie, beside the folder of the recorded runs."""
    return os.path.join(os.path.dirname(runs), "applies")


class ApplyStatus(NamedTuple):
    """How the changes of a run stand to the real folders, each of them in one place."""

    applied: tuple[ApplyChange, ...] = ()
    """Those that are there already."""
    conflicts: tuple[Conflict, ...] = ()
    """What stands against applying others."""
    free: tuple[ApplyChange, ...] = ()
    """Those that can be applied, together."""


def apply_status(wanted: Sequence[ApplyChange]) -> ApplyStatus:
    """Which changes are applied already, and what stands against the others.

    Reads each file that was, or would be, changed.
    """
    judged = judge(wanted)
    there = frozenset(judged.already)
    odd = {(each.root, each.path) for each in judged.conflicts}
    changes = with_real_roots(wanted)
    return ApplyStatus(
        tuple(each for each in changes if each.target in there),
        judged.conflicts,
        tuple(each for each in judged.pending if (each.root, each.path) not in odd),
    )


def apply_changes(wanted: Sequence[ApplyChange], folder: str) -> ApplyOutcome:
    """Settle an interrupted apply, then apply all or nothing; `folder` has the journals."""
    notes: list[str] = []
    try:
        notes += [_recovery_note(each) for each in recover(folder)]
        done = apply(wanted, folder)
    except Conflicting as error:
        return ApplyOutcome((), error.conflicts, notes=tuple(notes))
    except ApplyFailed as error:
        return ApplyOutcome(error=str(error), notes=tuple(notes))
    return ApplyOutcome(done.paths, notes=(*notes, *done.notes))


def _recovery_note(each: Recovered) -> str:
    what = _MADE_GOOD.get(each.outcome, "could be neither finished nor rolled back")
    said = f"an interrupted apply {what}: {len(each.paths)} files"
    return "; ".join((said, *each.notes))
