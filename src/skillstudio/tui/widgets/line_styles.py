"""The style of a line as a style of `Content`."""

from __future__ import annotations

from collections.abc import Mapping

from skillstudio.session.styled_lines import LineStyle

STYLES: Mapping[LineStyle, str] = {
    "": "",
    "heading": "bold",
    "error": "$text-error",
    "warning": "$text-warning",
    "good": "$text-success",
    "quiet": "dim",
}
