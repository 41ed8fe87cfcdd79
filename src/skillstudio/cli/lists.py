"""Cut the long lists of a result to their first entries; `--all` prints them whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from skillstudio.cli.report import LISTED_OF_RULE, MOST_PRINTED, SHOWN_OF_RULE
from skillstudio.interface.plain import plain
from skillstudio.text.node import escape

SHOWN = SHOWN_OF_RULE
"""Entries of one list that are printed for people."""
_LISTED = (LISTED_OF_RULE, SHOWN_OF_RULE, 10)
"""Entries of one list in JSON: the first number with which the result fits MOST_PRINTED."""


def left_out(total: int, most: int | None) -> str:
    """How many entries of a list are not printed, or ""."""
    return f"… {total - most:,} more; use --all to show everything" if most and total > most else ""


def cut_json(value: Mapping[str, Any], whole: bool) -> dict[str, Any]:
    """A result as JSON has it, with the first entries of each list and mapping.

    `total` and `omitted` count the entries of each one that was cut, by JSON Pointer.
    """
    shown: dict[str, Any]
    if whole:
        shown = plain(value)
        return shown
    for most in _LISTED:
        total: dict[str, int] = {}
        shown = plain(_cut(value, "", most, total))
        if len(json.dumps(shown)) <= MOST_PRINTED:
            break
    omitted = {pointer: number - most for pointer, number in total.items()}
    return {**shown, "total": total, "omitted": omitted} if total else shown


def _cut(value: Any, pointer: str, most: int, total: dict[str, int]) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if not isinstance(value, Mapping | list | tuple):
        return value
    entries = list(value.items()) if isinstance(value, Mapping) else list(enumerate(value))
    if len(entries) > most:
        total[pointer] = len(entries)
    cut = {
        key: _cut(each, f"{pointer}/{escape(str(key))}", most, total)
        for key, each in entries[:most]
    }
    return cut if isinstance(value, Mapping) else list(cut.values())
