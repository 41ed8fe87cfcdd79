"""Bytes in which some are not to be seen, such as the sensitive values of a run."""

from __future__ import annotations

from collections.abc import Iterable

from skillstudio.preview.source import ByteSource

MASK = b"*"


class MaskedSource:
    """A source in which each of some byte strings is as many asterisks, wherever it stands.

    Every offset stays what it was, so that all views hold, hexadecimal too. What is packed within
    the file is not looked for.
    """

    def __init__(self, source: ByteSource, hidden: Iterable[bytes]) -> None:
        """`hidden` are the values in every form in which they may be written."""
        self.name = source.name
        self.size = source.size
        self.mode = source.mode
        self._source = source
        # The longest first: what is part of another one goes with it.
        self._hidden = sorted({each for each in hidden if each}, key=len, reverse=True)
        self._around = len(self._hidden[0]) - 1 if self._hidden else 0

    def read(self, offset: int, length: int) -> bytes:
        start = max(offset - self._around, 0)
        before = offset - start
        data = self._source.read(start, before + length + self._around)
        masked = bytearray(data)
        for each in self._hidden:
            # In the bytes as they are: two values may overlap.
            at = data.find(each)
            while at >= 0:
                masked[at : at + len(each)] = MASK * len(each)
                at = data.find(each, at + 1)
        return bytes(masked[before : before + length])

    @property
    def state(self) -> str:
        return self._source.state
