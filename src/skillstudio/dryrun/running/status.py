"""The status lines that the launcher sends about the program."""

from __future__ import annotations

import os
import signal
import threading

from skillstudio.dryrun.prepared import Supervision
from skillstudio.dryrun.report import RunEnding

SIGNALLED = 128
"""Shells add this to the number of the signal that ended a program (POSIX `sh`)."""


class Status:
    """Collects status lines; can be queried while the program runs."""

    def __init__(self, supervision: Supervision) -> None:
        self._supervision = supervision
        self._text = b""
        self._lock = threading.Lock()

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        with self._lock:
            self._text += data

    @property
    def left(self) -> int:
        """Number of processes still running when the program itself had ended."""
        return next((int(words[1]) for words in self._lines() if words[0] == "left"), 0)

    def ended(self, code: int) -> RunEnding:
        """How the program ended; `code` is the exit code of the process that was started."""
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
        return RunEnding(
            None, "SIGKILL", error="the process that supervises the program was killed"
        )

    def _lines(self) -> list[list[str]]:
        with self._lock:
            return [line.split() for line in self._text.decode().splitlines() if line]


def signal_name(number: int) -> str:
    """The name, such as `SIGKILL`; "" for an unknown number."""
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
        return f"cannot enter the folder that the program starts in: {what}"
    return f"cannot set up {where}: {what}"
