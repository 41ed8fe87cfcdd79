"""Recorded runs that nobody ran: what lies in a workspace, and what a run left there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from tests.dryrun.applying.ground import Tree, changes, make
from tests.dryrun.traces.conftest import PLAN, REPORT, a_value

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.recorded_changes import (
    CHANGES,
    ExcludedChange,
    RecordedChanges,
    listing,
    sources,
)
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import RunFileChange, RunReport
from skillstudio.dryrun.traces.store import RunStore
from skillstudio.files.changeset import FileState
from skillstudio.files.kind import HEAD, kind_of

Word = Literal["added", "modified", "removed"]
RUN = "20261121T101112-123abcd"


def keep_run(
    runs: Path,
    skill: Path,
    after: Tree,
    run: str = RUN,
    left: tuple[ExcludedChange, ...] = (),
    patterns: Mapping[str, str] | None = None,
    report: RunReport = REPORT,
    roots: tuple[Path, Path] | None = None,
) -> RunReport:
    """Keep a run of a skill that left its workspace, the folder above it, as `after` says.

    `roots` are the workspace and the skill that it is a run of, where those are others.

    What a workspace holds and is not in `after`, apart from the skill, was removed.
    """
    real = skill.parent
    copy = make(runs.parent / f"copy-of-{run}", after)
    wanted = [each for each in changes(real, copy) if each.path.split("/")[0] != skill.name]
    workspace, of_skill = map(os.path.realpath, roots or (real, skill))
    if roots:
        wanted = [each._replace(folder=workspace) for each in wanted]
    report = report._replace(
        run=run,
        plan=PLAN._replace(
            skill=skill.name,
            operation="go",
            dialect="skill-manifest-2.0",
            roots=Roots(workspace, of_skill),
        ),
        changes=tuple(_told(each, patterns or {}) for each in wanted if not _is_folder(each)),
    )
    gone = {(each.root, each.path) for each in left}
    keeping = RecordedChanges(tuple(w for w in wanted if (w.root, w.path) not in gone), left)
    listed = runs.parent / f"changes-of-{run}.json"
    listed.write_bytes(listing(keeping))
    store = RunStore(str(runs))
    store.keep(run, a_value(report), str(copy), {CHANGES: str(listed), **sources(keeping)})
    return report


def _state(each: ApplyChange) -> FileState:
    state = each.after or each.before
    assert state is not None
    return state


def _is_folder(each: ApplyChange) -> bool:
    return _state(each).kind == "folder"


def _told(each: ApplyChange, patterns: Mapping[str, str]) -> RunFileChange:
    word: Word = "added" if not each.before else "modified" if each.after else "removed"
    kind = "link" if _state(each).kind == "link" else "text"
    if each.after and each.after.kind == "file":
        kind = kind_of(each.path, Path(each.source).read_bytes()[:HEAD]).name
    return RunFileChange(each.root, each.path, word, _state(each).size, kind,
                      patterns.get(each.path, ""))  # fmt: skip
