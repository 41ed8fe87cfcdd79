"""What the launcher tells of the program, a line each."""

from __future__ import annotations

import os
import signal
import threading

from skillstudio.dryrun.prepared import Supervision
from skillstudio.dryrun.report import RunEnding

SIGNALLED = 128
"""What shells add to the number of the signal that ended a program (POSIX `sh`)."""


class Status:
    """Collects what arrives; it may be asked while the program still runs."""

    def __init__(self, supervision: Supervision) -> None:
        self._supervision = supervision
        self._text = b""
        self._lock = threading.Lock()

    def feed(self, data: bytes) -> None:
        """The next bytes of what is told."""
        with self._lock:
            self._text += data

    @property
    def left(self) -> int:
        """How many processes were still there when the program itself had ended."""
        return next((int(words[1]) for words in self._lines() if words[0] == "left"), 0)

    def ended(self, code: int) -> RunEnding:
        """How the program ended; `code` is how the process ended that was started."""
        if self._supervision == "group":
            return _ended(code)
        for words in self._lines():
            if words[0] == "error":
                return RunEnding(None, error=_failure(int(words[1]), " ".join(words[2:])))
            if words[0] == "exit":
                return RunEnding(int(words[1]))
            if words[0] == "signal":
                return RunEnding(None, signal_name(int(words[1])))
        if self._supervision == "bwrap" and code > 0:
            return RunEnding(None, error="the sandbox did not start the program")
        return RunEnding(None, "SIGKILL", error="the process that holds the program was ended")

    def _lines(self) -> list[list[str]]:
        with self._lock:
            return [line.split() for line in self._text.decode().splitlines() if line]


def signal_name(number: int) -> str:
    """Such as `SIGKILL`; "" of a number that is no signal here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _ended(code: int) -> RunEnding:
    if code < 0:
        return RunEnding(None, signal_name(-code) or f"signal {-code}")
    return RunEnding(code)


def _failure(number: int, where: str) -> str:
    what = os.strerror(number)
    if where == "start":
        return f"the program did not start: {what}"
    if where == "folder":
        return f"the folder that it starts in cannot be entered: {what}"
    return f"{where} could not be set up: {what}"
