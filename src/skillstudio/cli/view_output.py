"""A view on standard output: as many of its lines as are asked for, and what else is to know."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.cli.output import Paint, UsageError, colours_wanted, print_json, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.preview.view import FileView

FIRST = 200
"""Lines that are printed where none are asked for."""
_IN_JSON = 10_000
"""Lines that one JSON value has at most."""
_RANGE = re.compile(r"([0-9]{1,15})?:([0-9]{1,15})?")


class LineRange(NamedTuple):
    """The lines to show, from 0."""

    start: int
    end: int
    """The line before which it ends."""
    asked: bool
    """Whether somebody asked for just these."""


def read_lines(text: str | None) -> LineRange:
    """What --lines says. Raises UsageError."""
    if text is None:
        return LineRange(0, FIRST, asked=False)
    found = _RANGE.fullmatch(text)
    start = int(found[1] or 1) if found else 0
    end = int(found[2]) if found and found[2] else sys.maxsize
    if not 1 <= start <= end:
        raise UsageError(
            "--lines takes A:B, the first and the last line, from 1; one may be left out"
        )
    return LineRange(start - 1, end, asked=True)


def paint() -> Paint:
    """Colours where standard output has them."""
    return Paint(colours_wanted(sys.stdout))


def width() -> int:
    """The columns for text that is set anew."""
    try:
        return int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        return 80


def print_view(path: str, view: FileView, how: str, wanted: LineRange, format_: str) -> None:
    """Print a view as text, line by line as it is read, or as one JSON value."""
    from skillstudio.cli.formats.view import painted, view_value

    _reach(view, wanted.start)
    if format_ == "json":
        # One value is made of them in memory; as text they go out one by one.
        end = min(wanted.end, wanted.start + _IN_JSON)
        print_json(view_value(path, view, how, wanted.start, end))
        return
    at = wanted.start
    colours = paint()
    while at < wanted.end:
        batch = view.lines(at, wanted.end - at)
        if not batch:
            if view.complete:
                break
            continue
        for each in batch:
            print(painted(each, colours))
        at += len(batch)
    if view.note:
        say(f"{view.kind}: {safe_text(view.note)}")
    say_rest(view.count if view.complete else None, at, wanted, view.count)


def say_rest(whole: int | None, at: int, wanted: LineRange, known: int) -> None:
    """Say which lines those were; `whole` is how many there are, None where that is not known."""
    if not wanted.asked and (whole is None or at < known):
        of = "" if whole is None else f" of {whole:,}"
        say(f"lines {wanted.start + 1:,} to {at:,}{of}; --lines A:B shows others")
    elif wanted.asked and at == wanted.start:
        say(f"there is no line {wanted.start + 1:,}: it has {known:,}")


def _reach(view: FileView, start: int) -> None:
    """Read on until a line is known, however far down it stands."""
    while start and not view.lines(start, 1) and not view.complete:
        pass
