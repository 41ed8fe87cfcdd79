"""Text by its lines: only those that are asked for are read, coloured and held."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line
from skillstudio.preview.view import MOST_LINES, FileView
from skillstudio.text.safe import safe_text

LONGEST = 4_096
"""Bytes of a line; what is longer goes on in the next one, marked."""
_PIECE = 1 << 16
_SCANNED = 4 << 20
"""Bytes that one call looks through for ends of lines."""
_EVERY = 64
"""Of so many lines one is remembered by where it begins."""
BROKEN = "bytes that are no UTF-8 are shown as \ufffd"
_LONG = f"lines of more than {LONGEST:,} bytes are broken up"

Colour = Callable[["SourceLines", int, list[str]], list[Line]]
"""Lines of a text, from a number on, with their colours."""


class SourceLines:
    """The lines of a source by their numbers. Memory grows by a byte for eight lines."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._marks = array("Q", [0])
        self._at = 0
        """Where the line `known` begins."""
        self.known = 0
        self.complete = source.size == 0
        self.broken = False
        self.long = False

    def texts(self, start: int, count: int) -> list[str]:
        """Lines without their ends, as they stand."""
        start, end = max(start, 0), max(start, 0) + min(max(count, 0), MOST_LINES)
        self._advance(end)
        if start >= self.known:
            return []
        found: list[str] = []
        number = start // _EVERY * _EVERY
        at = self._marks[start // _EVERY]
        until = min(end, self.known)
        data = b""
        inside = 0
        while number < until:
            if len(data) - inside <= LONGEST:
                data = data[inside:] + self._source.read(at + len(data) - inside, _PIECE)
                inside = 0
            size = _line_size(data, inside)
            if not size:
                break
            if number >= start:
                found.append(self._text(data[inside : inside + size]))
            inside += size
            at += size
            number += 1
        return found

    def _text(self, data: bytes) -> str:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self.broken = True
            text = data.decode("utf-8", "replace")
        self.long = self.long or (not text.endswith("\n") and len(data) > LONGEST - 4)
        return text.removesuffix("\n").removesuffix("\r")

    def _advance(self, wanted: int) -> None:
        """Find where lines begin, up to a number, as far as one call goes."""
        until = self._at + _SCANNED
        while self.known < wanted and not self.complete and self._at < until:
            data = self._source.read(self._at, _PIECE)
            last = len(data) < _PIECE
            inside = 0
            while inside < len(data) and (last or len(data) - inside > LONGEST):
                inside += _line_size(data, inside)
                self.known += 1
                if self.known % _EVERY == 0:
                    self._marks.append(self._at + inside)
            self._at += inside
            self.complete = last


def _line_size(data: bytes, start: int) -> int:
    """The bytes of the line that begins at a place, its end included; 0 where there is none."""
    end = data.find(b"\n", start, start + LONGEST)
    if end >= 0:
        return end + 1 - start
    size = min(len(data) - start, LONGEST)
    if size == LONGEST:
        # Not within a character: a byte that goes on with one begins with the bits 10.
        back = 0
        while back < 3 and start + size < len(data) and data[start + size] & 0xC0 == 0x80:
            size -= 1
            back += 1
    return size


class TextView:
    """A text, plain or with colours."""

    def __init__(
        self, source: ByteSource, kind: str, note: str = "", colour: Colour | None = None
    ) -> None:
        self.title = safe_text(source.name)
        self.kind = kind
        self._source = source
        self._note = note
        self._colour = colour
        self._lines = SourceLines(source)
        self._last: tuple[int, list[Line]] = (0, [])
        """The lines that were asked for last, and the number of their first: what is made in one
        thread is painted in another, most of it once more."""

    @property
    def note(self) -> str:
        parts = [self._note]
        if self._lines.broken and BROKEN not in self._note:
            parts.append(BROKEN)
        if self._lines.long:
            parts.append(_LONG)
        return "; ".join(each for each in (*parts, self._source.state) if each)

    @property
    def count(self) -> int:
        return self._lines.known

    @property
    def complete(self) -> bool:
        return self._lines.complete

    def lines(self, start: int, count: int) -> list[Line]:
        start, count = max(start, 0), min(max(count, 0), MOST_LINES)
        first, known = self._last
        if first <= start and start + count <= first + len(known):
            return known[start - first : start - first + count]
        texts = self._lines.texts(start, count)
        if self._colour is not None:
            found = self._colour(self._lines, start, texts)
        else:
            found = [line(each) for each in texts]
        self._last = start, found
        return found

    def texts(self, start: int, count: int) -> list[str]:
        return ["".join(span.text for span in line(each)) for each in
                self._lines.texts(start, count)]  # fmt: skip

    def more(self) -> FileView | None:
        return None
