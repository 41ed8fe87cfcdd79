"""Mask bytes such as the sensitive values of a run."""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.preview.source import ByteSource

MASK = b"*"


class MaskedSource:
    """A source that replaces every occurrence of some byte strings with asterisks.

    Offsets do not change, so all views work. Compressed content is not masked.
    """

    def __init__(self, source: ByteSource, hidden: Iterable[bytes]) -> None:
        """`hidden` are the values in every form in which they can be written."""
        self.name = source.name
        self.size = source.size
        self.mode = source.mode
        self._source = source
        # The longest first: parts of another value are covered by it.
        self._hidden = sorted({each for each in hidden if each}, key=len, reverse=True)
        self._around = len(self._hidden[0]) - 1 if self._hidden else 0

    def read(self, offset: int, length: int) -> bytes:
        start = max(offset - self._around, 0)
        before = offset - start
        data = self._source.read(start, before + length + self._around)
        masked = bytearray(data)
        for each in self._hidden:
            # Search the original bytes: two values can overlap.
            at = data.find(each)
            while at >= 0:
                masked[at : at + len(each)] = MASK * len(each)
                at = data.find(each, at + 1)
        return bytes(masked[before : before + length])

    @property
    def state(self) -> str:
        return self._source.state
