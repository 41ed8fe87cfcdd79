"""Lines of a view for a terminal, and as JSON."""

from __future__ import annotations

from typing import Any

from skillstudio.cli.output import Paint
from skillstudio.preview.spans import Line, plain
from skillstudio.preview.view import FileView

_CODES = {
    "key": "36",
    "string": "32",
    "number": "35",
    "word": "35",
    "comment": "2",
    "punctuation": "2",
    "heading": "1;34",
    "strong": "1",
    "emphasis": "3",
    "code": "33",
    "link": "4;34",
    "marker": "34",
    "place": "1",
    "quiet": "2",
    "added": "32",
    "removed": "31",
    "error": "31",
    "warning": "33",
}
"""Style to what a terminal is told (ECMA-48, SGR)."""


def painted(line: Line, paint: Paint) -> str:
    """A line in colours, or plain where none are wanted."""
    if not paint.wanted:
        return plain(line).rstrip()
    return "".join(
        f"\x1b[{_CODES[span.style]}m{span.text}\x1b[0m" if span.style else span.text
        for span in line
    )


def view_value(path: str, view: FileView, how: str, start: int, end: int) -> dict[str, Any]:
    """A view with its lines from `start` up to `end`, both from 0."""
    lines: list[str] = []
    while start + len(lines) < end:
        batch = view.texts(start + len(lines), end - start - len(lines))
        if not batch and view.complete:
            break
        lines += batch
    return {
        "path": path,
        "kind": view.kind,
        "view": how,
        "first": start + 1,
        "lines": lines,
        "known": view.count,
        "complete": view.complete,
        "note": view.note,
    }
