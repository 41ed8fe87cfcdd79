"""Merge two texts with a common base: mine, theirs, or a choice for each difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from skillstudio.text.diagnostic import Splice
from skillstudio.text.hunks import hunks, split_lines

_MINE, _THEIRS = "<<<<<<< ", ">>>>>>> "
Choice = Literal["base", "mine", "theirs", "both"]


class ConflictRegion(NamedTuple):
    """A run of lines of the base, and its text on both sides."""

    base: str
    mine: str
    theirs: str
    line: int  # The first line in the base, from 1.

    @property
    def same(self) -> bool:
        """Whether neither side changed it."""
        return self.mine == self.base == self.theirs

    @property
    def is_conflict(self) -> bool:
        """Whether both sides changed it differently."""
        return self.base != self.mine != self.theirs != self.base

    @property
    def suggestion(self) -> Choice:
        """The side that changed it; mine if both did."""
        return "theirs" if self.mine == self.base else "mine"


def parts(base: str, mine: str, theirs: str) -> list[ConflictRegion]:
    """The base split into runs that are unchanged and runs that a side changed."""
    lines = split_lines(base)
    ours, their_side = _Side(base, mine), _Side(base, theirs)
    regions: list[ConflictRegion] = []
    at = 0
    for start, end in _regions(ours, their_side):
        if start > at:
            regions.append(_alike(lines, at, start))
        texts = ("".join(lines[start:end]), ours.text(start, end), their_side.text(start, end))
        regions.append(ConflictRegion(*texts, start + 1))
        at = end
    if at < len(lines):
        regions.append(_alike(lines, at, len(lines)))
    return regions


def merge(regions: Sequence[ConflictRegion], choices: Sequence[Choice]) -> str:
    """The merged text, with one choice for each changed part."""
    sides = iter(choices)
    return "".join(part.base if part.same else _take(part, next(sides)) for part in regions)


def merge_with_markers(
    base: str, mine: str, theirs: str, labels: tuple[str, str]
) -> tuple[str, int]:
    """The merged text, with markers as git's around each conflict, and the number of conflicts."""
    text: list[str] = []
    conflicts = 0
    for part in parts(base, mine, theirs):
        if not part.is_conflict:
            text.append(part.base if part.same else _take(part, part.suggestion))
            continue
        conflicts += 1
        text += [f"{_MINE}{labels[0]}\n", _end_line(part.mine), "=======\n", _end_line(part.theirs)]
        text.append(f"{_THEIRS}{labels[1]}\n")
    return "".join(text), conflicts


def has_markers(text: str, labels: tuple[str, str]) -> bool:
    """Whether a text has the markers of a conflict with labels that start so."""
    starts = (f"{_MINE}{labels[0]}", f"{_THEIRS}{labels[1]}")
    return all(f"\n{start}" in f"\n{text}" for start in starts)


def _end_line(text: str) -> str:
    return text if not text or text[-1] in "\r\n" else f"{text}\n"


def splices_between(old: str, new: str) -> list[Splice]:
    """The splices, by whole lines, that turn one text into another."""
    before, after = split_lines(old), split_lines(new)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    return [
        Splice(
            starts[hunk.old_start],
            starts[hunk.old_start + len(hunk.old_lines)],
            "".join(after[hunk.new_start : hunk.new_start + len(hunk.new_lines)]),
        )
        for hunk in hunks(old, new)
    ]


class _Side:
    def __init__(self, base: str, text: str) -> None:
        self.hunks = [
            (hunk.old_start, hunk.old_start + len(hunk.old_lines), hunk.new_start, hunk.new_lines)
            for hunk in hunks(base, text)
        ]
        self.lines = split_lines(text)

    def text(self, start: int, end: int) -> str:
        return "".join(self.lines[self._at(start, False) : self._at(end, True)])

    def _at(self, line: int, after: bool) -> int:
        """The line of this side at the start of a line of the base."""
        shift = 0
        for old_start, old_end, _, new in self.hunks:
            if old_end < line or (old_end == line and (after or old_start < line)):
                shift += len(new) - (old_end - old_start)
        return line + shift


def _regions(ours: _Side, other: _Side) -> list[tuple[int, int]]:
    regions: list[tuple[int, int]] = []
    for start, end in sorted(hunk[:2] for side in (ours, other) for hunk in side.hunks):
        if regions and start <= regions[-1][1]:
            regions[-1] = regions[-1][0], max(regions[-1][1], end)
        else:
            regions.append((start, end))
    return regions


def _alike(lines: list[str], start: int, end: int) -> ConflictRegion:
    text = "".join(lines[start:end])
    return ConflictRegion(text, text, text, start + 1)


def _take(part: ConflictRegion, choice: Choice) -> str:
    if choice == "both":
        joint = "\n" if part.mine and part.theirs and part.mine[-1] not in "\r\n" else ""
        return part.mine + joint + part.theirs
    return {"base": part.base, "mine": part.mine, "theirs": part.theirs}[choice]
