"""Characters that a terminal would obey, drawn as characters that it shows.

One character becomes one character of one cell, so that columns stay what they are in the text.
"""

from __future__ import annotations

import re

_BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_INVISIBLE = [0xFEFF, 0x200B, 0x200C, 0x2060, 0x00AD, 0x180E]
_BREAKS = [0x0085, 0x2028, 0x2029]
_OTHER = [*range(0x80, 0xA0), *range(0xD800, 0xE000), *range(0xE0000, 0xE0080), 0xFFF9, 0xFFFA]

_PICTURES: dict[int, str] = dict.fromkeys(_OTHER, "\ufffd")
_PICTURES |= {code: chr(0x2400 + code) for code in range(0x20) if code != 9}
_PICTURES |= {0x7F: "\u2421"}
_PICTURES |= dict.fromkeys(_BREAKS, "\u2424")
_PICTURES |= dict.fromkeys(_INVISIBLE, "\u2423")
_PICTURES |= dict.fromkeys(_BIDI, "\u21c4")

_HOSTILE = re.compile("[" + "".join(re.escape(chr(code)) for code in _PICTURES) + "]")


def pictured(line: str) -> str:
    """The line with a picture for each control, bidi and invisible character; tabs stay."""
    return line.translate(_PICTURES) if _HOSTILE.search(line) else line


def pictures(line: str) -> list[int]:
    """The columns of a line at which a picture stands for a character."""
    return [found.start() for found in _HOSTILE.finditer(line)]
