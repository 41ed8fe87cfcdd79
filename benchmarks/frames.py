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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

LEAST = 4000
"""Bytes that a frame has at least: the screen is 120×36 characters."""
PATIENCE = 20.0
_REST, _GAP = 0.5, 0.05  # Seconds after a key that changes the screen, and between typed keys.


def first_frame(
    command: Sequence[str], columns: int = 120, rows: int = 36, text: str = ""
) -> Callable[[], float]:
    """A function that starts the program once and returns after how many ms its frame was drawn,
    or with `text`, after how many ms that was on the screen."""

    def once() -> float:
        start = time.perf_counter()
        with _started(command, columns, rows) as (_, master):
            return (_wait(master, text.encode()) - start) * 1000

    return once


def key_cost(command: Sequence[str], before: Sequence[bytes], typed: bytes) -> Callable[[], float]:
    """A function that starts the program, presses some keys, and returns how many ms of processor
    time each further key takes, at 20 keys in a second."""

    def once() -> float:
        with _started(command, 120, 36) as (child, master):
            _wait(master, b"")
            for key in (b"", *before, b""):
                os.write(master, key)
                _read(master, _REST)
            start = _processor_time(child)
            for number in range(len(typed)):
                os.write(master, typed[number : number + 1])
                _read(master, _GAP)
            return (_processor_time(child) - start) / len(typed) * 1000

    return once


@contextmanager
def _started(command: Sequence[str], columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """A program in a pseudo-terminal: its process, and the terminal to read and write."""
    child, master = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.environ["COLORTERM"] = "truecolor"
        os.execv(command[0], list(command))
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    try:
        yield child, master
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(master)


def _processor_time(process: int) -> float:
    """The seconds of processor time that a process has used."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read(master: int, seconds: float) -> None:
    """Read what a program prints for some time."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        if select.select([master], [], [], left)[0]:
            os.read(master, 65536)


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
