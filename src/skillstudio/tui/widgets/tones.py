"""The weight of what is told as a style of `Content`."""

from __future__ import annotations

from collections.abc import Mapping

from skillstudio.session.told import Tone

STYLES: Mapping[Tone, str] = {
    "": "",
    "heading": "bold",
    "error": "$text-error",
    "warning": "$text-warning",
    "good": "$text-success",
    "quiet": "dim",
}
