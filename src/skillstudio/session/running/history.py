"""The runs that are kept: one line each, their reports, and in what two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.dryrun.traces.difference import DID, differences
from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace
from skillstudio.dryrun.traces.store import Kept, RunStore
from skillstudio.session.running.report import ended
from skillstudio.session.told import Told, part

MOST = 60
"""Runs that are listed, the newest."""


class KeptRun(NamedTuple):
    """A kept run, read."""

    run: str
    title: str
    """The skill and the operation."""
    about: str
    """When it was and how it ended."""
    trace: Trace | None
    """None where it cannot be read."""
    trouble: str = ""
    """Why it cannot be read."""


def kept_runs(store: RunStore, skill: str) -> list[KeptRun]:
    """The kept runs, those of a skill first, each part the newest first."""
    found = [_read(each) for each in store.all()[:MOST]]
    return sorted(found, key=lambda each: _skill(each) != skill)


def _skill(each: KeptRun) -> str:
    return each.trace.report.plan.skill if each.trace else ""


def _read(kept: Kept) -> KeptRun:
    try:
        trace = read_trace(kept.folder)
    except TraceRefused as error:
        return KeptRun(kept.run, kept.run, "cannot be read", None, str(error))
    report = trace.report
    title = " ".join(each for each in (report.plan.skill, report.plan.operation) if each)
    glyph = "✓" if report.ok else "✗"
    return KeptRun(kept.run, title, f"{glyph} {ended(report)}  {report.started_at}", trace)


def difference_lines(one: Trace, other: Trace) -> Iterator[Told]:
    """In what two runs differ: what they were run with, then what they did."""
    before, after = sorted((one, other), key=lambda each: each.report.run)
    yield Told(f"before  {before.report.run}  {ended(before.report)}")
    yield Told(f"now     {after.report.run}  {ended(after.report)}")
    found = differences(before, after)
    if not found:
        yield Told("both were run with the same, and did the same", "good")
        return
    causes = [Told(each.sentence) for each in found if each.area not in DID]
    yield from part("run with", causes or [Told("the same", "quiet")])
    for area in DID:
        lines = [Told(each.sentence, "warning") for each in found if each.area == area]
        yield from part(f"did otherwise: {area}", lines)
    if all(each.area not in DID for each in found):
        yield Told("both did the same", "good")
