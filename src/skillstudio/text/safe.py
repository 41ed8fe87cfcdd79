"""Make untrusted text safe for a terminal."""

from __future__ import annotations

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
_NAMED_CODES = (
    *range(0x80, 0xA0),  # C1: an escape sequence in one character
    0x061C,
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),  # line and paragraph separators, directions
    *range(0x2066, 0x206A),
    0x200B,
    0x2060,
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),  # tags: text that no one sees
)
_TABLE: dict[int, str] = _PICTURES | {code: f"<U+{code:04X}>" for code in _NAMED_CODES}
_LINES_KEPT = {code: replacement for code, replacement in _TABLE.items() if code != 0x0A}


def safe_text(text: str, keep_newlines: bool = False) -> str:
    """Replace every character that could control a terminal or mislead its reader.

    Control characters become control pictures; bidirectional controls, separators and other
    invisible characters become `<U+XXXX>`. Letters of every script and emoji are kept.
    """
    if text.isprintable():
        return text
    # A lone surrogate cannot be encoded, so it is written as its escape.
    text = text.encode("utf-8", "backslashreplace").decode()
    return text.translate(_LINES_KEPT if keep_newlines else _TABLE)
