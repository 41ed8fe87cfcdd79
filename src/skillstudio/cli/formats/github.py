"""A report as workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.report import Report
from skillstudio.text.safe import safe_text

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def lines(report: Report) -> Iterator[str]:
    """One command a finding."""
    for finding in report.findings():
        place = (
            f"file={_property(finding.path)},line={finding.line},col={finding.column},"
            f"endLine={finding.end_line},endColumn={finding.end_column}"
        )
        title = _property(finding.rule)
        yield f"::{LEVELS[finding.severity]} {place},title={title}::{_data(finding.message)}"


def _data(text: str) -> str:
    return safe_text(text, keep_newlines=True).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
