"""Styled lines as `Content`: safe, and never markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.content import Content

from skillstudio.present.lines import LineStyle, Part, StyledLine, laid_out
from skillstudio.tui.words import joined, plain

STYLES: Mapping[LineStyle, str] = {
    "": "",
    "title": "bold",
    "heading": "bold",
    "folded": "bold",
    "error": "$text-error",
    "warning": "$text-warning",
    "good": "$text-success",
    "quiet": "dim",
    "code": "",
}
_NARROWEST = 12
"""Cells below which lines are not wrapped here."""


def lines_content(parts: Iterable[Part], width: int = 0) -> Content:
    """Join lines with their indents; a line longer than `width` cells is wrapped at its indent."""
    return Content("\n").join([row for each in laid_out(parts) for row in _rows(each, width)])


def line_content(line: StyledLine) -> Content:
    """Return one line without its indent."""
    remark = plain(f"  {line.remark}", "dim") if line.remark else ""
    if line.lead:
        return joined(plain(f"{line.lead} ", STYLES[line.style]), plain(line.text), remark)
    return joined(plain(line.text, STYLES[line.style]), remark)


def _rows(line: StyledLine, width: int) -> list[Content]:
    content = line_content(line)
    before = Content("  " * line.indent)
    room = width - 2 * line.indent
    rows = content.wrap(room) if room >= _NARROWEST else [content]
    return [before + row for row in rows]
