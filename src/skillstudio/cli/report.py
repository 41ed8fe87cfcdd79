"""The result of a check as plain values, for every format."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.analysis import Analysis
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic, Severity
from skillstudio.text.source import Source, Span

MAX_EXCERPT = 120
"""Columns of a source line that are shown."""
SHOWN_OF_RULE = 100
"""So many problems of one rule are printed for people; `--all` prints the others too."""
LISTED_OF_RULE = 1_000
"""So many problems of one rule are listed for programs."""
MOST_PRINTED = 1_000_000
"""Bytes that all problems of a report may take, about: the worst of them go first."""


class Excerpt(NamedTuple):
    """A part of a line, and how many characters of the line come before it."""

    text: str
    skipped: int


class ReportedDiagnostic(NamedTuple):
    """A diagnostic with the place that people read: lines and columns from 1, end exclusive."""

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
    """The line at which it begins; None for a problem without a place."""

    def weight(self) -> int:
        """About as many bytes as it takes in print, whatever the format."""
        texts = (self.message, self.path, self.path, self.pointer)
        shown = self.excerpt.text if self.excerpt else ""
        titles = (title for title, _ in self.fixes)
        # Non-ASCII is escaped in JSON, and invisible characters in text.
        return 300 + sum(
            len(text) if text.isascii() and text.isprintable() else 10 * len(text)
            for text in (*texts, shown, shown, *titles)
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "pointer": self.pointer,
            "fixes": [{"title": title, "safe": safe} for title, safe in self.fixes],
        }


class CheckedSkill(NamedTuple):
    """One skill and what was found in it."""

    path: str
    name: str
    dialects: list[str]
    diagnostics: list[ReportedDiagnostic]
    targets: dict[str, bool]
    more: Counter[tuple[str, Severity]]
    """How many further diagnostics of a rule and a severity there are: a cut leaves them out."""

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "name": self.name,
            "dialects": self.dialects,
            "diagnostics": [diagnostic.as_json() for diagnostic in self.diagnostics],
            "targets": self.targets,
        }


class CheckReport:
    """All that a check found; uncut it is printed without a limit."""

    def __init__(self, uncut: bool = False) -> None:
        self.uncut = uncut
        self.skills: list[CheckedSkill] = []
        self.workspace: list[ReportedDiagnostic] = []

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

    def as_json(self, diff: list[str] | None = None) -> dict[str, Any]:
        """The problems for programs, and a diff of the fixes that were not written."""
        cut = self.cut(LISTED_OF_RULE)
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
            "workspace": {"diagnostics": [diagnostic.as_json() for diagnostic in workspace]},
            "summary": summary,
            **({"diff": "\n".join(diff)} if diff else {}),
        }


class Cut(NamedTuple):
    """The part of a report that is printed."""

    diagnostics: list[ReportedDiagnostic]
    omitted: dict[str, int]
    """Rule to how many of its problems are left out; empty where none are."""


def checked(shown: str, analysis: Analysis, most: int | None = None) -> CheckedSkill:
    """An analysis as the row of a report.

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
    return CheckedSkill(
        path=shown,
        name=analysis.name,
        dialects=analysis.dialects,
        diagnostics=diagnostics,
        targets=analysis.targets,
        more=more,
    )


def _diagnostic(shown: str, analysis: Analysis, diagnostic: Diagnostic) -> ReportedDiagnostic:
    start, end = analysis.place(diagnostic)
    return ReportedDiagnostic(
        diagnostic.rule,
        diagnostic.severity or "error",
        diagnostic.message,
        f"{shown}/{diagnostic.path}" if diagnostic.path else shown,
        *start,
        *end,
        diagnostic.pointer,
        tuple((fix.title, fix.safe) for fix in diagnostic.fixes),
        excerpt_at(analysis.source(diagnostic.path), diagnostic.span),
    )


def excerpt_at(source: Source | None, span: Span | None) -> Excerpt | None:
    """The line at which a problem begins, cut if it is long."""
    if source is None or span is None:
        return None
    return Excerpt(*source.around(span.start, MAX_EXCERPT))


def workspace_diagnostic(
    rule: str, message: str, path: str, line: int, column: int
) -> ReportedDiagnostic:
    """A problem of no skill's."""
    return ReportedDiagnostic(rule, severity_of(rule), message, path, line, column, line, column)
