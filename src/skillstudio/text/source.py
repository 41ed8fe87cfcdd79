"""The exact text of a file, with its lines.

Offsets count code points from the start of the text, including a byte order mark. Lines end at
LF, CR LF and a lone CR only.
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from bisect import bisect_right
from typing import NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern

BOM = "\ufeff"
_LINE_END = lazy_pattern(r"\r\n|\n|\r")
_LINE_FEED = lazy_pattern(r"\n")
"""The same for a text without carriage returns, three times as fast."""


class Span(NamedTuple):
    """A range of offsets, end exclusive."""

    start: int
    end: int


class Position(NamedTuple):
    """A place for people: 1-based line and column, in code points."""

    line: int
    column: int


class Source:
    """The text of one file, immutable."""

    __slots__ = ("_starts", "path", "text")

    def __init__(self, text: str, path: str = "") -> None:
        self.text = text
        self.path = path
        self._starts: list[int] | None = None

    @property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts; a byte order mark is before the first."""
        if self._starts is None:
            starts = [1 if self.text.startswith(BOM) else 0]
            line_end = _LINE_END if "\r" in self.text else _LINE_FEED
            starts += [end.end() for end in line_end.finditer(self.text)]
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> Position:
        """The line and column of an offset; one past the end is the end."""
        line = self.line_at(offset)
        return Position(line, max(offset - self.line_starts[line - 1], 0) + 1)

    def line_at(self, offset: int) -> int:
        """The number of the line (from 1) that contains an offset."""
        return bisect_right(self.line_starts, offset) or 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a 1-based line and column, limited to the text and the line."""
        starts = self.line_starts
        line = min(max(line, 1), len(starts))
        start = starts[line - 1]
        return min(start + max(column - 1, 0), start + len(self.line(line)))

    def around(self, offset: int, length: int) -> tuple[str, int]:
        """At most `length` characters of a long line around an offset, and how many it skips."""
        number = self.position(offset).line
        start = self.line_starts[number - 1]
        skip_count = max(offset - start - length // 2, 0)
        text = self.text[start + skip_count : start + skip_count + length]
        return _LINE_END.split(text, maxsplit=1)[0], skip_count

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its line ending."""
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    @property
    def newline(self) -> str:
        """The line ending for new lines: the first one of the text, else LF."""
        line_break = _LINE_END.search(self.text)
        return line_break.group() if line_break else "\n"


def decode(data: bytes) -> tuple[str, int | None]:
    """Decode bytes as UTF-8 without changing any character; a byte order mark is kept.

    Returns the text and None. If the bytes are not UTF-8, invalid bytes become U+FFFD and the
    second value is the offset of the first one.
    """
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), len(data[: error.start].decode("utf-8"))
