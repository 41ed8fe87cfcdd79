"""Start a terminal program in a pseudo-terminal and wait for its first whole frame."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Sequence

QUIET = 0.12
"""Seconds without output after which a frame is taken to be whole."""
LEAST = 1500
"""Bytes that a frame of a full screen has at least."""
PATIENCE = 20.0


def first_frame(command: Sequence[str], columns: int = 120, rows: int = 36) -> Callable[[], float]:
    """A function that starts the program once and says after how many ms its frame stood."""

    def once() -> float:
        start = time.perf_counter()
        child, master = pty.fork()
        if child == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ["COLORTERM"] = "truecolor"
            os.execv(command[0], list(command))
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        try:
            return (_wait(master) - start) * 1000
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(master)

    return once


def _wait(master: int) -> float:
    """The moment of the last output before the screen came to rest."""
    seen = 0
    last = time.perf_counter()
    end = last + PATIENCE
    while time.perf_counter() < end:
        ready, _, _ = select.select([master], [], [], QUIET)
        if not ready:
            if seen >= LEAST:
                return last
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        seen += len(data)
        last = time.perf_counter()
        if b"\x1b[c" in data or b"\x1b[>" in data:
            os.write(master, b"\x1b[?1;2c")
    return last
