"""Partition characters into classes that a set of patterns does not distinguish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from skillstudio.schema.regex.charsets import LAST, CharSet

_ASCII = 128
_SURROGATES = (0xD800, 0xDFFF)  # Excluded, because UTF-8 cannot encode them.
_READABLE = (
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "-_./:,;@#+=*!?%&$~^|'\"`\\()[]{}<> "
)
_RANK = [len(_READABLE) + 100 + point for point in range(_ASCII)]
for _index, _character in enumerate(_READABLE):
    _RANK[ord(_character)] = _index
_RANK[ord("\n")] = len(_READABLE) + 80
_RANK[ord("\t")] = len(_READABLE) + 81
_BEYOND_ASCII = len(_READABLE)
_UNREADABLE = len(_READABLE) + 300
_BY_RANK = sorted(range(_ASCII), key=_RANK.__getitem__)
_ACCENTED_LETTER = 0xE9
_LOOKED_AT = 64  # Number of characters of an interval that are checked for a printable one.


class CharClass(NamedTuple):
    """Characters that belong to the same sets."""

    character: str  # The representative of the class.
    sets: int  # The sets of the class, as bits by position in the given list.
    intervals: CharSet

    def members(self) -> Iterator[str]:
        """Every character of the class, readable ones first."""
        yield self.character
        first = ord(self.character)
        ascii_points = {
            point
            for low, high in self.intervals
            if low < _ASCII
            for point in range(low, min(high, _ASCII - 1) + 1)
        }
        yield from (chr(point) for point in _BY_RANK if point in ascii_points and point != first)
        for low, high in self.intervals:
            for point in range(max(low, _ASCII), high + 1):
                if point != first:
                    yield chr(point)


def classes_of(sets: Sequence[CharSet]) -> list[CharClass]:
    """The classes of all characters, the most readable first."""
    turns: dict[int, int] = {0: 0}
    for bit, chars in enumerate(sets):
        for low, high in chars:
            turns[low] = turns.get(low, 0) ^ (1 << bit)
            turns[high + 1] = turns.get(high + 1, 0) ^ (1 << bit)
    intervals_by_bits: dict[int, list[tuple[int, int]]] = {}
    inside = 0
    edges = sorted(turns)
    for edge, after in zip(edges, [*edges[1:], LAST + 1], strict=True):
        inside ^= turns[edge]
        if edge <= LAST:
            intervals_by_bits.setdefault(inside, []).extend(_without_surrogates(edge, after - 1))
    ranked_classes = sorted(
        (*min(_nicest(low, high) for low, high in intervals), inside)
        for inside, intervals in intervals_by_bits.items()
        if intervals
    )
    return [
        CharClass(chr(point), bits, tuple(intervals_by_bits[bits]))
        for _, point, bits in ranked_classes
    ]


@lru_cache(maxsize=1024)
def readable(chars: CharSet) -> str | None:
    """The most readable character of a set; None if it has no readable ASCII character."""
    rank, point = min((_nicest(low, high) for low, high in chars), default=(_UNREADABLE, 0))
    return chr(point) if rank < _BEYOND_ASCII else None


def reading_order(text: str) -> tuple[int, list[int]]:
    """A key that sorts texts of readable characters as `classes_of` does, short ones first."""
    return len(text), [_RANK[ord(character)] for character in text]


def _without_surrogates(low: int, high: int) -> Iterable[tuple[int, int]]:
    if high < _SURROGATES[0] or low > _SURROGATES[1]:
        yield low, high
        return
    if low < _SURROGATES[0]:
        yield low, _SURROGATES[0] - 1
    if high > _SURROGATES[1]:
        yield _SURROGATES[1] + 1, high


@lru_cache(maxsize=1024)
def _nicest(low: int, high: int) -> tuple[int, int]:
    """The rank of an interval, lower is better, and its best character."""
    if low < _ASCII:
        if high >= ord("z") and low <= ord("a"):
            return 0, ord("a")
        point = min(range(low, min(high, _ASCII - 1) + 1), key=_RANK.__getitem__)
        if _RANK[point] < _BEYOND_ASCII or high < _ASCII:
            return _RANK[point], point
        if high >= _ACCENTED_LETTER:
            return _BEYOND_ASCII, _ACCENTED_LETTER
        return _RANK[point], point
    if low <= _ACCENTED_LETTER <= high:
        return _BEYOND_ASCII, _ACCENTED_LETTER
    for point in range(low, min(high, low + _LOOKED_AT) + 1):
        if chr(point).isprintable():
            return _BEYOND_ASCII + 1, point
    return _UNREADABLE, low
