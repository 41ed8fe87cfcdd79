"""A report of a run for people."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from skillstudio.cli.formats.plan import problem_line
from skillstudio.cli.output import Paint
from skillstudio.dryrun.isolation.levels import TITLES
from skillstudio.dryrun.plan import Step
from skillstudio.dryrun.report import JudgedEffect, JudgedOutput, RunFileChange, RunReport
from skillstudio.interface.model import Interface
from skillstudio.text.safe import safe_text

TAIL = 20
"""Lines of each stream that are shown."""
_LONGEST = 300
_GLYPHS = {"added": "+", "modified": "~", "removed": "-"}
_WORDS = {
    "declared-observed": "declared, observed",
    "declared-not-observed": "declared, not observed in this run",
    "undeclared": "NOT DECLARED",
    "blocked": "tried and refused",
    "not-observable": "declared; not observable at this isolation level",
}
_EVIDENCE = 5
_ROWS = 40
"""Files that are listed; JSON has them all."""
_ASKED = "another isolation level was requested"


def lines(
    report: RunReport, interface: Interface, shown: str, folder: str, paint: Paint
) -> Iterator[str]:
    """How it ended, then each part under its heading; parts with nothing in them are left out.

    `folder` is where what the program printed lies; "" for nowhere.
    """
    plan = report.plan
    name = " ".join(each for each in (plan.skill, plan.operation) if each)
    title = TITLES.get(plan.isolation.id, plan.isolation.id)
    yield f"{paint(_safe(name), 'place')}  {title}  {_safe(_ended(report))}"
    for problem in plan.problems:
        yield problem_line(problem, interface, shown, paint)
    yield from _part("isolation levels not taken", list(_not_taken(report)), paint)
    if report.ended.exit_code is None and not report.run:
        yield f"not run: {_safe(report.ended.error)}"
        return
    plain = len(plan.steps) == 1 and plan.steps[0].mocked is None
    yield from _part("started" if plain else "steps", list(map(_step, plan.steps)), paint)
    for name_ in ("stdout", "stderr"):
        yield from _part(f"{name_}, the end", _tail(folder, name_), paint)
    yield from _part("changes", _some([_change(each) for each in report.changes]), paint)
    yield from _part("effects", list(_effects(report.effects, paint)), paint)
    outputs = _some([_output(each, paint) for each in report.outputs])
    yield from _part("output files", outputs, paint)
    wrong = [f"{paint('error', 'error')} {_safe(each)}" for each in report.contract.problems]
    yield from _part("standard output", wrong, paint)
    yield from _part("a second run changed", [_safe(each) for each in report.repeated], paint)
    yield from _part("another run left otherwise", [_safe(each) for each in report.varying], paint)
    yield from _part("looks like a credential", [_safe(each) for each in report.suspects], paint)
    missing = [f"{paint('error', 'error')} {_safe(each)}" for each in report.incomplete]
    yield from _part("observation incomplete", missing, paint)
    yield from _part("limits", [_safe(each) for each in report.ended.limits], paint)
    yield from _part("not as in a real run", [_safe(each) for each in report.differences], paint)
    yield from _part(
        "not held by this isolation level",
        [_safe(each) for each in plan.isolation.known_gaps],
        paint,
    )
    yield _summary(report, paint)


def _ended(report: RunReport) -> str:
    ended = report.ended
    if ended.exit_code is None and not report.run:
        return "not run"
    took = f"{ended.duration_ms / 1000:.1f} s"
    if ended.cancelled:
        return f"cancelled after {took}"
    if ended.timed_out:
        return f"ended by skillstudio: it took longer than {report.plan.timeout:g} s"
    if ended.error:
        return ended.error
    how = f"ended by {ended.signal}" if ended.signal else f"exit status {ended.exit_code}"
    return f"{how}, {took}"


def _summary(report: RunReport, paint: Paint) -> str:
    count = {word: sum(1 for each in report.changes if each.change == word) for word in _GLYPHS}
    counts = " ".join(f"{glyph}{count[word]}" for word, glyph in _GLYPHS.items())
    said = paint(report.verdict, "good" if report.ok else "error")
    return f"{said}  {counts}  run {_safe(report.run)}"


def _not_taken(report: RunReport) -> Iterator[str]:
    for id, why in report.plan.isolation.reasons.items():
        # What was asked for and is not to be had is told as why nothing was run.
        if why != _ASKED and why != report.ended.error:
            yield f"{TITLES.get(id, id)}: {_safe(why)}"


def _step(step: Step) -> str:
    note = "  (not started: the recipe's tests say what it prints)" * (step.mocked is not None)
    return _safe(shlex.join(step.argv)) + note


def _some(rows: list[str]) -> list[str]:
    more = len(rows) - _ROWS
    return [*rows[:_ROWS], f"… {more:,} more in the JSON"] if more > 0 else rows


def _effects(effects: Sequence[JudgedEffect], paint: Paint) -> Iterator[str]:
    names = [_safe(each.effect) for each in effects]
    width = max(map(len, names), default=0)
    for name, each in zip(names, effects, strict=True):
        word = _WORDS[each.verdict]
        if each.verdict == "blocked" and not each.declared:
            word = "NOT DECLARED, tried and refused" if each.is_error else word
        if each.verdict == "undeclared" and not each.is_error:
            word = "seen; this dialect has no word for it"
        yield f"{name:<{width}}  {paint(word, 'error') if each.is_error else word}"
        yield from (f"{'':<{width}}    {_safe(line)}" for line in each.evidence[:_EVIDENCE])
        if len(each.evidence) > _EVIDENCE:
            yield f"{'':<{width}}    … {len(each.evidence) - _EVIDENCE} more in the JSON"


def _output(output: JudgedOutput, paint: Paint) -> str:
    verdict = paint(output.verdict, "error") if output.is_error else output.verdict
    what = ", ".join(output.paths)
    pattern = f"{output.pattern}: " if output.pattern and what else output.pattern
    return f"{verdict}  {_safe(pattern + what)}"


def _change(change: RunFileChange) -> str:
    where = {"home": "~/", "skill": "skill: "}.get(change.root, "")
    about = f"{change.kind}, {change.size:,} bytes"
    if change.about:
        about += f", {change.about}"
    pattern = f"  {change.pattern}" if change.pattern else ""
    return _safe(f"{_GLYPHS[change.change]} {where}{change.path}  {about}{pattern}")


def _tail(folder: str, name: str) -> list[str]:
    path = os.path.join(folder, name)
    if not folder or not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        file.seek(max(os.path.getsize(path) - (64 << 10), 0))
        text = file.read().decode("utf-8", "replace")
    found = text.rstrip("\n").split("\n") if text.strip() else []
    cut = [f"… {len(found) - TAIL} lines before"] if len(found) > TAIL else []
    return [*cut, *map(_safe, found[-TAIL:])]


def _part(title: str, rows: Sequence[str], paint: Paint) -> Iterator[str]:
    if rows:
        yield paint(title, "quiet")
        yield from (f"  {row}" for row in rows)


def _safe(text: str) -> str:
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
    return safe_text(cut)
