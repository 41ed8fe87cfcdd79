"""Show bytes in rows of 16, or 8 in a narrow view."""

from __future__ import annotations

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line, plain
from skillstudio.preview.view import MOST_LINES, FileView
from skillstudio.text.safe import safe_text

ROW = 16
_NARROW = 8
_OFFSET = 8  # Digits of an offset in a file of up to 4 GiB.
_OFFSET_HUGE = 12


class HexView:
    """A file as hexadecimal: offset, bytes and ASCII."""

    def __init__(self, source: ByteSource, kind: str, note: str = "", width: int = 80) -> None:
        """`width` is in cells."""
        self.title = safe_text(source.name)
        self.kind = kind
        self._note = note
        self._source = source
        self._digits = _OFFSET if source.size <= 1 << 32 else _OFFSET_HUGE
        self._bytes = ROW if width >= self._digits + 4 * ROW + 4 else _NARROW
        self.count = -(-source.size // self._bytes)
        self.complete = True

    @property
    def note(self) -> str:
        return "; ".join(each for each in (self._note, self._source.state) if each)

    def lines(self, start: int, count: int) -> list[Line]:
        start = max(start, 0)
        count = min(max(count, 0), MOST_LINES, self.count - start)
        if count <= 0:
            return []
        row = self._bytes
        data = self._source.read(start * row, count * row)
        return [self._row(start * row + at, data[at : at + row]) for at in range(0, len(data), row)]

    def _row(self, offset: int, data: bytes) -> Line:
        half = self._bytes // 2
        shown = f"{data[:half].hex(' '):<{half * 3}} {data[half:].hex(' '):<{half * 3 - 1}}"
        letters = "".join(chr(each) if 0x20 <= each < 0x7F else "·" for each in data)
        return line((f"{offset:0{self._digits}x}  ", "quiet"), shown, "  ", (letters, "string"))

    def texts(self, start: int, count: int) -> list[str]:
        return [plain(each) for each in self.lines(start, count)]

    def more(self) -> FileView | None:
        return None
