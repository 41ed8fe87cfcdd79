"""The text that the editor shows, byte for byte the buffer's.

Textual's own document splits at form feeds and U+2028 and gives every line the same end. This
one splits at `\\n`, `\\r\\n` and a lone `\\r` and keeps each line's own end. A character that a
terminal would interpret or hide is replaced by a picture: one character of one cell, so that
columns are those of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, Literal, NamedTuple, cast

from rich.cells import cell_len
from textual.document._document import DocumentBase, EditResult, Location
from textual.geometry import Size

_LINE_END = re.compile(r"\r\n|\n|\r")
_Newline = Literal["\r\n", "\n", "\r"]
_BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_INVISIBLE = [0xFEFF, 0x200B, 0x200C, 0x2060, 0x00AD, 0x180E]
_BREAKS = [0x0085, 0x2028, 0x2029]
_OTHER = [*range(0x80, 0xA0), *range(0xD800, 0xE000), *range(0xE0000, 0xE0080), 0xFFF9, 0xFFFA]

_INVISIBLE_PICTURE = "\u2423"
_PICTURES: dict[int, str] = dict.fromkeys(_OTHER, "\ufffd")
_PICTURES |= {code: chr(0x2400 + code) for code in range(0x20) if code != 9}
_PICTURES |= {0x7F: "\u2421"}
_PICTURES |= dict.fromkeys(_BREAKS, "\u2424")
_PICTURES |= dict.fromkeys(_INVISIBLE, _INVISIBLE_PICTURE)
_PICTURES |= dict.fromkeys(_BIDI, "\u21c4")

# A joiner at the start has nothing to join with but the cells before the text.
_HOSTILE = re.compile("^\u200d|[" + "".join(re.escape(chr(code)) for code in _PICTURES) + "]")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_YAML_OPENS = re.compile(r":(\s+[&!]\S+)*(\s+[|>][-+0-9]*)?\s*(#.*)?$")
_YAML_ITEM_WITH_KEY = re.compile(r"(-\s+)+[^\s#'\"][^:]*:(\s|$)")


class RowSplice(NamedTuple):
    """The effect of a splice: rows `top` to `old` (both included) became `top` to `new`."""

    top: int
    old: int
    new: int


class TextDocument(DocumentBase):
    """A text as rows of shown lines, with the offset of every place."""

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
        """The shown lines, without their ends."""
        return self._lines

    @property
    def newline(self) -> _Newline:
        """The end of new lines: that of the first line."""
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
        """Return a line of the text, without its end; not safe for a terminal."""
        start = self._starts[index]
        return self._text[start : start + len(self._lines[index])]

    def __getitem__(self, line_index: int | slice) -> Any:
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
        """Return the offset of a location, limited to the text and the line."""
        row, column = location
        if row >= len(self._lines):
            return len(self._text)
        row = max(row, 0)
        return self._starts[row] + min(max(column, 0), len(self._lines[row]))

    def location_of(self, offset: int) -> Location:
        """Return the location of an offset; within a line's end, the end of the line."""
        offset = min(max(offset, 0), len(self._text))
        row = max(bisect_right(self._starts, offset) - 1, 0)
        return row, min(offset - self._starts[row], len(self._lines[row]))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        first, last = sorted((self.offset_of(start), self.offset_of(end)))
        replaced_text = self._text[first:last]
        self.splice(first, last, text)
        return EditResult(self.location_of(first + len(text)), replaced_text)

    def splice(self, start: int, end: int, text: str) -> RowSplice:
        """Replace the characters from `start` to `end` by `text`."""
        starts, before = self._starts, self._text
        top = bisect_right(starts, start) - 1
        old = bisect_right(starts, end) - 1
        if top and start == starts[top] and before[start - 1] == "\r":
            top -= 1  # the text after a lone \r may become a part of that line's end
        from_ = starts[top]
        to = starts[old + 1] if old + 1 < len(starts) else len(before)
        chunk = before[from_:start] + text + before[end:to]
        self._text = before[:start] + text + before[end:]
        return RowSplice(top, old, self._fill(top, old + 1, chunk, len(text) - (end - start)))

    def _fill(self, top: int, below: int, chunk: str, shift: int) -> int:
        """Rebuild the rows from `top` up to `below` from their text; return the last new row."""
        at = self._starts[top] if self._starts else 0
        lines: list[str] = []
        starts: list[int] = []
        place = 0
        while True:
            match = _LINE_END.search(chunk, place)
            lines.append(add_pictures(chunk[place : match.start() if match else len(chunk)]))
            starts.append(at + place)
            if match is None:
                break
            place = match.end()
        if below < len(self._lines):  # the chunk ended with a line end
            lines.pop()
            starts.pop()
        self._lines[top:below] = lines
        self._widths[top:below] = [None] * len(lines)
        tail = self._starts[below:]
        self._starts[top:] = starts + ([start + shift for start in tail] if shift else tail)
        return top + len(lines) - 1


def add_pictures(line: str) -> str:
    """Return a line with a picture for each control, bidi and invisible character but tabs."""
    if not _HOSTILE.search(line):
        return line
    return _HOSTILE.sub(lambda match: _PICTURES.get(ord(match[0]), _INVISIBLE_PICTURE), line)


def pictures(line: str) -> list[int]:
    """Return the columns of a line that show a picture."""
    return [match.start() for match in _HOSTILE.finditer(line)]


def line_break(language: str, before: str, after: str, unit: str) -> tuple[str, str]:
    """Return the texts to insert before and after a cursor with `before` and `after` on its line.

    Each starts with a line end, or is empty.
    """
    lead = before[: len(before) - len(before.lstrip())]
    text = before.strip()
    closer = _CLOSERS.get(text[-1:]) if language in ("json", "yaml", "toml") else None
    if closer:
        has_closer = after.lstrip().startswith(closer)
        return "\n" + lead + unit, "\n" + lead if has_closer else ""
    if language == "yaml" and not text.startswith("#"):
        item = _YAML_ITEM_WITH_KEY.match(text)
        if item:
            dash = re.match(r"(-\s+)+", text)
            lead += " " * (dash.end() if dash else 2)
        if _YAML_OPENS.search(text):
            return "\n" + lead + unit, ""
    return "\n" + lead, ""


def unit_of(text: str) -> int:
    """Return the columns of one level of indentation: 4 if no line has fewer, else 2."""
    widths = {len(indent) for indent in re.findall(r"^( +)(?=\S)", text, re.MULTILINE)}
    return 4 if widths and min(widths) == 4 else 2
