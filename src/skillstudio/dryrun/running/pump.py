"""Threads that drain a program's pipes, so that the program never waits for a reader."""

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
    """Reads a descriptor until its end or until stopped, then closes it."""

    def __init__(self, fd: int, take: Callable[[bytes], None], name: str) -> None:
        self._fd = fd
        self._take = take
        self._failure: BaseException | None = None
        self._reached = False
        self._woken, self._wake = os.pipe() if os.name == "posix" else (-1, -1)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        _enlarge(fd)
        self._thread.start()

    def stop(self, patience: float) -> bool:
        """Wait up to `patience` seconds for the end of the stream; return whether it was reached.

        What is in the pipe by then is still read, however late the thread gets to it. A process out
        of reach may keep the other end open forever. Raises what `take` raised.
        """
        self._thread.join(patience)
        if os.name == "posix":
            if self._thread.is_alive():
                os.write(self._wake, b".")
                self._thread.join()
            os.close(self._wake)
            os.close(self._woken)
        if self._failure is not None:
            raise self._failure
        return self._reached

    def _run(self) -> None:
        left = _PIPE
        try:
            while left > 0:
                is_stopped = self._wait()
                if is_stopped is None:
                    return
                data = os.read(self._fd, _PIECE)
                if not data:
                    self._reached = True
                    return
                self._take(data)
                # Once stopped, only what one pipe can hold: somebody may go on writing.
                left -= len(data) if is_stopped else 0
        except BaseException as error:
            self._failure = error
        finally:
            os.close(self._fd)

    def _wait(self) -> bool | None:
        """Wait for data or the end; return whether `stop` was called, None if nothing is left."""
        if os.name != "posix":
            return False
        import select

        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        ready = {fd for fd, _ in poll.poll()}
        if self._fd not in ready:
            return None
        return self._woken in ready


def _enlarge(fd: int) -> None:
    try:
        import fcntl
    except ImportError:
        return
    with suppress(OSError):  # Another system, or too many pipes already: it keeps its size.
        fcntl.fcntl(fd, _SET_PIPE_SIZE, _PIPE)
