"""The style of a line as a style of `Content`."""

from __future__ import annotations

from collections.abc import Mapping

from skillstudio.present.lines import LineStyle

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
