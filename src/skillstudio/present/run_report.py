"""A run: how it ended, and its effects, outputs and files compared with what is declared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.plan import PlanProblem
from skillstudio.dryrun.report import (
    JudgedEffect,
    JudgedOutput,
    RunFileChange,
    RunReport,
    output_path,
)
from skillstudio.dryrun.traces.difference import DID, RunDifference
from skillstudio.present.lines import LineStyle, Part, StyledLine, count, more, section
from skillstudio.present.plan import (
    isolation_lines,
    isolation_text,
    name_of,
    problem_line,
    step_text,
)

GLYPHS = {"added": "+", "modified": "~", "removed": "-"}
ROWS = 40  # Files, or differences of one kind, that are listed.
_EVIDENCE = 8  # Lines of evidence of one effect that is an error, and of any other:
_EVIDENCE_OF_OTHERS = 3
_EFFECTS: dict[str, tuple[str, str, LineStyle]] = {
    "declared-observed": ("✓", "declared, observed", "good"),
    "declared-not-observed": ("·", "declared, not observed in this run", "quiet"),
    "undeclared": ("i", "observed; this dialect cannot declare it", ""),
    "blocked": ("i", "attempted and blocked", ""),
    "not-observable": ("·", "declared; not observable at this isolation level", "quiet"),
}
_VERDICTS: dict[str, tuple[str, LineStyle]] = {
    "as declared": ("✓", "good"),
    "nothing declared": ("i", ""),
    "not fully observed": ("!", "warning"),
}
_WRONG = {"undeclared": "undeclared", "blocked": "undeclared, attempted and blocked"}
_OUTPUTS = {
    "produced": "written",
    "missing": "declared, not written in this run",
    "undeclared": "undeclared",
}
_ROOTS = {"home": "~/", "skill": "skill: ", "workspace": ""}


def verdict_line(report: RunReport) -> StyledLine:
    """Whether a run did what is declared, how it ended, and how many files it changed."""
    if not report.run and report.ended.exit_code is None:
        return StyledLine(f"✗ not run: {report.ended.error}", "error")
    parts = [verdict_text(report), ended_text(report), counts_text(report)]
    text = " · ".join(parts[report.ended.cancelled :])  # How it ended says the verdict, too.
    sign, style = verdict_sign(report)
    return StyledLine(f"{sign} {text}", style)


def verdict_sign(report: RunReport) -> tuple[str, LineStyle]:
    """The sign of a verdict, and its style: only a run that is fully observed earns a ✓."""
    return _VERDICTS.get(report.verdict, ("✗", "error"))


def verdict_text(report: RunReport) -> str:
    """What is wrong with a run, or that it did what is declared."""
    ended = report.ended
    if ended.cancelled:
        return "cancelled"
    found = ["timed out"] if ended.timed_out else ["failed"] if ended.exit_code != 0 else []
    effects = [each.effect for each in report.effects if each.is_error]
    if effects:
        found.append(f"{count(len(effects), 'undeclared effect')}: {', '.join(effects)}")
    stray = sum(each.is_error and each.verdict == "undeclared" for each in report.outputs)
    missing = sum(each.is_error and each.verdict == "missing" for each in report.outputs)
    found += [count(stray, "undeclared file")] if stray else []
    found += [count(missing, "missing output")] if missing else []
    found += ["stdout contract not satisfied"] if not report.contract.ok else []
    found += ["not idempotent"] if report.repeated else []
    found += ["observation incomplete"] if report.incomplete else []
    return ", ".join(found) or report.verdict


def ended_text(report: RunReport) -> str:
    """How the processes ended, and after how long."""
    ended = report.ended
    took = f"{ended.duration_ms / 1000:.1f} s"
    if ended.cancelled:
        return f"cancelled after {took}"
    if ended.timed_out:
        return f"stopped after {took}: the timeout is {report.plan.timeout:g} s"
    if ended.error:
        return ended.error
    return f"ended by {ended.signal}, {took}" if ended.signal else f"exit {ended.exit_code}, {took}"


def counts_text(report: RunReport) -> str:
    """How many files a run added, modified and removed."""
    words: list[str] = [each.change for each in report.changes]
    return " ".join(f"{glyph}{words.count(word)}" for word, glyph in GLYPHS.items())


def undeclared_files(report: RunReport) -> frozenset[tuple[str, str]]:
    """Root and path of each changed file that should be declared and is not."""
    stray = {
        path
        for each in report.outputs
        if each.is_error and each.verdict == "undeclared"
        for path in each.paths
    }
    return frozenset(
        (each.root, each.path) for each in report.changes if output_path(each) in stray
    )


def report_parts(
    report: RunReport,
    printed: Iterable[tuple[str, Sequence[str]]] = (),
    place: Callable[[PlanProblem], str] = lambda _: "",
    is_comment: bool = False,
) -> Iterator[Part]:
    """A whole report. The verdict is where it is read first: in a terminal at the end."""
    plan = report.plan
    yield StyledLine(name_of(plan), "title", remark=isolation_text(plan.isolation))
    if is_comment:
        yield verdict_line(report)
    yield from report_lines(report, printed, place)
    if not is_comment:
        yield verdict_line(report)


def report_lines(
    report: RunReport,
    printed: Iterable[tuple[str, Sequence[str]]] = (),
    place: Callable[[PlanProblem], str] = lambda _: "",
) -> Iterator[Part]:
    """The sections of a report. `printed` has the last lines of each stream by its name; `place`
    gives `path:line:column` of a problem."""
    problems = [problem_line(each, place(each)) for each in report.plan.problems]
    yield from section("Problems", problems)
    if report.ended.exit_code is None and not report.run:
        yield from isolation_lines(report.plan.isolation, without=report.ended.error)
        return
    yield from section("Effects: declared vs. observed", _effects(report.effects))
    yield from section("stdout contract", _contract(report))
    yield from section("Output files", map(_output, report.outputs), most=ROWS)
    yield from section("Changes", map(_change, report.changes), most=ROWS)
    yield from section("Changed by a second run", _again(report))
    yield from section("Different after another run", _styled(report.varying, "warning"))
    yield from section("Possible credentials", _styled(report.suspects, "warning"))
    incomplete = [f"✗ {each}" for each in report.incomplete]
    yield from section("Observation incomplete", _styled(incomplete, "error"))
    yield from section("Limits", _styled(report.ended.limits, "warning"))
    yield from section("How this differs from a real run", _styled(report.differences))
    yield from isolation_lines(report.plan.isolation)
    started = {step.argv[0] for step in report.plan.steps if step.argv and step.mocked is None}
    programs = [
        StyledLine(f"{each.name} is {each.found}", "quiet")
        for each in report.plan.requirements
        if each.name in started and each.found
    ]
    yield from section("Started", [*_styled(map(step_text, report.plan.steps)), *programs])
    for name, lines in printed:
        yield from section(f"End of {name}", _styled(lines, "code"))
    yield from section("Recorded as", _styled([report.run] if report.run else []))


def _styled(texts: Iterable[str], style: LineStyle = "") -> Iterator[StyledLine]:
    return (StyledLine(each, style) for each in texts)


def _effects(effects: Sequence[JudgedEffect]) -> Iterator[Part]:
    width = max((len(each.effect) for each in effects), default=0)
    for each in sorted(effects, key=lambda one: not one.is_error):
        glyph, words, style = _EFFECTS[each.verdict]
        if each.is_error:
            glyph, words, style = "✗", _WRONG.get(each.verdict, words), "error"
        about = table()["effect"][each.effect]["about"]
        yield StyledLine(f"{glyph} {each.effect:<{width}}  {about}: {words}", style)
        most = _EVIDENCE if each.is_error else _EVIDENCE_OF_OTHERS
        yield from (StyledLine(line, "", 1) for line in each.evidence[:most])
        if len(each.evidence) > most:
            yield more(len(each.evidence) - most, 1)


def _contract(report: RunReport) -> Iterator[StyledLine]:
    contract = report.contract
    yield from _styled([f"✗ {each}" for each in contract.problems], "error")
    if contract.ok and contract.value is not None:
        value = json.dumps(contract.value, ensure_ascii=False)
        yield StyledLine(f"✓ satisfied: {value}", "good")


def _again(report: RunReport) -> Iterator[StyledLine]:
    """What a second run on the result of the first one changed; an idempotent one must not."""
    yield from _styled(report.again or report.repeated, "error" if report.repeated else "")
    if report.again == ():
        yield StyledLine("✓ nothing", "good")


def _output(each: JudgedOutput) -> StyledLine:
    paths = ", ".join(each.paths)
    about = f"{each.pattern}: {paths}" if each.pattern and paths else each.pattern or paths
    glyph = "✗" if each.is_error else "✓" if each.verdict == "produced" else "·"
    style: LineStyle = "error" if each.is_error else ""
    return StyledLine(f"{glyph} {about}  {_OUTPUTS[each.verdict]}", style)


def _change(change: RunFileChange) -> StyledLine:
    parts = [change.kind, count(change.size, "byte"), change.about]
    about = ", ".join(part for part in parts if part)
    pattern = f"  matches {change.pattern}" if change.pattern else ""
    path = f"{_ROOTS[change.root]}{change.path}"
    return StyledLine(f"{GLYPHS[change.change]} {path}  {about}{pattern}")


# Two runs.


def difference_lines(
    rows: Sequence[RunDifference], before: RunReport, after: RunReport
) -> Iterator[Part]:
    """In what two runs differ: what they were run with, then what they did."""
    yield StyledLine(f"before  {before.run}  {ended_text(before)}")
    yield StyledLine(f"now     {after.run}  {ended_text(after)}")
    for area, several in groupby(rows, key=lambda each: each.area):
        title = f"Result: {area}" if area in DID else f"Run with: {area}"
        style: LineStyle = "warning" if area in DID else ""
        yield from section(title, _styled([e.message for e in several], style), most=ROWS)
    yield same_line(rows)


def same_line(rows: Sequence[RunDifference]) -> StyledLine:
    """Whether two runs had the same result."""
    if any(each.area in DID for each in rows):
        return StyledLine("different results", "error")
    return StyledLine("same results" if rows else "same inputs, same results", "good")
