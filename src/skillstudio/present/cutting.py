"""Cut the lists, mappings and texts of a JSON value until it is small enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from skillstudio.text.node import escape

Limits = tuple[int, int]
"""The most entries of one list or mapping, and the most characters of one text."""
_FIELDS = 50
"""A mapping with at most so many entries is a record, which is useless without all of them."""


def cut_value(
    value: Mapping[str, Any], limits: Sequence[Limits], room: int, advice: str
) -> dict[str, Any]:
    """Cut a value to about `room` bytes of JSON: the first limits that suffice, else the last.

    A function in it is called for its value, unless it is cut. `total` and `omitted` count the
    entries of each list and the characters of each text that was cut, by JSON Pointer; counts that
    the value already has stay. `advice` ends a text that was cut.
    """
    import json

    from skillstudio.interface.plain import plain

    for most, longest in limits:
        cut = _Cutter(most, longest, advice)
        result: dict[str, Any] = plain(cut(value))
        if len(json.dumps(result)) <= room:
            break
    if not cut.total:
        return result
    total, omitted_counts = (value.get(key) or {} for key in ("total", "omitted"))
    again = {key: number + omitted_counts.get(key, 0) for key, number in cut.omitted_counts.items()}
    return {**result, "total": cut.total | total, "omitted": {**omitted_counts, **again}}


class _Cutter:
    """Cut values to so many entries and characters, and count those that are cut."""

    def __init__(self, most: int, longest: int, advice: str) -> None:
        self.most = most
        self.longest = longest
        self.advice = advice
        self.total: dict[str, int] = {}
        self.omitted_counts: dict[str, int] = {}

    def __call__(self, value: Any, pointer: str = "") -> Any:
        if callable(value):
            value = value()
        if isinstance(value, str):
            if hidden_count := self._count_omitted(len(value), self.longest, pointer):
                return f"{value[: self.longest]}… {hidden_count:,} more characters; {self.advice}"
            return value
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            value = value._asdict()
        if isinstance(value, Mapping):
            most = max(self.most, _FIELDS)
            self._count_omitted(len(value), most, pointer)
            entries = islice(value.items(), most)
            return {key: self(member, f"{pointer}/{escape(str(key))}") for key, member in entries}
        if isinstance(value, list | tuple):
            self._count_omitted(len(value), self.most, pointer)
            return [
                self(element, f"{pointer}/{at}") for at, element in enumerate(value[: self.most])
            ]
        return value

    def _count_omitted(self, number: int, most: int, pointer: str) -> int:
        if number <= most:
            return 0
        self.total[pointer] = number
        self.omitted_counts[pointer] = number - most
        return number - most
