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


class Excerpt(NamedTuple):
    """A part of a line, and how many characters of the line come before it."""

    text: str
    skipped: int


class Finding(NamedTuple):
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
    """The line at which it begins; None for a finding without a place."""

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
    findings: list[Finding]
    profiles: dict[str, bool]

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "name": self.name,
            "dialects": self.dialects,
            "diagnostics": [finding.as_json() for finding in self.findings],
            "profiles": self.profiles,
        }


class Report:
    """All that a check found."""

    def __init__(self) -> None:
        self.skills: list[CheckedSkill] = []
        self.workspace: list[Finding] = []

    def findings(self) -> list[Finding]:
        return [*self.workspace, *(each for skill in self.skills for each in skill.findings)]

    def counts(self) -> dict[Severity, int]:
        counts = Counter(finding.severity for finding in self.findings())
        return {severity: counts[severity] for severity in SEVERITIES}

    def reaches(self, threshold: Severity) -> bool:
        """Whether anything was found at or above a severity."""
        counts = self.counts()
        return any(counts[each] for each in SEVERITIES[: SEVERITIES.index(threshold) + 1])

    def as_json(self) -> dict[str, Any]:
        counts = self.counts()
        return {
            "skills": [skill.as_json() for skill in self.skills],
            "workspace": {"diagnostics": [finding.as_json() for finding in self.workspace]},
            "summary": {
                "skills": len(self.skills),
                "errors": counts["error"],
                "warnings": counts["warning"],
                "infos": counts["info"],
            },
        }


def checked(shown: str, analysis: Analysis) -> CheckedSkill:
    """An analysis as the row of a report."""
    return CheckedSkill(
        path=shown,
        name=analysis.name,
        dialects=analysis.dialects,
        findings=[_finding(shown, analysis, each) for each in analysis.diagnostics],
        profiles=analysis.profiles,
    )


def _finding(shown: str, analysis: Analysis, diagnostic: Diagnostic) -> Finding:
    start, end = analysis.place(diagnostic)
    return Finding(
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
    """The line at which a finding begins, cut where it is long."""
    if source is None or span is None:
        return None
    return Excerpt(*source.around(span.start, MAX_EXCERPT))


def workspace_finding(rule: str, message: str, path: str, line: int, column: int) -> Finding:
    """A finding of no skill's."""
    return Finding(rule, severity_of(rule), message, path, line, column, line, column)
