"""The diagnostics that the editor marks, and their places while the text changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillstudio.text.diagnostic import Severity, Splice
from skillstudio.tui.widgets.editor.highlight import Run
from skillstudio.tui.widgets.editor.text_document import TextDocument

WEIGHT: dict[str, int] = {"error": 0, "warning": 1, "info": 2}


class ShownDiagnostic(NamedTuple):
    """A diagnostic as the editor shows it; `start` and `end` are offsets."""

    start: int
    end: int
    severity: Severity
    message: str
    rule: str
    fix: str = ""
    """The key that applies the fix, "" if there is none."""
    brief: str = ""
    """What the fix does, shown where the message has no space."""


def move_offset(offset: int, splices: Sequence[Splice]) -> int:
    """Return an offset after a change; a replaced place stays within the new text."""
    shift = 0
    for splice in splices:
        if splice.end <= offset:
            shift += len(splice.text) - (splice.end - splice.start)
        elif splice.start < offset:
            return splice.start + shift + min(offset - splice.start, len(splice.text))
        else:
            break
    return offset + shift


def follow(
    diagnostics: Iterable[ShownDiagnostic], splices: Sequence[Splice]
) -> list[ShownDiagnostic]:
    """Return the diagnostics at their places in the changed text."""
    moved_diagnostics = []
    for diagnostic in diagnostics:
        start, end = move_offset(diagnostic.start, splices), move_offset(diagnostic.end, splices)
        if end > start or diagnostic.end == diagnostic.start:
            moved_diagnostics.append(diagnostic._replace(start=start, end=max(start, end)))
    return moved_diagnostics


def worst(severities: Iterable[str]) -> str | None:
    return min(severities, key=WEIGHT.__getitem__, default=None)


def at(diagnostics: Iterable[ShownDiagnostic], offset: int) -> ShownDiagnostic | None:
    """Return the worst diagnostic at an offset, of equal ones the shortest."""
    candidates = [
        diagnostic for diagnostic in diagnostics if diagnostic.start <= offset <= diagnostic.end
    ]
    return min(candidates, key=lambda s: (WEIGHT[s.severity], s.end - s.start), default=None)


def underlines(
    diagnostics: Iterable[ShownDiagnostic], document: TextDocument
) -> dict[int, list[Run]]:
    """Return the underlines of each row, the worst last so that its colour is on top.

    Indentation within a diagnostic is left out. An empty span is shown on the character after it,
    or on the last one of its row.
    """
    rows: dict[int, list[Run]] = {}
    for diagnostic in sorted(diagnostics, key=lambda s: -WEIGHT[s.severity]):
        first, column = document.location_of(diagnostic.start)
        last, end_column = document.location_of(diagnostic.end)
        if (first, column) == (last, end_column):
            length = len(document.get_line(first))
            start = column if column < length else max(length - 1, 0)
            rows.setdefault(first, []).append(Run(start, start + 1, diagnostic.severity))
            continue
        for row in range(first, last + 1):
            line = document.get_line(row)
            start = column if row == first else len(line) - len(line.lstrip())
            end = end_column if row == last else len(line.rstrip())
            if start < end or row == first:
                rows.setdefault(row, []).append(Run(start, max(end, start), diagnostic.severity))
    return rows
