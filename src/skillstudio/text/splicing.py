"""Apply splices to a text, and combine several rounds of splices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


_Piece = tuple[int, int] | str


class Rounds:
    """A text that is spliced repeatedly, as ranges of the first text and new strings between."""

    def __init__(self, text: str) -> None:
        self.first = text
        self.text = text
        self._pieces: list[_Piece] = [(0, len(text))]

    def apply(self, splices: list[Splice]) -> None:
        """Splice the current text."""
        self.text = apply(self.text, splices)
        for start, end, new in reversed(splices):
            before, rest = self._cut(self._pieces, start)
            _, after = self._cut(rest, end - start)
            self._pieces = [*before, *([new] if new else []), *after]

    @staticmethod
    def _cut(pieces: list[_Piece], at: int) -> tuple[list[_Piece], list[_Piece]]:
        for index, piece in enumerate(pieces):
            size = len(piece) if isinstance(piece, str) else piece[1] - piece[0]
            if at > size:
                at -= size
                continue
            before, after = pieces[:index], pieces[index + 1 :]
            if isinstance(piece, str):
                return [*before, piece[:at]], [piece[at:], *after]
            middle = piece[0] + at
            return [*before, (piece[0], middle)], [(middle, piece[1]), *after]
        return pieces, []

    def splices(self) -> list[Splice]:
        """The splices from the first text to the current one."""
        found = []
        at = 0
        new = ""
        for piece in [*self._pieces, (len(self.first), len(self.first))]:
            if isinstance(piece, str):
                new += piece
                continue
            start, end = piece
            if start == end and start != len(self.first):
                continue
            if start > at or new:
                # Without what it has in common with the replaced text at its start and end.
                head, tail = common_ends(self.first[at:start], new)
                splice = Splice(at + head, start - tail, new[head : len(new) - tail])
                if splice.start != splice.end or splice.text:
                    found.append(splice)
            at, new = end, ""
        return found


def common_ends(one: Sequence[Any], other: Sequence[Any]) -> tuple[int, int]:
    """How many items two sequences have in common at the start, and then at the end."""
    size = min(len(one), len(other))
    head = next((at for at in range(size) if one[at] != other[at]), size)
    left = size - head
    return head, next((at for at in range(left) if one[-1 - at] != other[-1 - at]), left)
