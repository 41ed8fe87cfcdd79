"""A report as workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.report import Cut
from skillstudio.present.problems import omitted_text
from skillstudio.text.safe import safe_text

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def lines(cut: Cut) -> Iterator[str]:
    """One command a problem, and a notice for each rule with more of them."""
    for diagnostic in cut.diagnostics:
        place = (
            f"file={property_(diagnostic.path)},line={diagnostic.line},col={diagnostic.column},"
            f"endLine={diagnostic.end_line},endColumn={diagnostic.end_column}"
        )
        title = property_(diagnostic.rule)
        yield f"::{LEVELS[diagnostic.severity]} {place},title={title}::{data(diagnostic.message)}"
    for rule, number in cut.omitted.items():
        yield f"::notice title={property_(rule)}::{data(omitted_text(rule, number))}"


def data(text: str) -> str:
    """A text as the message of a command."""
    return safe_text(text, keep_newlines=True).replace("%", "%25").replace("\n", "%0A")


def property_(text: str) -> str:
    """A text as the value of a property of a command."""
    return data(text).replace(":", "%3A").replace(",", "%2C")
