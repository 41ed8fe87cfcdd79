"""What a program prints as lines for a screen: bounded, harmless, honest about what is lost."""

from __future__ import annotations

import codecs
import re
from typing import Protocol

from skillstudio.text.safe import safe_text

PER_LOOK = 32 << 10
"""Bytes of each stream that are shown of what came between two looks; all is kept on disk."""
LONGEST = 2_000
"""Characters of one line."""
_STEERING = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])"
)
"""What a program writes to colour and steer a terminal (ECMA-48)."""
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]{0,200}\x1b?|[ -/]*)?\Z")


class Stream(Protocol):
    """A stream that is being written: `Channel` of a dry run."""

    def since(self, position: int, most: int = ...) -> TailUpdate: ...


class TailUpdate(Protocol):
    """What came since the last look."""

    @property
    def data(self) -> bytes: ...
    @property
    def position(self) -> int: ...
    @property
    def missed(self) -> int: ...


class Tail:
    """Follows one stream and gives its lines as they are finished."""

    def __init__(self, mark: str = "") -> None:
        """`mark` stands before each line."""
        self.position = 0
        """Bytes that the stream had at the last look."""
        self._mark = mark
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def look(self, stream: Stream) -> list[str]:
        """The lines that came since the last look."""
        news = stream.since(self.position, PER_LOOK)
        self.position = news.position
        lines: list[str] = []
        if news.missed:
            lines += self._finish()
            lines.append(f"… {news.missed:,} bytes not shown; they are kept with the run")
        if news.data:
            lines += self._take(self._decoder.decode(news.data))
        return lines

    def end(self) -> list[str]:
        """The last line, where no line end came after it."""
        return self._finish()

    def _take(self, text: str) -> list[str]:
        text = self._rest + text
        held = _UNFINISHED.search(text)
        cut = held.start() if held else len(text)
        body, behind = _STEERING.sub("", text[:cut]), text[cut:]
        *lines, last = body.replace("\r\n", "\n").split("\n")
        self._rest = last + behind
        found = [self._line(line) for line in lines]
        if len(self._rest) > LONGEST:
            found += self._finish()
        return found

    def _finish(self) -> list[str]:
        rest = _STEERING.sub("", self._rest + self._decoder.decode(b"", True))
        self._rest = ""
        self._decoder.reset()
        return [self._line(rest)] if rest else []

    def _line(self, text: str) -> str:
        # What a progress bar wrote over itself is not read by anyone.
        text = text.rstrip("\r").rpartition("\r")[2]
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text):,} characters)"
        return self._mark + safe_text(text)
