"""A line at the terminal that says how far a command is that takes longer than a second."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any, TextIO

from skillstudio.cli.progress import Progress, current

_FIRST, _NEXT = 1.0, 0.25  # Seconds until the line is written, and written again.
_ERASE = b"\r\x1b[K"
_BAR = 20  # Columns.
_USUAL_WIDTH = 80  # Of a terminal that states none.


class ProgressLine(Progress):
    """The line of a command called `title` on the terminal with a file descriptor."""

    def __init__(self, title: str, terminal: int) -> None:
        super().__init__()
        self.is_paused = False
        """Whether something else is on the line of the terminal."""
        self._title = title
        self._terminal = terminal
        self._began = monotonic()
        self._is_written = False

    def text(self) -> str:
        """Such as `check [#####...............] 25 of 100 skills, 2 s`."""
        seconds = f"{int(monotonic() - self._began)} s"
        if not self.total:
            return f"{self._title}: {seconds}"
        filled = self.done * _BAR // self.total
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}]"
        return f"{self._title} {bar} {self.done:,} of {self.total:,} {self.noun}, {seconds}"

    def write(self, _: int, __: FrameType | None) -> None:
        """Write the line in the place of the last one: the handler of the timer's signal.

        Without a buffer, which the signal may have interrupted while it was written.
        """
        if not (self.is_paused or self.is_hidden):
            with suppress(OSError):
                width = os.get_terminal_size(self._terminal).columns or _USUAL_WIDTH
                os.write(self._terminal, _ERASE + self.text()[: width - 1].encode())
                self._is_written = True

    def erase(self) -> None:
        if self._is_written:
            self._is_written = False
            with suppress(OSError):
                os.write(self._terminal, _ERASE)


class SharedStream:
    """A stream on the same terminal: the line is erased before a text, and waits for its end."""

    def __init__(self, stream: TextIO, line: ProgressLine) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        self._line.is_paused = True
        self._line.erase()
        size = self._stream.write(text)
        self._line.is_paused = not text.endswith("\n")
        return size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def progress_line(title: str) -> Iterator[None]:
    """Show how far a command is, after a second and only where standard error is a terminal.

    The line is written when a timer interrupts the main thread: with a second thread the check
    could not share its work among forked processes.
    """
    if not _can_show():
        yield
        return
    line = ProgressLine(title, sys.stderr.fileno())
    streams = sys.stdout, sys.stderr
    sys.stderr = SharedStream(sys.stderr, line)
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout = SharedStream(sys.stdout, line)
    current.append(line)
    handler = signal.signal(signal.SIGALRM, line.write)
    timer = signal.setitimer(signal.ITIMER_REAL, _FIRST, _NEXT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
        current.remove(line)
        sys.stdout, sys.stderr = streams
        line.erase()


def _can_show() -> bool:
    """Whether standard error is a terminal that can erase a line, and there is a timer."""
    if os.environ.get("TERM") == "dumb" or not hasattr(signal, "setitimer"):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    try:
        return os.isatty(sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):
        return False
