"""Which recorded runs belong to a folder: those of its skill, else those of its workspace."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace
from skillstudio.dryrun.traces.store import LAST, RecordedRun, RunStore, RunUnknown
from skillstudio.files.paths import below
from skillstudio.files.workspace import workspace_of


class Scope(NamedTuple):
    """A folder that somebody works in, as a real path, and its workspace."""

    folder: str
    workspace: str  # The repository around the folder, else the folder.

    def is_of_skill(self, roots: Roots) -> bool:
        """Whether the folder is in the skill that ran, without a repository in between."""
        is_border = _repository(self.folder) and below(roots.skill, self.workspace) is None
        return below(self.folder, roots.skill) is not None and not is_border

    def is_of_workspace(self, roots: Roots) -> bool:
        """Whether a run worked in the same repository or, without one, in a folder around this
        one."""
        theirs = _repository(roots.workspace)
        if theirs or _repository(self.folder):
            return theirs == self.workspace
        return below(self.folder, roots.workspace) is not None


class ScopedRun(NamedTuple):
    """A recorded run and its trace."""

    recorded_run: RecordedRun
    trace: Trace


def scope_of(folder: str) -> Scope:
    """The scope of a folder, which need not be a real path."""
    real = os.path.realpath(folder)
    return Scope(real, _repository(real) or real)


def find_run(store: RunStore, name: str, scope: Scope) -> ScopedRun:
    """Find a run by id, its start, or `last` in this scope. Raises RunUnknown, TraceRefused."""
    if name != LAST:
        recorded_run = store.find(name)
        return ScopedRun(recorded_run, read_trace(recorded_run.folder))
    scoped_run = newest(store, scope.is_of_skill) or newest(store, scope.is_of_workspace)
    if scoped_run is None:
        raise RunUnknown(
            f"no run is recorded for the workspace {scope.workspace}; skillstudio run records "
            "one, and skillstudio trace list lists the runs of all workspaces"
        )
    return scoped_run


def newest(store: RunStore, is_wanted: Callable[[Roots], bool]) -> ScopedRun | None:
    """The newest recorded run with matching folders; unreadable ones are skipped."""
    for recorded_run in store.all():
        try:
            trace = read_trace(recorded_run.folder)
        except TraceRefused:
            continue
        if is_wanted(trace.report.plan.roots):
            return ScopedRun(recorded_run, trace)
    return None


def refusal(scope: Scope, report: RunReport, verb: str) -> str:
    """Why a run of another workspace is not used here, and the command that does so anyway."""
    run, roots = report.run, report.plan.roots
    return (
        f"run {run} belongs to the workspace {roots.workspace}, not to {scope.workspace}; to "
        f"use it anyway: skillstudio {verb} {run} --anyway"
    )


def _repository(folder: str) -> str:
    """The repository around a folder; "" without one, or when it contains the home folder."""
    workspace = workspace_of(folder)
    if not os.path.exists(os.path.join(workspace, ".git")):
        return ""
    home = os.path.realpath(os.path.expanduser("~"))
    return "" if below(home, workspace) is not None else workspace
