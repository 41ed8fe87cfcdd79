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
    def conflicting(self) -> bool:
        """Whether both sides changed it differently."""
        return self.base != self.mine != self.theirs != self.base

    @property
    def suggested(self) -> Choice:
        """The side that changed it; mine if both did."""
        return "theirs" if self.mine == self.base else "mine"


def parts(base: str, mine: str, theirs: str) -> list[ConflictRegion]:
    """The base split into runs that are unchanged and runs that a side changed."""
    lines = split_lines(base)
    ours, others = _Side(base, mine), _Side(base, theirs)
    found: list[ConflictRegion] = []
    at = 0
    for start, end in _regions(ours, others):
        if start > at:
            found.append(_alike(lines, at, start))
        texts = ("".join(lines[start:end]), ours.text(start, end), others.text(start, end))
        found.append(ConflictRegion(*texts, start + 1))
        at = end
    if at < len(lines):
        found.append(_alike(lines, at, len(lines)))
    return found


def merge(found: Sequence[ConflictRegion], choices: Sequence[Choice]) -> str:
    """The merged text, with one choice for each changed part."""
    chosen = iter(choices)
    return "".join(part.base if part.same else _take(part, next(chosen)) for part in found)


def merged(base: str, mine: str, theirs: str, labels: tuple[str, str]) -> tuple[str, int]:
    """The merged text, with markers as git's around each conflict, and the number of conflicts."""
    text: list[str] = []
    conflicts = 0
    for part in parts(base, mine, theirs):
        if not part.conflicting:
            text.append(part.base if part.same else _take(part, part.suggested))
            continue
        conflicts += 1
        text += [f"{_MINE}{labels[0]}\n", _ended(part.mine), "=======\n", _ended(part.theirs)]
        text.append(f"{_THEIRS}{labels[1]}\n")
    return "".join(text), conflicts


def has_markers(text: str, labels: tuple[str, str]) -> bool:
    """Whether a text has the markers of a conflict with labels that start so."""
    starts = (f"{_MINE}{labels[0]}", f"{_THEIRS}{labels[1]}")
    return all(f"\n{start}" in f"\n{text}" for start in starts)


def _ended(text: str) -> str:
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


def _regions(one: _Side, other: _Side) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(hunk[:2] for side in (one, other) for hunk in side.hunks):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _alike(lines: list[str], start: int, end: int) -> ConflictRegion:
    text = "".join(lines[start:end])
    return ConflictRegion(text, text, text, start + 1)


def _take(part: ConflictRegion, choice: Choice) -> str:
    if choice == "both":
        joint = "\n" if part.mine and part.theirs and part.mine[-1] not in "\r\n" else ""
        return part.mine + joint + part.theirs
    return {"base": part.base, "mine": part.mine, "theirs": part.theirs}[choice]
