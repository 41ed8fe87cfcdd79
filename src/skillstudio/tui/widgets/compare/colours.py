"""The lines of a text diff with the colours of their language."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content, Span

from skillstudio.session.comparing.text import FileDiff, TextDiff, TextRow
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.compare.scripts import (
    ScriptHighlighter,
    language_of_script,
    read_script,
)
from skillstudio.tui.widgets.editor.highlight import Highlighter, Run, language_of

MOST_COLOURED = 20_000
"""So many lines of both sides together have colours."""
LONGEST = 5000
"""Characters of a line that are drawn."""
STYLES = {
    "key": "$text-primary",
    "string": "$text-success",
    "number": "$text-warning",
    "word": "$text-accent",
    "comment": "$foreground 60%",
    "punctuation": "$foreground 80%",
    "heading": "bold $text-primary",
    "strong": "bold",
    "emphasis": "italic",
    "code": "$text-secondary",
    "link": "$text-accent",
    "marker": "$text-warning",
}
"""The editor's styles, as a style of `Content`."""


Reader = Highlighter | ScriptHighlighter
"""Gives the runs of a row."""


class Coloured(NamedTuple):
    """A text diff whose lines were read by their languages, old and new apart."""

    diff: TextDiff
    old: tuple[Reader | None, ...]
    new: tuple[Reader | None, ...]


def coloured(diff: TextDiff) -> Coloured:
    """Read the lines that can be seen and those above them; meant for a thread."""
    room = MOST_COLOURED
    sides: tuple[list[Reader | None], list[Reader | None]] = ([], [])
    for file in diff.files:
        for side, lines in zip(sides, (file.old, file.new), strict=True):
            last = min(_last(file, side is sides[0]), len(lines) - 1)
            fits = bool(file.hunks) and 0 <= last < room
            side.append(_read(file, lines, last) if fits else None)
            room -= last + 1 if fits else 0
    return Coloured(diff, tuple(sides[0]), tuple(sides[1]))


def _last(file: FileDiff, old: bool) -> int:
    """The last line of a side that a diff shows."""
    if not file.hunks:
        return -1
    last = file.hunks[-1]
    end = last.old_start + len(last.old_lines) if old else last.new_start + len(last.new_lines)
    return end + 3


def _read(file: FileDiff, lines: tuple[str, ...], last: int) -> Reader:
    if language := language_of_script(file.path, lines[0]):
        return read_script(lines[: last + 1], language)
    found = Highlighter(lambda: lines, language_of(file.path))
    found.settle(last)
    return found


def line_of(diff: TextDiff, row: TextRow, old: bool) -> str:
    """The line of one side of a row; empty where it has none."""
    at = row.old if old else row.new
    lines = diff.files[row.file].old if old else diff.files[row.file].new
    return lines[at] if 0 <= at < len(lines) else ""


def shown_line(line: str) -> str:
    """A line as it is drawn: nothing in it moves the cursor or hides, and it ends in sight."""
    if len(line) > LONGEST:
        line = f"{line[:LONGEST]}… ({len(line)} characters)"
    return line if line.isprintable() else safe_text(line.expandtabs(4))


def runs_of(found: Coloured, row: TextRow, old: bool) -> tuple[Run, ...]:
    """The colours of one side of a row; none where the line is not drawn as it is."""
    highlighter = (found.old if old else found.new)[row.file]
    line = line_of(found.diff, row, old)
    if highlighter is None or len(line) > LONGEST or not line.isprintable():
        return ()
    return highlighter.runs(row.old if old else row.new)


def part(
    text: str,
    runs: tuple[Run, ...],
    start: int,
    end: int,
    changed: tuple[int, int] = (0, 0),
    emphasis: str = "",
) -> Content:
    """Some columns of a line; `changed` are the columns that have the style `emphasis`."""
    spans = [
        Span(max(run.start, start) - start, min(run.end, end) - start, STYLES[run.kind])
        for run in runs
        if run.end > start and run.start < end and run.kind in STYLES
    ]
    first, last = max(changed[0], start), min(changed[1], end)
    if emphasis and first < last:
        spans.append(Span(first - start, last - start, emphasis))
    return Content(text[start:end], spans)
