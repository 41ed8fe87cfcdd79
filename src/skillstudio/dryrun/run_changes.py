"""The changes of a run, ready to be applied to the real folders."""

from __future__ import annotations

import os
from functools import partial
from typing import NamedTuple

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.recorded_changes import (
    CHANGES,
    ExcludedChange,
    listing,
    select_changes,
    sources,
)
from skillstudio.dryrun.redaction.searching import why_sensitive
from skillstudio.dryrun.run import CompletedRun
from skillstudio.dryrun.staging.survey import caches


class Changes(NamedTuple):
    """The changes of a run that can be applied."""

    wanted: tuple[ApplyChange, ...]
    left: tuple[ExcludedChange, ...] = ()
    """Changes that are never applied: files of git, and in the home folder."""


def changes_of_run(finished: CompletedRun) -> Changes:
    """The changes of a run whose copies still exist, without caches."""
    left_out = caches()
    roots = finished.staged.original
    wanted: list[ApplyChange] = []
    in_git = 0
    for each in finished.result.changes:
        parts = each.path.split("/")
        if ".git" in parts:
            in_git += 1
        elif left_out.isdisjoint(parts):
            folder = roots.skill if each.root == "skill" else roots.workspace
            before, after = each.changed.before, each.changed.after
            wanted.append(ApplyChange(each.root, folder, each.path, before, after, each.copy))
    at_home = sum(1 for each in finished.report.changes if each.root == "home")
    counted = {"files in .git": in_git, "files in the home folder": at_home}
    left = (
        ExcludedChange("", "", f"{what} ({number} changed)")
        for what, number in counted.items()
        if number
    )
    return Changes(tuple(wanted), tuple(left))


def files_to_record(finished: CompletedRun, folder: str) -> dict[str, str]:
    """The files to record, by their path there; creates the list of changes. Raises OSError."""
    redactor = finished.redactor
    changes = changes_of_run(finished)
    keeping = select_changes(
        changes.wanted, partial(why_sensitive, redactor=redactor), redactor.finds
    )
    keeping = keeping._replace(left=(*keeping.left, *changes.left))
    path = os.path.join(folder, CHANGES)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(listing(keeping))
    return {CHANGES: path, **sources(keeping)}
