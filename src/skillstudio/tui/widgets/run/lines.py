"""What is told of plans and runs as `Content`: safe, and never markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.content import Content

from skillstudio.session.running_told import Told, Tone
from skillstudio.text.safe import safe_text

_STYLES: Mapping[Tone, str] = {
    "": "",
    "heading": "bold",
    "error": "$text-error",
    "warning": "$text-warning",
    "good": "$text-success",
    "quiet": "dim",
}


def told(lines: Iterable[Told]) -> Content:
    """Lines below each other, indented by their depth."""
    return Content("\n").join([_line(each) for each in lines])


def _line(each: Told) -> Content:
    text = "  " * each.indent + safe_text(each.text)
    style = _STYLES[each.tone]
    return Content.styled(text, style) if style else Content(text)
