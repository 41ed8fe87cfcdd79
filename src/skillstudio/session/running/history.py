"""List the recorded runs."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace
from skillstudio.dryrun.traces.scope import Scope
from skillstudio.dryrun.traces.store import RecordedRun, RunStore
from skillstudio.present.plan import name_of
from skillstudio.present.run_report import ended_text, verdict_sign
from skillstudio.session.running.sample_folders import is_sample_folder

MOST = 60


class RunHistoryEntry(NamedTuple):
    """A recorded run; the trace is None if it cannot be read."""

    run: str
    title: str  # The skill and the operation.
    about: str
    trace: Trace | None
    trouble: str = ""
    folder: str = ""  # Of the recorded run, with what it printed.


def kept_runs(store: RunStore, skill: Scope, around: Scope) -> list[RunHistoryEntry]:
    """The recorded runs of a skill's folder, then others of the workspace, each newest first."""
    skill_runs: list[RunHistoryEntry] = []
    other_runs: list[RunHistoryEntry] = []
    for recorded_run in store.all():
        entry = _read(recorded_run, around)
        roots = entry.trace.report.plan.roots if entry.trace else None
        if roots is not None and skill.is_of_skill(roots):
            skill_runs.append(entry)
        elif roots is None or around.is_of_workspace(roots):
            other_runs.append(entry)
        if len(skill_runs) + len(other_runs) == MOST:
            break
    return skill_runs + other_runs


def _read(recorded_run: RecordedRun, around: Scope) -> RunHistoryEntry:
    try:
        trace = read_trace(recorded_run.folder)
    except TraceRefused as error:
        return RunHistoryEntry(
            recorded_run.run, recorded_run.run, "cannot be read", None, str(error)
        )
    report = trace.report
    about = f"{verdict_sign(report)[0]} {ended_text(report)}  {report.started_at}"
    if is_sample_folder(report.plan.roots.workspace):
        about += "  in the folder of a sample"
    elif not around.is_of_workspace(report.plan.roots):
        about += f"  in another workspace: {report.plan.roots.workspace}"
    return RunHistoryEntry(
        recorded_run.run, name_of(report.plan), about, trace, folder=recorded_run.folder
    )
