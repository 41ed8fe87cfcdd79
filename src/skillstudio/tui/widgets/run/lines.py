"""What is told of plans and runs as `Content`: safe, and never markup."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from skillstudio.session.styled_lines import StyledLine
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.line_styles import STYLES

_NARROWEST = 12
"""Cells below which lines are left to the widget."""


def lines_content(lines: Iterable[StyledLine], width: int = 0) -> Content:
    """Lines below each other, indented by their depth; what is longer than `width` cells goes on
    below at the same depth."""
    return Content("\n").join([part for each in lines for part in _line(each, width)])


def _line(each: StyledLine, width: int) -> list[Content]:
    style = STYLES[each.style]
    text = safe_text(each.text)
    content = Content.styled(text, style) if style else Content(text)
    before = Content("  " * each.indent)
    room = width - 2 * each.indent
    parts = content.wrap(room) if room >= _NARROWEST else [content]
    return [before + part for part in parts]
