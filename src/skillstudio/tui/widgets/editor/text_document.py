"""The text that the editor shows, byte for byte the buffer's.

Textual's own document splits at form feeds and U+2028 and gives every line the same end. This
one splits at `\\n`, `\\r\\n` and a lone `\\r`, keeps each line's own end, and hands out lines in
which what a terminal would obey is drawn as a picture of the same length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, NamedTuple, cast, overload

from rich.cells import cell_len
from textual.document._document import DocumentBase, EditResult, Location
from textual.geometry import Size

from skillstudio.tui.widgets.editor.pictures import pictured

_LINE_END = re.compile(r"\r\n|\n|\r")
_Newline = Literal["\r\n", "\n", "\r"]


class RowSplice(NamedTuple):
    """What a splice did to the rows: `top` to `old` (both included) became `top` to `new`."""

    top: int
    old: int
    new: int


class TextDocument(DocumentBase):
    """A text as rows of shown lines, with offsets into the text for every place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[str] = []
        self._starts: list[int] = []
        self._widths: list[int | None] = []
        self._tab_width = 0
        self._fill(0, 0, text, 0)

    @property
    def text(self) -> str:
        return self._text

    @property
    def lines(self) -> list[str]:
        """The lines as they are shown, without their ends."""
        return self._lines

    @property
    def newline(self) -> _Newline:
        """The end that a new line takes: that of the first."""
        if len(self._lines) < 2:
            return "\n"
        return cast(_Newline, self._text[self._starts[0] + len(self._lines[0]) : self._starts[1]])

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def start(self) -> Location:
        return (0, 0)

    @property
    def end(self) -> Location:
        return (len(self._lines) - 1, len(self._lines[-1]))

    def get_line(self, index: int) -> str:
        return self._lines[index]

    def raw_line(self, index: int) -> str:
        """A line as it stands in the text, without its end. Never for a terminal."""
        start = self._starts[index]
        return self._text[start : start + len(self._lines[index])]

    @overload
    def __getitem__(self, line_index: int) -> str: ...
    @overload
    def __getitem__(self, line_index: slice) -> list[str]: ...
    def __getitem__(self, line_index: int | slice) -> str | list[str]:
        return self._lines[line_index]

    def get_size(self, indent_width: int) -> Size:
        if indent_width != self._tab_width:
            self._tab_width = indent_width
            self._widths = [None] * len(self._lines)
        widths = self._widths
        for row, width in enumerate(widths):
            if width is None:
                widths[row] = cell_len(self._lines[row].expandtabs(indent_width))
        return Size(max(cast("list[int]", widths)), len(widths))

    def get_text_range(self, start: Location, end: Location) -> str:
        first, last = sorted((self.offset_of(start), self.offset_of(end)))
        return self._text[first:last]

    def offset_of(self, location: Location) -> int:
        """The offset of a location, held within the text and the line."""
        row, column = location
        if row >= len(self._lines):
            return len(self._text)
        row = max(row, 0)
        return self._starts[row] + min(max(column, 0), len(self._lines[row]))

    def location_of(self, offset: int) -> Location:
        """The location of an offset; within a line's end, the end of the line."""
        offset = min(max(offset, 0), len(self._text))
        row = max(bisect_right(self._starts, offset) - 1, 0)
        return row, min(offset - self._starts[row], len(self._lines[row]))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        first, last = sorted((self.offset_of(start), self.offset_of(end)))
        replaced = self._text[first:last]
        self.splice(first, last, text)
        return EditResult(self.location_of(first + len(text)), replaced)

    def splice(self, start: int, end: int, text: str) -> RowSplice:
        """Put `text` in the place of the characters from `start` to `end`."""
        starts, before = self._starts, self._text
        top = bisect_right(starts, start) - 1
        old = bisect_right(starts, end) - 1
        if top and start == starts[top] and before[start - 1] == "\r":
            top -= 1  # what now follows a lone \r may become a part of that line's end
        from_ = starts[top]
        to = starts[old + 1] if old + 1 < len(starts) else len(before)
        chunk = before[from_:start] + text + before[end:to]
        self._text = before[:start] + text + before[end:]
        return RowSplice(top, old, self._fill(top, old + 1, chunk, len(text) - (end - start)))

    def _fill(self, top: int, below: int, chunk: str, shift: int) -> int:
        """Read the rows from `top` up to `below` anew from their text; the new last row."""
        at = self._starts[top] if self._starts else 0
        lines: list[str] = []
        starts: list[int] = []
        place = 0
        while True:
            found = _LINE_END.search(chunk, place)
            lines.append(pictured(chunk[place : found.start() if found else len(chunk)]))
            starts.append(at + place)
            if found is None:
                break
            place = found.end()
        if below < len(self._lines):  # the chunk ended with a line end; the next row is there
            lines.pop()
            starts.pop()
        self._lines[top:below] = lines
        self._widths[top:below] = [None] * len(lines)
        tail = self._starts[below:]
        self._starts[top:] = starts + ([start + shift for start in tail] if shift else tail)
        return top + len(lines) - 1
