"""Print where the encoding of the output lacks characters that skillstudio uses."""

from __future__ import annotations

import codecs
import io
from typing import TextIO

_NAME = "skillstudio-replace"
_INSTEAD = {
    "→": "->", "←": "<-", "✓": "+", "✗": "x", "×": "x", "…": "...", "·": "-", "•": "*", "–": "-",
    "—": "-", "≈": "~", "○": "o", "▲": "^", "▶": ">", "│": "|", "─": "-", "“": '"', "”": '"',
    "‘": "'", "’": "'",
}  # fmt: skip
"""Texts for characters that few encodings have; other ones become `?`."""


def replace_unknown(stream: TextIO) -> None:
    """Print other characters for those that the encoding of a stream does not have."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        codecs.register_error(_NAME, _replace_characters)
        stream.reconfigure(errors=_NAME)


def _replace_characters(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    encoding = error.encoding
    instead = "".join(_INSTEAD.get(character, "?") for character in text)
    return instead.encode(encoding, "replace").decode(encoding), error.end
