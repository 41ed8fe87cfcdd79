"""Find git's merge conflict markers."""

from __future__ import annotations

import re
from functools import cache

from skillstudio.text.lazy_pattern import lazy_pattern

_FIRST = lazy_pattern(r"\ufeff?\s*(?=(?:<{7}|={7}|>{7}|\|{7})(?:[ \t\r\n]|$))")
_OPENING_SIGN = "<"


def first_mark(text: str) -> int | None:
    """The offset of the first conflict marker."""
    match = _marks().search(text)
    return match.start() if match else None


def begins_in_conflict(text: str) -> int | None:
    """The offset of a conflict marker at the start of a text; None if there is none."""
    match = _FIRST.match(text)
    return match.end() if match else None


def conflicts(text: str) -> list[tuple[int, int]]:
    """The start and end of each conflict, including its markers."""
    spans: list[tuple[int, int]] = []
    if _OPENING_SIGN * 7 not in text:
        return spans
    start = -1
    has_separator = False
    for mark in _marks().finditer(text):
        sign = mark[0][0]
        if sign == _OPENING_SIGN:
            start, has_separator = mark.start(), False
        elif sign == "=":
            has_separator = start >= 0
        elif sign == ">" and has_separator:
            spans.append((start, mark.end()))
            start, has_separator = -1, False
    return spans


@cache
def _marks() -> re.Pattern[str]:
    """The conflict markers. Compiled lazily, because hardly any text has one."""
    return re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \t\r\n]|$)[^\r\n]*", re.MULTILINE)


def without_marks(text: str) -> str:
    """The text with the markers blanked and both sides in sequence; offsets stay the same."""
    return _marks().sub(lambda mark: " " * len(mark[0]), text)
