"""Show text line by line, and bytes as hexadecimal, both lazily."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line, plain
from skillstudio.preview.view import MOST_LINES, FileView

LONGEST = 4_096  # Bytes of a line; longer ones are broken and marked.
_PIECE = 1 << 16
_SCANNED_BYTES = 4 << 20  # Bytes that one call searches for line ends.
_EVERY = 64  # The offset of every so many lines is stored.
ENCODING_NOTE = "invalid UTF-8 is shown as \ufffd"
_LONG = f"lines of more than {LONGEST:,} bytes are broken up"

Colour = Callable[["SourceLines", int, list[str]], list[Line]]
"""Highlighted lines of a text from a line number on."""


class SourceLines:
    """The lines of a source by number. Needs a byte of memory per eight lines."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._marks = array("Q", [0])
        self._at = 0  # The offset of the line `known_count`.
        self.known_count = 0
        self.complete = source.size == 0
        self.has_invalid_bytes = False
        self.long = False

    def texts(self, start: int, count: int) -> list[str]:
        """Raw lines without their ends."""
        start, end = max(start, 0), max(start, 0) + min(max(count, 0), MOST_LINES)
        self._advance(end)
        if start >= self.known_count:
            return []
        texts: list[str] = []
        number = start // _EVERY * _EVERY
        at = self._marks[start // _EVERY]
        until = min(end, self.known_count)
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
                texts.append(self._text(data[inside : inside + size]))
            inside += size
            at += size
            number += 1
        return texts

    def _text(self, data: bytes) -> str:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self.has_invalid_bytes = True
            text = data.decode("utf-8", "replace")
        self.long = self.long or (not text.endswith("\n") and len(data) > LONGEST - 4)
        return text.removesuffix("\n").removesuffix("\r")

    def _advance(self, end: int) -> None:
        """Find line offsets up to a line number, within the limit of one call."""
        until = self._at + _SCANNED_BYTES
        while self.known_count < end and not self.complete and self._at < until:
            data = self._source.read(self._at, _PIECE)
            last = len(data) < _PIECE
            inside = 0
            while inside < len(data) and (last or len(data) - inside > LONGEST):
                inside += _line_size(data, inside)
                self.known_count += 1
                if self.known_count % _EVERY == 0:
                    self._marks.append(self._at + inside)
            self._at += inside
            self.complete = last


def _line_size(data: bytes, start: int) -> int:
    """The length of the line at an offset, including its end; 0 if there is none."""
    end = data.find(b"\n", start, start + LONGEST)
    if end >= 0:
        return end + 1 - start
    size = min(len(data) - start, LONGEST)
    if size == LONGEST:
        # Do not split a character: continuation bytes start with the bits 10.
        back = 0
        while back < 3 and start + size < len(data) and data[start + size] & 0xC0 == 0x80:
            size -= 1
            back += 1
    return size


class TextView(FileView):
    """A text, plain or highlighted."""

    def __init__(
        self, source: ByteSource, kind: str, note: str = "", colour: Colour | None = None
    ) -> None:
        super().__init__(source.name, kind, [note], source)
        self._colour = colour
        self._lines = SourceLines(source)
        self._last: tuple[int, list[Line]] = (0, [])
        """The last returned lines with their first number: one thread creates them, another paints
        them again."""

    def _remarks(self) -> Iterable[str]:
        yield from self.notes
        if self._lines.has_invalid_bytes and ENCODING_NOTE not in self.notes[0]:
            yield ENCODING_NOTE
        if self._lines.long:
            yield _LONG

    @property
    def count(self) -> int:
        return self._lines.known_count

    @property
    def complete(self) -> bool:
        return self._lines.complete

    def lines(self, start: int, count: int) -> list[Line]:
        start, count = max(start, 0), min(max(count, 0), MOST_LINES)
        first, cached_lines = self._last
        if first <= start and start + count <= first + len(cached_lines):
            return cached_lines[start - first : start - first + count]
        texts = self._lines.texts(start, count)
        lines = self._colour(self._lines, start, texts) if self._colour else list(map(line, texts))
        self._last = start, lines
        return lines

    def texts(self, start: int, count: int) -> list[str]:
        return [plain(line(text)) for text in self._lines.texts(start, count)]


class HexView(FileView):
    """A file as hexadecimal: offset, bytes and ASCII."""

    complete = True
    count = 0

    def __init__(self, source: ByteSource, kind: str, note: str = "", width: int = 80) -> None:
        """Show 16 bytes per line, or 8 if `width`, in cells, is too small."""
        super().__init__(source.name, kind, [note], source)
        self._read = source.read
        self._digits = 8 if source.size <= 1 << 32 else 12
        self._bytes = 16 if width >= self._digits + 68 else 8
        self.count = -(-source.size // self._bytes)

    def lines(self, start: int, count: int) -> list[Line]:
        start = max(start, 0)
        count = min(max(count, 0), MOST_LINES, self.count - start)
        if count <= 0:
            return []
        row = self._bytes
        data = self._read(start * row, count * row)
        return [self._row(start * row + at, data[at : at + row]) for at in range(0, len(data), row)]

    def _row(self, offset: int, data: bytes) -> Line:
        half = self._bytes // 2
        hex_text = f"{data[:half].hex(' '):<{half * 3}} {data[half:].hex(' '):<{half * 3 - 1}}"
        letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in data)
        return line((f"{offset:0{self._digits}x}  ", "quiet"), hex_text, "  ", (letters, "string"))
