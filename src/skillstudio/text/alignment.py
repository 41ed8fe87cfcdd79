"""Which lines of two texts belong together, in a time that does not grow with their square.

`difflib` alone takes minutes for some thousand lines of which many are the same. So the lines
that stand once on each side are laid beside each other first, as far as they come in the same
order, and then those that stand once in what lies between. What is left is small as a rule and
goes to `difflib`; where it is not, it is told as replaced in one piece.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST_WORK = 3_000_000
"""Pairs of lines that `difflib` may have to weigh for two texts: some tenths of a second."""
_DEPTH = 8
"""How often what lies between is looked at for lines that stand once."""


class Stretch(NamedTuple):
    """Lines of each side, from a start to an end, counted from 0."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def differing(old: Sequence[str], new: Sequence[str]) -> Iterator[Stretch]:
    """The stretches in which two texts differ, in order; between them they are the same."""
    left = MOST_WORK
    waiting = [(Stretch(0, len(old), 0, len(new)), _DEPTH)]
    while waiting:
        stretch, depth = waiting.pop()
        stretch = _trimmed(old, new, stretch)
        old_start, old_end, new_start, new_end = stretch
        if old_start == old_end or new_start == new_end:
            if old_start < old_end or new_start < new_end:
                yield stretch
            continue
        anchors = _anchors(old, new, stretch) if depth else []
        if anchors:
            waiting += [(each, depth - 1) for each in reversed(list(_between(stretch, anchors)))]
            continue
        work = _work(old[old_start:old_end], new[new_start:new_end])
        if work <= left:
            left -= work
            yield from _weighed(old, new, stretch)
        else:
            yield stretch


def _trimmed(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> Stretch:
    """A stretch without the lines that are the same at its start and at its end."""
    old_start, old_end, new_start, new_end = stretch
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        old_start += 1
        new_start += 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
    return Stretch(old_start, old_end, new_start, new_end)


def _anchors(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> list[tuple[int, int]]:
    """Lines that stand once on each side of a stretch: the most that come in the same order."""
    before = _once(old, stretch.old_start, stretch.old_end)
    after = _once(new, stretch.new_start, stretch.new_end)
    pairs = [(at, after[line]) for line, at in before.items() if line in after]
    # The longest run that grows: of each length the pair with the least end, and what precedes it.
    ends: list[int] = []
    last: list[int] = []
    preceding: list[int] = []
    for number, (_, at) in enumerate(pairs):
        length = bisect_left(ends, at)
        if length == len(ends):
            ends.append(at)
            last.append(number)
        else:
            ends[length], last[length] = at, number
        preceding.append(last[length - 1] if length else -1)
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = preceding[number]
    return found[::-1]


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The lines that stand once in a stretch, in order, each with its place."""
    many = Counter(lines[start:end])
    return {lines[at]: at for at in range(start, end) if many[lines[at]] == 1}


def _between(stretch: Stretch, anchors: list[tuple[int, int]]) -> Iterator[Stretch]:
    old_start, new_start = stretch.old_start, stretch.new_start
    for old_at, new_at in anchors:
        yield Stretch(old_start, old_at, new_start, new_at)
        old_start, new_start = old_at + 1, new_at + 1
    yield Stretch(old_start, stretch.old_end, new_start, stretch.new_end)


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    """The most that `difflib` may weigh: each pair of equal lines for each stretch it finds."""
    before, after = Counter(old), Counter(new)
    pairs = sum(number * after[line] for line, number in before.items())
    return (len(old) + len(new) + pairs) * min(sum((before & after).values()) + 1, len(old))


def _weighed(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> Iterator[Stretch]:
    from difflib import SequenceMatcher

    old_start, old_end, new_start, new_end = stretch
    matcher = SequenceMatcher(None, old[old_start:old_end], new[new_start:new_end], autojunk=False)
    for tag, *places in matcher.get_opcodes():
        if tag != "equal":
            first, first_end, second, second_end = places
            yield Stretch(
                old_start + first, old_start + first_end, new_start + second, new_start + second_end
            )
