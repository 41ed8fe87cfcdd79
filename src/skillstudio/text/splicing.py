"""Apply splices to a text, and combine several rounds of splices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillstudio.text.diagnostic import Splice


def apply(text: str, splices: Iterable[Splice]) -> str:
    """Apply sorted splices to a text. Raises ValueError if they overlap."""
    parts = []
    at = 0
    for start, end, new in splices:
        if start < at or end < start or end > len(text):
            raise ValueError(f"splices overlap or are out of range at {start}")
        parts += [text[at:start], new]
        at = end
    parts.append(text[at:])
    return "".join(parts)


_Piece = range | str  # A range of the first text, or a new string.


class Rounds:
    """A text that is spliced repeatedly, as ranges of the first text and new strings between."""

    def __init__(self, text: str) -> None:
        self.first = text
        self.text = text
        self._pieces: list[_Piece] = [range(len(text))]

    def apply(self, splices: list[Splice]) -> None:
        """Splice the current text."""
        text = apply(self.text, splices)
        pieces: list[_Piece] = []
        at = 0
        for start, end, new in splices:
            pieces += [*self._between(at, start), new]
            at = end
        self._pieces = [*pieces, *self._between(at, len(self.text))]
        self.text = text

    def _between(self, start: int, end: int) -> Iterator[_Piece]:
        """The pieces of the current text between two offsets."""
        at = 0
        for piece in self._pieces:
            if at >= end:
                break
            if part := piece[max(start - at, 0) : end - at]:
                yield part
            at += len(piece)

    def splices(self) -> list[Splice]:
        """The splices from the first text to the current one."""
        splices = []
        at = 0
        new = ""
        size = len(self.first)
        for piece in [*self._pieces, range(size, size)]:
            if isinstance(piece, str):
                new += piece
                continue
            start = piece.start
            if start > at or new:
                # Without what it has in common with the replaced text at its start and end.
                head, tail = common_ends(self.first[at:start], new)
                splice = Splice(at + head, start - tail, new[head : len(new) - tail])
                if splice.start != splice.end or splice.text:
                    splices.append(splice)
            at, new = piece.stop, ""
        return splices


def common_ends(first: Sequence[Any], other: Sequence[Any]) -> tuple[int, int]:
    """How many items two sequences have in common at the start, and then at the end."""
    size = min(len(first), len(other))
    head = next((at for at in range(size) if first[at] != other[at]), size)
    rest = size - head
    return head, next((at for at in range(rest) if first[-1 - at] != other[-1 - at]), rest)
