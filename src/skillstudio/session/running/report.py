"""A report as lines: how it ended, then what it did beside what is declared."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import TITLES
from skillstudio.dryrun.report import RunFileChange, RunReport
from skillstudio.session.styled_lines import LineStyle, StyledLine, section

EVIDENCE = 8
"""Lines of evidence of one effect."""
_GLYPHS = {"added": "+", "modified": "~", "removed": "-"}
_WORDS: Mapping[str, tuple[str, str, LineStyle]] = {
    "declared-observed": ("✓", "declared, observed", "good"),
    "declared-not-observed": ("·", "declared, not observed in this run", "quiet"),
    "undeclared": ("i", "seen; this dialect has no word for it", ""),
    "blocked": ("i", "tried and refused", ""),
    "not-observable": ("·", "declared; not observable at this isolation level", "quiet"),
}
_WRONG = {
    "undeclared": "NOT DECLARED",
    "blocked": "NOT DECLARED, tried and refused",
}
_ROOTS = {"home": "~/", "skill": "skill: ", "workspace": ""}


class RunVerdict(NamedTuple):
    """A run in one line."""

    is_good: bool
    text: str


def verdict(report: RunReport) -> RunVerdict:
    """Whether it did as declared, how it ended, what it changed."""
    changed = [each.change for each in report.changes]
    counts = " ".join(f"{glyph}{changed.count(word)}" for word, glyph in _GLYPHS.items())  # type: ignore[arg-type]
    return RunVerdict(report.ok, f"{report.verdict} · {ended(report)} · {counts}")


def ended(report: RunReport) -> str:
    """How the process ended, and when."""
    end = report.ended
    took = f"{end.duration_ms / 1000:.1f} s"
    if end.cancelled:
        return f"ended by you after {took}"
    if end.timed_out:
        return f"timed out after {took}"
    if end.error:
        return end.error
    return f"ended by {end.signal}, {took}" if end.signal else f"exit {end.exit_code}, {took}"


def report_lines(report: RunReport) -> Iterator[StyledLine]:
    """The parts of a report; those with nothing in them are left out."""
    is_good, text = verdict(report)
    yield StyledLine(f"{'✓' if is_good else '✗'} {text}", "good" if is_good else "error")
    yield from section("effects: declared vs. observed", list(_effects(report)))
    yield from section("contract of standard output", list(_contract(report)))
    yield from section("output files", list(_outputs(report)))
    yield from section("changes", [_change(each) for each in report.changes])
    yield from section("a second run changed", list(_again(report)))
    varying = [StyledLine(each, "warning") for each in report.varying]
    yield from section("another run left otherwise", varying)
    suspects = [StyledLine(each, "warning") for each in report.suspects]
    yield from section("looks like a credential", suspects)
    missing = [StyledLine(f"✗ {each}", "error") for each in report.incomplete]
    yield from section("observation incomplete", missing)
    yield from section("limits", [StyledLine(each, "warning") for each in report.ended.limits])
    yield from section("not as in a real run", [StyledLine(each) for each in report.differences])
    yield from section("isolation", list(_isolation(report)))
    yield from section("started", list(_started(report)))
    yield from section("kept as", [StyledLine(report.run)] if report.run else [])


def _effects(report: RunReport) -> Iterator[StyledLine]:
    width = max((len(each.effect) for each in report.effects), default=0)
    for each in sorted(report.effects, key=lambda one: not one.is_error):
        glyph, words, style = _WORDS[each.verdict]
        if each.is_error:
            glyph, words, style = "✗", _WRONG.get(each.verdict, words), "error"
        yield StyledLine(f"{glyph} {each.effect:<{width}}  {words}", style)
        yield from (StyledLine(line, "", 2) for line in each.evidence[:EVIDENCE])
        if len(each.evidence) > EVIDENCE:
            yield StyledLine(f"… {len(each.evidence) - EVIDENCE} more", "quiet", 2)


def _contract(report: RunReport) -> Iterator[StyledLine]:
    contract = report.contract
    yield from (StyledLine(f"✗ {each}", "error") for each in contract.problems)
    if contract.ok and contract.value is not None:
        yield StyledLine(f"✓ kept: {json.dumps(contract.value, ensure_ascii=False)}", "good")


def _again(report: RunReport) -> Iterator[StyledLine]:
    """What a run on the result of the first one changed, which an idempotent one must not."""
    style: LineStyle = "error" if report.repeated else ""
    yield from (StyledLine(each, style) for each in report.again or report.repeated)
    if report.again == ():
        yield StyledLine("✓ nothing", "good")


def _outputs(report: RunReport) -> Iterator[StyledLine]:
    for each in report.outputs:
        paths = ", ".join(each.paths)
        about = f"{each.pattern}: {paths}" if each.pattern and paths else each.pattern or paths
        glyph = "✗" if each.is_error else "✓" if each.verdict == "produced" else "·"
        yield StyledLine(f"{glyph} {each.verdict}  {about}", "error" if each.is_error else "")


def _change(change: RunFileChange) -> StyledLine:
    fits = f"  fits {change.pattern}" if change.pattern else ""
    more = f", {change.about}" if change.about else ""
    about = f"{change.kind}, {change.size:,} bytes{more}{fits}"
    return StyledLine(f"{_GLYPHS[change.change]} {_ROOTS[change.root]}{change.path}  {about}")


def _isolation(report: RunReport) -> Iterator[StyledLine]:
    isolation = report.plan.isolation
    yield StyledLine(TITLES.get(isolation.id, isolation.id))
    yield from (StyledLine(f"known gap: {each}", "warning") for each in isolation.known_gaps)
    for name, why in isolation.reasons.items():
        yield StyledLine(f"not {TITLES.get(name, name)}: {why}", "quiet")


def _started(report: RunReport) -> Iterator[StyledLine]:
    for step in report.plan.steps:
        note = "  (not started)" if step.mocked is not None else ""
        yield StyledLine(shlex.join(step.argv) + note)
