"""The output of a program as safe lines for a screen, with limits."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from skillstudio.present.lines import shorten
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.dryrun.running.output import Channel

PER_LOOK = 32 << 10
"""Maximum number of bytes per stream and look; the recorded run has all of them."""
LONGEST = 2_000
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])"
)
"""Escape sequences (ECMA-48)."""
_PARTIAL_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]{0,200}\x1b?|[ -/]*)?\Z"
)


class Tail:
    """Follows one stream and returns its finished lines."""

    def __init__(self, mark: str = "") -> None:
        """`mark` is the prefix of each line."""
        self.position = 0
        """The size of the stream at the last look, in bytes."""
        self._mark = mark
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def look(self, stream: Channel) -> list[str]:
        """The lines since the last look."""
        news = stream.since(self.position, PER_LOOK)
        self.position = news.position
        lines: list[str] = []
        if news.missed_size:
            lines += self.end()
            lines.append(f"… {news.missed_size:,} bytes not shown; the recorded run has them")
        if news.data:
            lines += self._take(self._decoder.decode(news.data))
        return lines

    def _take(self, text: str) -> list[str]:
        text = self._rest + text
        match = _PARTIAL_SEQUENCE.search(text)
        cut = match.start() if match else len(text)
        *lines, last = _ESCAPE_SEQUENCE.sub("", text[:cut]).replace("\r\n", "\n").split("\n")
        self._rest = last + text[cut:]
        output_lines = [self._line(line) for line in lines]
        if len(self._rest) > LONGEST:
            output_lines += self.end()
        return output_lines

    def end(self) -> list[str]:
        """The last line, if it is not terminated."""
        rest = _ESCAPE_SEQUENCE.sub("", self._rest + self._decoder.decode(b"", True))
        self._rest = ""
        self._decoder.reset()
        return [self._line(rest)] if rest else []

    def _line(self, text: str) -> str:
        # Only the final state of a progress bar is shown.
        text = text.rstrip("\r").rpartition("\r")[2]
        return self._mark + safe_text(shorten(text, LONGEST))
