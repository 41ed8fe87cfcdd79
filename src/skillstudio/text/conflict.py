"""The lines that git leaves in a file that two sides changed, until someone resolves it."""

from __future__ import annotations

import re
from functools import cache

_FIRST = re.compile(r"\ufeff?\s*(?=(?:<{7}|={7}|>{7}|\|{7})(?:[ \t\r\n]|$))")
_OPENING = "<"


def first_mark(text: str) -> int | None:
    """Where the first mark of a conflict begins."""
    found = _marks().search(text)
    return found.start() if found else None


def begins_in_conflict(text: str) -> int | None:
    """Where the mark stands that is the first thing in a text; None where that is none."""
    found = _FIRST.match(text)
    return found.end() if found else None


def conflicts(text: str) -> list[tuple[int, int]]:
    """Where each conflict begins and ends: from its opening mark to behind its closing one."""
    found: list[tuple[int, int]] = []
    if _OPENING * 7 not in text:
        return found
    opened = -1
    parted = False
    for mark in _marks().finditer(text):
        sign = mark[0][0]
        if sign == _OPENING:
            opened, parted = mark.start(), False
        elif sign == "=":
            parted = opened >= 0
        elif sign == ">" and parted:
            found.append((opened, mark.end()))
            opened, parted = -1, False
    return found


@cache
def _marks() -> re.Pattern[str]:
    """The lines that part the sides. Hardly any text has one, so hardly any run needs this."""
    return re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \t\r\n]|$)[^\r\n]*", re.MULTILINE)


def without_marks(text: str) -> str:
    """The text with the marks blanked, both sides after each other; every offset stays."""
    return _marks().sub(lambda mark: " " * len(mark[0]), text)
