"""`--format github`: workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.annotations import AnnotationLog
from skillstudio.cli.lists import MOST_SHOWN
from skillstudio.text.safe import safe_text

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
MOST = MOST_SHOWN


def lines(log: AnnotationLog) -> Iterator[str]:
    """One command for each problem, and a notice for each note."""
    for annotation in log.annotations:
        # GitHub finds the file only by its path from the root of the repository.
        place = f"file={_property(log.repository_path(annotation.path))},line={annotation.line}"
        if annotation.column:
            place += f",col={annotation.column}"
        if annotation.end_column:
            place += f",endLine={annotation.end_line},endColumn={annotation.end_column}"
        title = _property(annotation.title or annotation.rule)
        yield f"::{LEVELS[annotation.level]} {place},title={title}::{_data(annotation.message)}"
    for title, text in log.notes:
        yield f"::notice title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    """A text as the message of a command."""
    return safe_text(text, keep_newlines=True).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    """A text as the value of a property of a command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
