"""`--format github`: workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.lists import SHOWN
from skillstudio.cli.report import CheckReport
from skillstudio.present.problems import omitted_text
from skillstudio.text.safe import safe_text

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def lines(report: CheckReport) -> Iterator[str]:
    """One command for each problem, and a notice for each rule with more of them."""
    cut = report.cut(SHOWN)
    for finding in cut.diagnostics:
        place = (
            f"file={property_(finding.path)},line={finding.line},col={finding.column},"
            f"endLine={finding.end_line},endColumn={finding.end_column}"
        )
        title = property_(finding.rule)
        yield f"::{LEVELS[finding.severity]} {place},title={title}::{data(finding.message)}"
    for rule, number in cut.omitted.items():
        yield f"::notice title={property_(rule)}::{data(omitted_text(rule, number))}"


def data(text: str) -> str:
    """A text as the message of a command."""
    return safe_text(text, keep_newlines=True).replace("%", "%25").replace("\n", "%0A")


def property_(text: str) -> str:
    """A text as the value of a property of a command."""
    return data(text).replace(":", "%3A").replace(",", "%2C")
