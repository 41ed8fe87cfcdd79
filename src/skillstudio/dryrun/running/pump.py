"""Threads that empty a program's pipes: it never waits for whoever looks at its output."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress

_PIECE = 256 << 10
_PIPE = 1 << 20
"""Bytes that a pipe is enlarged to where the system allows it: fewer, larger reads."""
_SET_PIPE_SIZE = 1031


class Pump:
    """Reads a descriptor until its end, or until it is told to stop; then closes it."""

    def __init__(self, fd: int, take: Callable[[bytes], None], name: str) -> None:
        self._fd = fd
        self._take = take
        self._failure: BaseException | None = None
        self._woken, self._wake = os.pipe() if os.name == "posix" else (-1, -1)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        _enlarge(fd)
        self._thread.start()

    def stop(self, patience: float) -> bool:
        """Wait so many seconds for the end, then end it; whether the end was reached by itself.

        Somebody who is out of reach may hold the other side for as long as they like. Raises
        what `take` raised.
        """
        self._thread.join(patience)
        if reached := not self._thread.is_alive():
            pass
        elif os.name == "posix":
            os.write(self._wake, b".")
            self._thread.join()
        if os.name == "posix":
            os.close(self._wake)
            os.close(self._woken)
        if self._failure is not None:
            raise self._failure
        return reached

    def _run(self) -> None:
        try:
            while self._ready() and (data := os.read(self._fd, _PIECE)):
                self._take(data)
        except BaseException as error:
            self._failure = error
        finally:
            os.close(self._fd)

    def _ready(self) -> bool:
        """Whether there is something to read, and not only somebody who says stop."""
        if os.name != "posix":
            return True
        import select

        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        ready = {fd for fd, _ in poll.poll()}
        return self._woken not in ready


def _enlarge(fd: int) -> None:
    try:
        import fcntl
    except ImportError:
        return
    with suppress(OSError):  # Another system, or too many pipes already: it stays small.
        fcntl.fcntl(fd, _SET_PIPE_SIZE, _PIPE)
