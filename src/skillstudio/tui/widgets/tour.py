"""The strip of the tour: the number of the step, what to do now, and the keys that do it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from skillstudio.tui.widgets.lines import KEY_STYLE, KeyHint, KeyPlace
from skillstudio.tui.words import plain

_SPACE = re.compile(r"( +)")
_GAP = 2  # Cells between the text and the key at its right.


class _Run(NamedTuple):
    """A piece of a word: its text, and the key if it is one."""

    text: str
    hint: KeyHint | None = None


class _Row(NamedTuple):
    """A line: the cell where it starts, and its words."""

    start: int
    words: list[list[_Run]]


class TourStrip(Widget):
    """Wraps a text whose keys answer a click; the key that closes it is at the right."""

    DEFAULT_CSS = """
    TourStrip {
        height: auto;
        background: $surface;
        color: $foreground;
    }
    """

    def __init__(self, run: Callable[[KeyHint], None], id: str | None = None) -> None:
        """`run` does what a clicked key does."""
        super().__init__(id=id)
        self._click = run
        self._head = ""
        self._pieces: Sequence[str | KeyHint] = ()
        self._close = KeyHint("", "")
        self.places: list[KeyPlace] = []

    def show(self, head: str, pieces: Sequence[str | KeyHint], close: KeyHint) -> None:
        """Show the number of a step, its text with keys, and the key that closes the strip."""
        now = (head, pieces, close)
        if now != (self._head, self._pieces, self._close):
            self._head, self._pieces, self._close = now
            self.refresh(layout=True)

    @property
    def _end(self) -> int:
        """The cells of the key at the right."""
        return self._close.content.cell_length if self._close.key else 0

    def _rows(self, width: int) -> list[_Row]:
        """The words in lines that fit beside the number and, in the first line, the key."""
        start = cell_len(self._head) + 3
        rows, room = [_Row(start, [])], max(width - start - self._end - _GAP, 1)
        for word in _words(self._pieces):
            length = sum(cell_len(run.text) for run in word)
            if rows[-1].words and length + 1 > room:
                rows.append(_Row(start, []))
                room = max(width - start - 1, 1)
            room -= length + bool(rows[-1].words)
            rows[-1].words.append(word)
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._rows(width))

    def render(self) -> Content:
        width = self.content_size.width
        self.places = []
        lines: list[Content] = []
        for number, row in enumerate(self._rows(width)):
            head = f" {self._head}  " if number == 0 else ""
            pieces = [Content.styled(head, "bold"), Content(" " * (row.start - cell_len(head)))]
            at = row.start
            for index, word in enumerate(row.words):
                if index:
                    pieces.append(Content(" "))
                    at += 1
                for run in word:
                    end = at + cell_len(run.text)
                    if run.hint is not None:
                        self.places.append(KeyPlace(number, at, end, run.hint))
                    pieces.append(plain(run.text, KEY_STYLE if run.hint is not None else ""))
                    at = end
            if number == 0 and self._end:
                right = width - self._end
                pieces += [Content(" " * max(right - at, 0)), self._close.content]
                self.places.append(KeyPlace(0, right, width, self._close))
            lines.append(Content("").join(pieces))
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does."""
        for place in self.places:
            if place.row == event.y and place.start <= event.x < place.end:
                event.stop()
                self._click(place.hint)
                return


def _words(pieces: Sequence[str | KeyHint]) -> list[list[_Run]]:
    """The words of a text; a key is not divided, and punctuation stays at it."""
    words: list[list[_Run]] = [[]]
    for piece in pieces:
        if isinstance(piece, KeyHint):
            words[-1].append(_Run(piece.key, piece))
            continue
        for part in _SPACE.split(piece):
            if part.isspace():
                words.append([])
            elif part:
                words[-1].append(_Run(part))
    return [word for word in words if word]
