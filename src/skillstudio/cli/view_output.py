"""Print the wanted lines of a view, and notes on them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.cli.output import Paint, Result, UsageError, say
from skillstudio.preview.spans import Line, plain
from skillstudio.preview.view import FileView

FIRST = 200
_IN_JSON = 10_000  # The most lines of one JSON value.
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
    "rule": "2",
    "added": "32",
    "removed": "31",
    "inserted": "32",
    "deleted": "31",
    "error": "31",
    "warning": "33",
}
"""Style to the code of a terminal (ECMA-48, SGR)."""
_RANGE = re.compile(r"([0-9]{1,15})?:([0-9]{1,15})?")


class LineRange(NamedTuple):
    """The lines to show, from 0."""

    start: int
    end: int
    is_given: bool  # Whether the command line states the range.


def read_lines(text: str | None) -> LineRange:
    """The value of --lines. Raises UsageError."""
    if text is None:
        return LineRange(0, FIRST, is_given=False)
    match = _RANGE.fullmatch(text)
    start = int(match[1] or 1) if match else 0
    end = int(match[2]) if match and match[2] else sys.maxsize
    if not 1 <= start <= end:
        raise UsageError(
            "--lines needs A:B, the first and the last line, counted from 1; either is optional"
        )
    return LineRange(start - 1, end, is_given=True)


def view_result(path: str, view: FileView, how: str, line_range: LineRange) -> Result:
    """A view as text, line by line as it is read, or as one JSON value."""
    # Read on until the first wanted line is known.
    while line_range.start and not view.lines(line_range.start, 1) and not view.complete:
        pass

    def text(paint: Paint) -> Iterator[str]:
        at = line_range.start
        while at < line_range.end:
            batch = view.lines(at, line_range.end - at)
            if not batch and view.complete:
                break
            yield from (_paint_line(line, paint) for line in batch)
            at += len(batch)
        if view.note:
            say(f"{view.kind}: {view.note}")
        say_rest(view.count if view.complete else None, at, line_range, view.count)

    # JSON is made in memory; text is printed while it is read.
    end = min(line_range.end, line_range.start + _IN_JSON)
    return Result(lambda: _view_value(path, view, how, line_range.start, end), text)


def say_rest(whole: int | None, at: int, line_range: LineRange, known_count: int) -> None:
    """Say which lines were printed, of how many; `whole` is None if that is not known."""
    if not line_range.is_given and (whole is None or at < known_count):
        of = "" if whole is None else f" of {whole:,}"
        say(f"lines {line_range.start + 1:,} to {at:,}{of}; --lines A:B shows others")
    elif line_range.is_given and at == line_range.start:
        say(f"there is no line {line_range.start + 1:,}; the last one is {known_count:,}")


def _paint_line(line: Line, paint: Paint) -> str:
    if not paint.has_colours:
        return plain(line).rstrip()
    return "".join(
        f"\x1b[{_CODES[span.style]}m{span.text}\x1b[0m" if span.style else span.text
        for span in line
    )


def _view_value(path: str, view: FileView, how: str, start: int, end: int) -> dict[str, Any]:
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
