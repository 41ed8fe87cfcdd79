"""Cut the long lists, texts and diffs of a result; `--all` prints them whole."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from skillstudio.present.cutting import cut_value
from skillstudio.present.lines import SHOW_ALL, count, shorten

MOST_SHOWN = 100  # Entries of one list, or problems of one rule, that are printed for people.
MOST_LISTED = 1_000  # Those that are listed for programs.
MOST_PRINTED = 1_000_000  # About how many bytes a result may have.
MOST_OF_DIFF = 400_000
"""About how many bytes a diff may have, which may be printed with MOST_PRINTED of a report."""
_CUTS = (
    (MOST_LISTED, MOST_PRINTED), (MOST_LISTED, 100_000), (MOST_SHOWN, 100_000),
    (10, 10_000), (10, 1_000),
)  # fmt: skip
"""Entries of one list and characters of one text in JSON: the first ones that fit are used."""


def left_out(total: int, most: int | None) -> str:
    """How many entries of a list are not printed, or ""."""
    return f"… {total - most:,} more; {SHOW_ALL}" if most and total > most else ""


def cut_lines(lines: Sequence[str], whole: bool) -> list[str]:
    """The lines of a diff; if they are too many or too long, the first ones, shortened."""
    if whole or sum(map(_size, lines)) <= MOST_OF_DIFF:
        return list(lines)
    room = MOST_OF_DIFF
    visible_lines: list[str] = []
    for line in map(shorten, lines):
        room -= _size(line)
        if room < 0:
            remainder = count(len(lines) - len(visible_lines), "more line")
            return [*visible_lines, f"… {remainder}; {SHOW_ALL}"]
        visible_lines.append(line)
    return [*visible_lines, f"… long lines are cut; {SHOW_ALL}"]


def _size(line: str) -> int:
    return 1 + (len(line) if line.isascii() else len(line.encode("utf-8", "replace")))


def cut_json(value: Mapping[str, Any], whole: bool, room: int = MOST_PRINTED) -> dict[str, Any]:
    """Cut a result to about `room` bytes of JSON, unless it is wanted whole."""
    limits = [(sys.maxsize, sys.maxsize)] if whole else _CUTS
    return cut_value(value, limits, sys.maxsize if whole else room, SHOW_ALL)
