"""The result of a check as values for every format, and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.lists import LISTED, MOST_PRINTED
from skillstudio.cli.output import Paint
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.rulebook import severity_of
from skillstudio.manifest.targets import Reason
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import Analysis
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic, Severity
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Position, Source

if TYPE_CHECKING:
    from skillstudio.skill.listing import Listing

MAX_EXCERPT = 120  # Columns of a source line that are shown.


class Excerpt(NamedTuple):
    """A part of a line, and how many characters of the line come before it."""

    text: str
    skipped: int


class ReportedDiagnostic(NamedTuple):
    """A diagnostic with its place: lines and columns from 1, end exclusive."""

    rule: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    pointer: str = ""
    fixes: tuple[tuple[str, bool], ...] = ()
    excerpt: Excerpt | None = None

    def weight(self) -> int:
        """About how many bytes it has in any format."""
        texts = (self.message, self.path, self.path, self.pointer)
        shown = self.excerpt.text if self.excerpt else ""
        titles = (title for title, _ in self.fixes)
        # Non-ASCII is escaped in JSON, and invisible characters in text.
        return 300 + sum(
            len(text) if text.isascii() and text.isprintable() else 10 * len(text)
            for text in (*texts, shown, shown, *titles)
        )

    def as_json(self) -> dict[str, Any]:
        value = self._asdict()
        del value["excerpt"]
        value["fixes"] = [{"title": title, "safe": safe} for title, safe in self.fixes]
        return value


class CheckedSkill(NamedTuple):
    """A skill and its diagnostics."""

    path: str
    name: str
    dialects: list[str]
    selected_by: str  # How the targets were selected.
    diagnostics: list[ReportedDiagnostic]
    targets: dict[str, dict[str, Any]]  # Outcome and reasons of each.
    more: Counter[tuple[str, Severity]]
    """The numbers of diagnostics by rule and severity that are not in the list."""

    def as_json(self) -> dict[str, Any]:
        value = self._asdict()
        del value["more"]
        value["diagnostics"] = [diagnostic.as_json() for diagnostic in self.diagnostics]
        return value


class CheckReport:
    """All problems of a check; `uncut`: they are printed without a limit."""

    def __init__(self, uncut: bool = False) -> None:
        self.uncut = uncut
        self.skills: list[CheckedSkill] = []
        self.workspace: list[ReportedDiagnostic] = []
        self.listings: dict[tuple[str, str], Listing] = {}
        """What skills take of the listings of targets, by folder and target."""

    def diagnostics(self) -> list[ReportedDiagnostic]:
        return [*self.workspace, *(each for skill in self.skills for each in skill.diagnostics)]

    def counts(self) -> dict[Severity, int]:
        counts = Counter(diagnostic.severity for diagnostic in self.diagnostics())
        for skill in self.skills:
            for (_, severity), number in skill.more.items():
                counts[severity] += number
        return {severity: counts[severity] for severity in SEVERITIES}

    def reaches(self, threshold: Severity) -> bool:
        """Whether anything was found at or above a severity."""
        counts = self.counts()
        return any(counts[each] for each in SEVERITIES[: SEVERITIES.index(threshold) + 1])

    def cut(self, of_rule: int) -> Cut:
        """The problems to print: at most `of_rule` of each rule, the most severe ones first."""
        if self.uncut:
            return Cut(self.diagnostics(), {})
        kept: set[int] = set()
        room = MOST_PRINTED
        diagnostics = self.diagnostics()
        number: Counter[str] = Counter()
        for severity in SEVERITIES:
            for at, diagnostic in enumerate(diagnostics):
                if diagnostic.severity != severity or number[diagnostic.rule] >= of_rule:
                    continue
                room -= diagnostic.weight()
                if room < 0:
                    break
                number[diagnostic.rule] += 1
                kept.add(at)
        omitted = Counter(each.rule for at, each in enumerate(diagnostics) if at not in kept)
        for skill in self.skills:
            for (rule, _), more in skill.more.items():
                omitted[rule] += more
        return Cut([each for at, each in enumerate(diagnostics) if at in kept], dict(omitted))

    def _listing(self) -> dict[str, dict[str, Any]]:
        """The figures of listings by folder, then by target."""
        figures: dict[str, dict[str, Any]] = {}
        for (folder, target), listing in self.listings.items():
            figures.setdefault(folder, {})[target] = listing._asdict()
        return figures

    def as_json(self) -> dict[str, Any]:
        """The problems for programs."""
        cut = self.cut(LISTED)
        counts = self.counts()
        summary: dict[str, Any] = {
            "skills": len(self.skills),
            "errors": counts["error"],
            "warnings": counts["warning"],
            "infos": counts["info"],
        }
        skills, workspace = self.skills, self.workspace
        if cut.omitted:
            summary["omitted"] = cut.omitted
            kept = set(map(id, cut.diagnostics))
            workspace = [each for each in workspace if id(each) in kept]
            skills = [
                skill._replace(diagnostics=[each for each in skill.diagnostics if id(each) in kept])
                for skill in skills
            ]
        return {
            "skills": [skill.as_json() for skill in skills],
            "workspace": {
                "diagnostics": [diagnostic.as_json() for diagnostic in workspace],
                "listing": self._listing(),
            },
            "summary": summary,
        }


class Cut(NamedTuple):
    """The part of a report that is printed."""

    diagnostics: list[ReportedDiagnostic]
    omitted: dict[str, int]


def checked(
    shown: str, analysis: Analysis, most: int | None = None, judged: bool = True
) -> CheckedSkill:
    """An analysis as the row of a report, with the outcomes at targets if `judged`.

    With `most`, only so many diagnostics of each rule and severity are listed and the others are
    counted: all that a cut to `most` of a rule may need.
    """
    number: Counter[tuple[str, Severity]] = Counter()
    more: Counter[tuple[str, Severity]] = Counter()
    diagnostics = []
    for each in analysis.diagnostics:
        kind = (each.rule, each.severity or "error")
        number[kind] += 1
        if most is None or number[kind] <= most:
            diagnostics.append(_diagnostic(shown, analysis, each))
        else:
            more[kind] += 1
    targets = {
        id: {"outcome": each.outcome, "reasons": reasons_as_json(each.reasons, analysis.skill)}
        for id, each in (analysis.targets if judged else {}).items()
    }
    by = analysis.skill.settings.selected_by or "all targets"
    return CheckedSkill(shown, analysis.name, analysis.dialects, by, diagnostics, targets, more)


def reasons_as_json(reasons: Sequence[Reason], skill: Skill) -> list[dict[str, Any]]:
    """The reasons of a target with their places; line 1, column 1 of SKILL.md if one has none."""
    source = skill.markdown.source if skill.markdown is not None else None
    rows = []
    for each in reasons:
        line, column = source.position(each.span.start) if source and each.span else (1, 1)
        place = {"path": source.path if source else "", "line": line, "column": column}
        said = {"reason": each.text, "fix": each.fix, "evidence": each.evidence}
        rows.append({"outcome": each.outcome, **said, **place})
    return rows


def _diagnostic(shown: str, analysis: Analysis, diagnostic: Diagnostic) -> ReportedDiagnostic:
    path = f"{shown}/{diagnostic.path}" if diagnostic.path else shown
    source = analysis.source(diagnostic.path)
    return diagnostic_at(
        diagnostic, path, diagnostic.severity or "error", source, *analysis.place(diagnostic)
    )


def diagnostic_at(
    diagnostic: Diagnostic,
    path: str,
    severity: Severity,
    source: Source | None,
    start: Position,
    end: Position,
) -> ReportedDiagnostic:
    """A diagnostic with its place and the line at which it begins, which is cut if it is long."""
    excerpt = None
    if source is not None and diagnostic.span is not None:
        excerpt = Excerpt(*source.around(diagnostic.span.start, MAX_EXCERPT))
    fixes = tuple((fix.title, fix.safe) for fix in diagnostic.fixes)
    return ReportedDiagnostic(
        diagnostic.rule, severity, diagnostic.message, path, *start, *end, diagnostic.pointer,
        fixes, excerpt,
    )  # fmt: skip


def file_diagnostics(
    found: Iterable[Diagnostic],
    shown: str,
    source: Source | None,
    settings: SkillSettings = NO_SETTINGS,
) -> list[ReportedDiagnostic]:
    """The problems of a file of the workspace that belongs to no skill."""
    made = []
    for each in found:
        start = end = Position(1, 1)
        if source is not None and each.span is not None:
            start, end = source.position(each.span.start), source.position(each.span.end)
        severity = settings.severities.get(each.rule) or each.severity or severity_of(each.rule)
        if severity != "off":
            made.append(diagnostic_at(each, shown, severity, source, start, end))
    return made


def workspace_diagnostic(
    rule: str, message: str, path: str, line: int, column: int
) -> ReportedDiagnostic:
    """A problem of the workspace, not of a skill."""
    return ReportedDiagnostic(rule, severity_of(rule), message, path, line, column, line, column)


def report_lines(report: CheckReport, cut: Cut, paint: Paint, plain: bool = False) -> Iterator[str]:
    """A report for people; with `plain` without drawings, places in words."""
    from skillstudio.present.problems import omitted_text, summary_text

    for diagnostic in cut.diagnostics:
        yield from _diagnostic_lines(diagnostic, paint, plain)
    for rule, number in cut.omitted.items():
        yield paint(f"{omitted_text(rule, number)}; --all prints every problem", "quiet")
    counts = report.counts()
    summary = summary_text(len(report.skills), counts)
    yield summary if any(counts.values()) else paint(summary, "good")


def _diagnostic_lines(diagnostic: ReportedDiagnostic, paint: Paint, plain: bool) -> Iterator[str]:
    path = safe_text(diagnostic.path)
    message = safe_text(diagnostic.message)
    severity = paint(diagnostic.severity, diagnostic.severity)
    if plain:
        place = f"line {diagnostic.line}, column {diagnostic.column}"
        yield f"{path}, {place}: {severity} {diagnostic.rule}: {message}"
    else:
        place = f"{path}:{diagnostic.line}:{diagnostic.column}"
        yield f"{paint(place, 'place')}: {severity} {diagnostic.rule}: {message}"
        if diagnostic.excerpt is not None:
            yield from _excerpt_lines(diagnostic, diagnostic.excerpt, paint)
    for title, safe in diagnostic.fixes:
        yield f"    {paint('fix', 'good')}: {safe_text(title)}{'' if safe else ' (unsafe)'}"


def _excerpt_lines(diagnostic: ReportedDiagnostic, excerpt: Excerpt, paint: Paint) -> Iterator[str]:
    shown, skipped = excerpt
    before = shown[: diagnostic.column - 1 - skipped]
    rest = shown[len(before) :]
    same_line = diagnostic.end_line == diagnostic.line
    at_fault = rest[: max(diagnostic.end_column - diagnostic.column, 1)] if same_line else rest
    number = str(diagnostic.line)
    pad = " " * _width(before)
    carets = "^" * max(_width(at_fault), 1)
    yield f"  {paint(number + ' |', 'quiet')} {safe_text(shown)}"
    yield f"  {' ' * len(number)} {paint('|', 'quiet')} {pad}{paint(carets, diagnostic.severity)}"


def _width(text: str) -> int:
    from unicodedata import combining, east_asian_width

    safe = safe_text(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in safe
    )
