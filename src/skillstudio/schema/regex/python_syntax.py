"""Find constructs of Python's `re` that ECMA-262 does not have."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|\(\?P[<=>]|\(\?[aiLmsux-]+[:)]|\(\?#|\(\?>", re.S)
_ESCAPES = ("\\A", "\\Z")


def python_only(pattern: str) -> list[tuple[int, str]]:
    r"""Each such construct with its offset: `(?P<`, `(?P=`, `\A`, `\Z`, inline flags."""
    return [
        (found.start(), found.group())
        for found in _TOKEN.finditer(pattern)
        if found.group().startswith("(") or found.group() in _ESCAPES
    ]
