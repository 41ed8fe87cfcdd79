"""Values that no program can be given as they are: refused, with the reason and the advice."""

from __future__ import annotations

from typing import Any

MAX_ARGUMENT = 128 * 1024
"""Bytes of one argument or variable with its end, on Linux (`MAX_ARG_STRLEN`)."""
MAX_COMMAND = 2_000_000
"""Bytes of all arguments of a process together: what Linux leaves by default is a little more."""


def text_fault(text: str) -> str:
    """Why a text cannot be an argument or variable; "" where it can."""
    if "\0" in text:
        return "holds the character NUL, at which every program would cut it"
    if not _is_unicode(text):
        return "holds half a character (a lone surrogate), which no encoding can write"
    size = len(text.encode()) + 1
    if size > MAX_ARGUMENT:
        return (
            f"has {size - 1:,} bytes, and an argument may have {MAX_ARGUMENT - 1:,}: "
            "give the path of a file, or let the program read its standard input"
        )
    return ""


def value_fault(value: Any) -> str:
    """Why a value cannot be written as JSON for a program to read; "" where it can."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str) and not _is_unicode(found):
            return "holds half a character (a lone surrogate), which no encoding can write"
        if isinstance(found, dict):
            waiting += [*found, *found.values()]
        elif isinstance(found, list):
            waiting += found
    return ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
