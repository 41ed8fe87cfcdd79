"""Differences of two texts, line by line, with line endings, in less than quadratic time.

`difflib` alone takes minutes for some thousand lines with many duplicates. So lines that are unique
on both sides are matched first. The stretches between them are usually small and go to `difflib`; a
large one is reported as replaced.
"""

from __future__ import annotations

import io
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.text.splicing import common_ends

_CONTEXT = 3
_NO_END = "\\ No newline at end of file\n"


class Hunk(NamedTuple):
    """Replaced lines of the old text; line numbers start at 0."""

    old_start: int
    old_lines: tuple[str, ...]
    new_start: int
    new_lines: tuple[str, ...]


def split_lines(text: str) -> list[str]:
    """The lines with their endings: LF, CR LF and a lone CR only."""
    return list(io.StringIO(text, newline=""))


def hunks(old: str, new: str) -> list[Hunk]:
    """The runs of lines in which two texts differ, in order."""
    if old == new:
        return []
    before, after = split_lines(old), split_lines(new)
    return [
        Hunk(
            old_start, tuple(before[old_start:old_end]), new_start, tuple(after[new_start:new_end])
        )
        for old_start, old_end, new_start, new_end in find_stretches(before, after)
    ]


def unified_diff(
    old: str, new: str, old_name: str, new_name: str, changes: list[Hunk] | None = None
) -> str:
    """A unified diff, as `diff -u` prints it; `changes` is the result of `hunks`, if known."""
    changes = hunks(old, new) if changes is None else changes
    if not changes:
        return ""
    stretches = (
        Stretch(
            change.old_start, change.old_start + len(change.old_lines),
            change.new_start, change.new_start + len(change.new_lines),
        )
        for change in changes
    )  # fmt: skip
    body = unified_lines(split_lines(old), split_lines(new), stretches, ("\n", "\r"))
    return "".join((f"--- {old_name}\n+++ {new_name}\n", *body))


def unified_lines(
    old: Sequence[str], new: Sequence[str], stretches: Iterable[Stretch], ends: tuple[str, ...]
) -> Iterator[str]:
    """The hunks of a unified diff. A last line without one of `ends` is marked."""

    def mark_lines(mark: str, lines: Sequence[str]) -> Iterator[str]:
        for line in lines:
            yield mark + line if line.endswith(ends) else f"{mark}{line}\n{_NO_END}"

    for group in _groups(stretches):
        first, last = group[0], group[-1]
        lead = min(_CONTEXT, first.old_start)
        at, end = first.old_start - lead, min(last.old_end + _CONTEXT, len(old))
        new_end = last.new_end + end - last.old_end
        yield f"@@ -{_range(at, end)} +{_range(first.new_start - lead, new_end)} @@\n"
        for stretch in group:
            yield from mark_lines(" ", old[at : stretch.old_start])
            yield from mark_lines("-", old[stretch.old_start : stretch.old_end])
            yield from mark_lines("+", new[stretch.new_start : stretch.new_end])
            at = stretch.old_end
        yield from mark_lines(" ", old[at:end])


def _groups(stretches: Iterable[Stretch]) -> Iterator[list[Stretch]]:
    """Stretches close enough for their context lines to meet."""
    group: list[Stretch] = []
    for stretch in stretches:
        if group and stretch.old_start - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(stretch)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    """Lines counted from 1; for an empty range, the line before it."""
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


MOST_WORK = 3_000_000  # Maximum number of line pairs for `difflib`: some tenths of a second.
_DEPTH = 8  # Maximum depth of the search for unique lines.


class Stretch(NamedTuple):
    """Lines of each side, from a start to an end, counted from 0."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def find_stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[Stretch]:
    """The stretches in which two texts differ, in order."""
    budget = MOST_WORK
    stack = [(Stretch(0, len(old), 0, len(new)), _DEPTH)]
    while stack:
        stretch, depth = stack.pop()
        old_start, old_end, new_start, new_end = stretch
        head, tail = common_ends(old[old_start:old_end], new[new_start:new_end])
        stretch = Stretch(old_start + head, old_end - tail, new_start + head, new_end - tail)
        old_start, old_end, new_start, new_end = stretch
        if old_start == old_end or new_start == new_end:
            if old_start < old_end or new_start < new_end:
                yield stretch
            continue
        anchors = _anchors(old, new, stretch) if depth else []
        if anchors:
            stack += [(gap, depth - 1) for gap in reversed(list(_between(stretch, anchors)))]
            continue
        work = _work(old[old_start:old_end], new[new_start:new_end])
        if work <= budget:
            budget -= work
            yield from _compare_stretch(old, new, stretch)
        else:
            yield stretch


def _anchors(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> list[tuple[int, int]]:
    """Unique lines of both sides of a stretch: the longest sequence in the same order."""
    before = _once(old, stretch.old_start, stretch.old_end)
    after = _once(new, stretch.new_start, stretch.new_end)
    pairs = [(at, after[line]) for line, at in before.items() if line in after]
    # Longest increasing subsequence: for each length the pair with the least end, and its
    # predecessor.
    ends: list[int] = []
    last: list[int] = []
    predecessors: list[int] = []
    for number, (_, at) in enumerate(pairs):
        length = bisect_left(ends, at)
        if length == len(ends):
            ends.append(at)
            last.append(number)
        else:
            ends[length], last[length] = at, number
        predecessors.append(last[length - 1] if length else -1)
    anchors = []
    number = last[-1] if last else -1
    while number >= 0:
        anchors.append(pairs[number])
        number = predecessors[number]
    return anchors[::-1]


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The unique lines of a stretch, in order, with their positions."""
    many = Counter(lines[start:end])
    return {lines[at]: at for at in range(start, end) if many[lines[at]] == 1}


def _between(stretch: Stretch, anchors: list[tuple[int, int]]) -> Iterator[Stretch]:
    old_start, new_start = stretch.old_start, stretch.new_start
    for old_at, new_at in anchors:
        yield Stretch(old_start, old_at, new_start, new_at)
        old_start, new_start = old_at + 1, new_at + 1
    yield Stretch(old_start, stretch.old_end, new_start, stretch.new_end)


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    """The maximum number of line pairs for `difflib`: each pair of equal lines for each stretch."""
    before, after = Counter(old), Counter(new)
    pairs = sum(number * after[line] for line, number in before.items())
    return (len(old) + len(new) + pairs) * min(sum((before & after).values()) + 1, len(old))


def _compare_stretch(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> Iterator[Stretch]:
    from difflib import SequenceMatcher

    old_start, old_end, new_start, new_end = stretch
    matcher = SequenceMatcher(None, old[old_start:old_end], new[new_start:new_end], autojunk=False)
    for tag, *places in matcher.get_opcodes():
        if tag != "equal":
            first, first_end, second, second_end = places
            yield Stretch(
                old_start + first, old_start + first_end, new_start + second, new_start + second_end
            )
