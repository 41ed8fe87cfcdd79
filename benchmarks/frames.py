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

LEAST = 4000
"""Bytes that a frame has at least: the screen is 120×36 characters."""
PATIENCE = 20.0


def first_frame(
    command: Sequence[str], columns: int = 120, rows: int = 36, text: str = ""
) -> Callable[[], float]:
    """A function that starts the program once and returns after how many ms its frame was drawn,
    or with `text`, after how many ms that was on the screen."""

    def once() -> float:
        start = time.perf_counter()
        child, master = pty.fork()
        if child == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ["COLORTERM"] = "truecolor"
            os.execv(command[0], list(command))
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        try:
            return (_wait(master, text.encode()) - start) * 1000
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(master)

    return once


def _wait(master: int, text: bytes) -> float:
    """The moment at which a whole screen with a text had been drawn."""
    seen, last = 0, b""
    end = time.perf_counter() + PATIENCE
    while seen < LEAST or text not in last:
        ready, _, _ = select.select([master], [], [], end - time.perf_counter())
        if not ready:
            raise TimeoutError("no frame was drawn")
        data = os.read(master, 65536)
        seen += len(data)
        last = last[-len(text) :] + data if text else b""
        if b"\x1b[c" in data or b"\x1b[>" in data:
            os.write(master, b"\x1b[?1;2c")
    return time.perf_counter()
