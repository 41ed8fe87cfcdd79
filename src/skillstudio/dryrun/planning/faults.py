"""Values that cannot be passed to a program, with the reason and the fix."""

from __future__ import annotations

from typing import Any

MAX_ARGUMENT = 128 * 1024
"""Bytes of one argument or variable including its end, on Linux (`MAX_ARG_STRLEN`)."""
MAX_COMMAND = 2_000_000
"""Bytes of all arguments of a process, a little below the default of Linux."""
_SURROGATE = "contains a lone surrogate, which no encoding can represent"


def text_fault(text: str) -> str:
    """Why a text cannot be an argument or variable; "" when it can."""
    if "\0" in text:
        return "contains a NUL character, which ends an argument"
    if not _is_unicode(text):
        return _SURROGATE
    size = len(text.encode()) + 1
    if size > MAX_ARGUMENT:
        return (
            f"has {size - 1:,} bytes, more than the {MAX_ARGUMENT - 1:,} of an argument; pass the "
            "path of a file, or let the program read its standard input"
        )
    return ""


def value_fault(value: Any) -> str:
    """Why a value cannot be written as JSON; "" when it can."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str) and not _is_unicode(found):
            return _SURROGATE
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
