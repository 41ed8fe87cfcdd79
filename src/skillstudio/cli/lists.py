"""Cut the long lists, texts and diffs of a result; `--all` prints them whole."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from skillstudio.present.lines import SHOW_ALL, count, shortened
from skillstudio.text.node import escape

SHOWN = 100  # Entries of one list, or problems of one rule, that are printed for people.
LISTED = 1_000  # Those that are listed for programs.
MOST_PRINTED = 1_000_000  # About how many bytes a result may have.
MOST_OF_DIFF = 400_000
"""About how many bytes a diff may have, which may be printed with MOST_PRINTED of a report."""
_CUTS = (
    (LISTED, MOST_PRINTED), (LISTED, 100_000), (SHOWN, 100_000),
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
    shown: list[str] = []
    for line in map(shortened, lines):
        room -= _size(line)
        if room < 0:
            more = count(len(lines) - len(shown), "more line")
            return [*shown, f"… {more}; {SHOW_ALL}"]
        shown.append(line)
    return [*shown, f"… long lines are cut; {SHOW_ALL}"]


def _size(line: str) -> int:
    return 1 + (len(line) if line.isascii() else len(line.encode("utf-8", "replace")))


def cut_json(value: Mapping[str, Any], whole: bool, room: int = MOST_PRINTED) -> dict[str, Any]:
    """Cut a result to about `room` bytes of JSON: the first entries of each list and mapping.

    A function in it is called for its value, unless it is cut.
    `total` and `omitted` count the entries of each list and the characters of each text that was
    cut, by JSON Pointer.
    """
    import json

    from skillstudio.interface.plain import plain

    for most, longest in [(sys.maxsize, sys.maxsize)] if whole else _CUTS:
        cut = _Cutter(most, longest)
        shown: dict[str, Any] = plain(cut(value))
        if whole or len(json.dumps(shown)) <= room:
            break
    return {**shown, "total": cut.total, "omitted": cut.omitted} if cut.total else shown


class _Cutter:
    """Cut values to so many entries and characters, and count those that are cut."""

    def __init__(self, most: int, longest: int) -> None:
        self.most = most
        self.longest = longest
        self.total: dict[str, int] = {}
        self.omitted: dict[str, int] = {}

    def __call__(self, value: Any, pointer: str = "") -> Any:
        if callable(value):
            value = value()
        if isinstance(value, str):
            if omitted := self._omitted(len(value), self.longest, pointer):
                return f"{value[: self.longest]}… {omitted:,} more characters; {SHOW_ALL}"
            return value
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            value = value._asdict()
        if isinstance(value, Mapping):
            self._omitted(len(value), self.most, pointer)
            entries = islice(value.items(), self.most)
            return {key: self(each, f"{pointer}/{escape(str(key))}") for key, each in entries}
        if isinstance(value, list | tuple):
            self._omitted(len(value), self.most, pointer)
            return [self(each, f"{pointer}/{at}") for at, each in enumerate(value[: self.most])]
        return value

    def _omitted(self, number: int, most: int, pointer: str) -> int:
        if number <= most:
            return 0
        self.total[pointer] = number
        self.omitted[pointer] = number - most
        return number - most
