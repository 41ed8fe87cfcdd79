"""Bytes in rows of sixteen, from any place in a file of any size."""

from __future__ import annotations

from skillstudio.preview.source import Source
from skillstudio.preview.spans import Line, line, plain
from skillstudio.preview.view import MOST_LINES, View
from skillstudio.text.safe import safe_text

ROW = 16


class HexView:
    """A file as hexadecimal: the offset, the bytes, and what of them is ASCII."""

    def __init__(self, source: Source, kind: str, note: str = "") -> None:
        self.title = safe_text(source.name)
        self.kind = kind
        self._note = note
        self._source = source
        self.count = -(-source.size // ROW)
        self.complete = True
        self._digits = 8 if source.size <= 1 << 32 else 12

    @property
    def note(self) -> str:
        return "; ".join(each for each in (self._note, self._source.state) if each)

    def lines(self, start: int, count: int) -> list[Line]:
        start = max(start, 0)
        count = min(max(count, 0), MOST_LINES, self.count - start)
        if count <= 0:
            return []
        data = self._source.read(start * ROW, count * ROW)
        return [self._row(start * ROW + at, data[at : at + ROW]) for at in range(0, len(data), ROW)]

    def _row(self, offset: int, data: bytes) -> Line:
        half = ROW // 2
        shown = f"{data[:half].hex(' '):<{half * 3}} {data[half:].hex(' '):<{half * 3 - 1}}"
        letters = "".join(chr(each) if 0x20 <= each < 0x7F else "·" for each in data)
        return line((f"{offset:0{self._digits}x}  ", "quiet"), shown, "  ", (letters, "string"))

    def texts(self, start: int, count: int) -> list[str]:
        return [plain(each) for each in self.lines(start, count)]

    def more(self) -> View | None:
        return None
