"""The recorded runs: one line each, their reports, and in what two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.dryrun.traces.difference import DID, differences
from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace
from skillstudio.dryrun.traces.scope import Scope
from skillstudio.dryrun.traces.store import RecordedRun, RunStore
from skillstudio.session.running.report import ended
from skillstudio.session.styled_lines import StyledLine, section

MOST = 60
"""Runs that are listed, the newest."""


class RunHistoryEntry(NamedTuple):
    """A recorded run, read."""

    run: str
    title: str
    """The skill and the operation."""
    about: str
    """When it was and how it ended."""
    trace: Trace | None
    """None where it cannot be read."""
    trouble: str = ""
    """Why it cannot be read."""


def kept_runs(store: RunStore, skill: Scope, around: Scope) -> list[RunHistoryEntry]:
    """The recorded runs of a skill's folder, then others of the workspace, each newest first.

    Runs of other projects are left out. A run of the skill in another workspace says so.
    """
    own: list[RunHistoryEntry] = []
    others: list[RunHistoryEntry] = []
    for kept in store.all():
        each = _read(kept, around)
        roots = each.trace.report.plan.roots if each.trace else None
        if roots is not None and skill.is_of_skill(roots):
            own.append(each)
        elif roots is None or around.is_of_workspace(roots):
            others.append(each)
        if len(own) + len(others) == MOST:
            break
    return own + others


def _read(kept: RecordedRun, around: Scope) -> RunHistoryEntry:
    try:
        trace = read_trace(kept.folder)
    except TraceRefused as error:
        return RunHistoryEntry(kept.run, kept.run, "cannot be read", None, str(error))
    report = trace.report
    title = " ".join(each for each in (report.plan.skill, report.plan.operation) if each)
    glyph = "✓" if report.ok else "✗"
    about = f"{glyph} {ended(report)}  {report.started_at}"
    if not around.is_of_workspace(report.plan.roots):
        about += f"  in another workspace: {report.plan.roots.workspace}"
    return RunHistoryEntry(kept.run, title, about, trace)


def difference_lines(one: Trace, other: Trace) -> Iterator[StyledLine]:
    """In what two runs differ: what they were run with, then what they did."""
    before, after = sorted((one, other), key=lambda each: each.report.run)
    yield StyledLine(f"before  {before.report.run}  {ended(before.report)}")
    yield StyledLine(f"now     {after.report.run}  {ended(after.report)}")
    found = differences(before, after)
    if not found:
        yield StyledLine("both were run with the same, and did the same", "good")
        return
    causes = [StyledLine(each.sentence) for each in found if each.area not in DID]
    yield from section("run with", causes or [StyledLine("the same", "quiet")])
    for area in DID:
        lines = [StyledLine(each.sentence, "warning") for each in found if each.area == area]
        yield from section(f"did otherwise: {area}", lines)
    if all(each.area not in DID for each in found):
        yield StyledLine("both did the same", "good")
