"""Paint styled lines and tables for a terminal or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Colour, Paint, Result
from skillstudio.present.lines import LineStyle, Part, StyledLine, laid_out

_COLOURS: dict[LineStyle, Colour] = {
    "title": "place",
    "heading": "place",
    "folded": "place",
    "error": "error",
    "warning": "warning",
    "good": "good",
    "quiet": "quiet",
}
_NARROWEST = 40


def paint_lines(parts: Iterable[Part], paint: Paint, width: int | None = None) -> Iterator[str]:
    """The lines in colours or plain, wrapped between words at `width`."""
    for line in laid_out(parts):
        indent = "  " * line.indent
        if width is None or line.style == "code" or len(_plain(line)) + len(indent) <= width:
            yield indent + _colour_line(line, paint)
            continue
        import textwrap

        for row in textwrap.wrap(
            _plain(line),
            max(width, _NARROWEST),
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        ):
            colour = None if line.lead else _COLOURS.get(line.style)
            yield paint(row, colour) if colour else row


def _plain(line: StyledLine) -> str:
    remark = f"  {line.remark}" if line.remark else ""
    return f"{line.lead} {line.text}{remark}" if line.lead else line.text + remark


def _colour_line(line: StyledLine, paint: Paint) -> str:
    colour = _COLOURS.get(line.style)
    remark = f"  {paint(line.remark, 'quiet')}" if line.remark else ""
    if line.lead:
        lead = paint(line.lead, colour) if colour else line.lead
        return f"{lead} {line.text}{remark}"
    return (paint(line.text, colour) if colour else line.text) + remark


def parts_result(
    json: Callable[[], Any], parts: Callable[[], Iterable[Part]], status: int = OK
) -> Result:
    """A result for people: text as wide as the terminal, or Markdown."""
    return Result(json, lambda paint: paint_lines(parts(), paint, terminal_width()), status, parts)


def terminal_width() -> int | None:
    """The columns of the terminal that results are printed to; None if it is not one."""
    if not sys.stdout.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except OSError:
        return None
