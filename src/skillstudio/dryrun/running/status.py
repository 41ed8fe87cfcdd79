"""What a supervisor tells of the program: our launcher by lines, bwrap by JSON."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from skillstudio.dryrun.prepared import Supervision
from skillstudio.dryrun.report import Ended

SIGNALLED = 128
"""What shells, and bwrap, add to the number of the signal that ended a program (POSIX `sh`)."""


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
    def first(self) -> int:
        """The first process of bwrap's PID namespace, as seen from here; 0 where unknown."""
        return int(self._bwrap().get("child-pid", 0))

    @property
    def namespace(self) -> int:
        """The inode of that PID namespace; 0 where unknown."""
        return int(self._bwrap().get("pid-namespace", 0))

    @property
    def left(self) -> int:
        """How many processes were still there when the program itself had ended."""
        return next((int(words[1]) for words in self._lines() if words[0] == "left"), 0)

    def ended(self, code: int) -> Ended:
        """How the program ended; `code` is how the process ended that was started."""
        if self._supervision == "launcher":
            for words in self._lines():
                if words[0] == "error":
                    return Ended(None, error=_failure(int(words[1]), " ".join(words[2:])))
                if words[0] == "exit":
                    return Ended(int(words[1]))
                if words[0] == "signal":
                    return Ended(None, signal_name(int(words[1])))
            return Ended(None, "SIGKILL", error="the process that holds the program was ended")
        if self._supervision == "bwrap":
            told = self._bwrap().get("exit-code")
            if told is None:
                return Ended(None, error="the sandbox did not start the program")
            # It tells of a signal as shells do.
            is_signal = told > SIGNALLED and signal_name(told - SIGNALLED)
            return _ended(SIGNALLED - told if is_signal else told)
        return _ended(code)

    def _lines(self) -> list[list[str]]:
        with self._lock:
            return [line.split() for line in self._text.decode().splitlines() if line]

    def _bwrap(self) -> dict[str, Any]:
        import json

        found: dict[str, Any] = {}
        with self._lock:
            lines = self._text.splitlines()
        for line in lines:
            try:
                found |= json.loads(line)
            except ValueError:
                continue  # The line is still being written.
        return found


def signal_name(number: int) -> str:
    """Such as `SIGKILL`; "" of a number that is no signal here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _ended(code: int) -> Ended:
    if code < 0:
        return Ended(None, signal_name(-code) or f"signal {-code}")
    return Ended(code)


def _failure(number: int, where: str) -> str:
    what = os.strerror(number)
    if where == "start":
        return f"the program did not start: {what}"
    if where == "folder":
        return f"the folder that it starts in cannot be entered: {what}"
    return f"{where} could not be set up: {what}"
