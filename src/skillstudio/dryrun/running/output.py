"""Program output: on disk up to a cap, its end in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

SPOOL = 64 << 20  # Bytes of each stream that are kept on disk.
RING = 512 << 10  # Bytes at the end of each stream that are kept in memory.
UNMASKED_SIZE = 64 << 10  # Bytes at the end of each stream that are kept unmasked, in memory only.
_PIECE = 256 << 10
_PIPE = 1 << 20  # Bytes that a pipe is enlarged to where the system allows it: fewer, larger reads.
_SET_PIPE_SIZE = 1031


class Masking(Protocol):
    """Masks secrets in a stream of bytes, holding back what may be the start of one."""

    def feed(self, data: bytes) -> bytes: ...
    def flush(self) -> bytes: ...


class NewOutput(NamedTuple):
    """What a stream received since `Channel.since` was last called."""

    data: bytes
    position: int  # What to pass to the next call.
    missed_size: int  # Bytes that were dropped in between.


class Channel:
    """One stream: masked, then kept. One thread writes, any thread reads."""

    def __init__(self, path: str, masker: Masking | None = None, cap: int = SPOOL) -> None:
        """Create the file at `path`, readable by its owner only."""
        self.path = path
        self.total = 0
        """Bytes printed, after masking."""
        self.stored_size = 0
        """Bytes of them in the file."""
        self.failure = ""
        """Why writing the file failed, such as a full disk."""
        self._masker = masker
        self._unmasked_tail = bytearray()
        self._cap = cap
        self._ring = bytearray()
        self._lock = threading.Lock()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._fd: int | None = os.open(path, flags, 0o600)

    @property
    def cut(self) -> bool:
        """Whether more was printed than is in the file."""
        return self.total > self.stored_size

    def feed(self, data: bytes) -> None:
        """Add bytes that the program printed."""
        if self._masker:
            with self._lock:
                self._unmasked_tail += data[-UNMASKED_SIZE:]
                if len(self._unmasked_tail) > 8 * UNMASKED_SIZE:
                    del self._unmasked_tail[:-UNMASKED_SIZE]
        self._take(self._masker.feed(data) if self._masker else data)

    def close(self) -> None:
        """Flush held-back bytes and close the file."""
        if self._masker:
            self._take(self._masker.flush())
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None

    def tail(self, most: int = RING) -> bytes:
        """The last bytes, masked."""
        with self._lock:
            return bytes(self._ring[-most:])

    def read_unmasked(self) -> bytes:
        """The last bytes, unmasked: for judging in memory, never to be shown or stored."""
        with self._lock:
            return bytes((self._unmasked_tail if self._masker else self._ring)[-UNMASKED_SIZE:])

    def since(self, position: int, most: int = RING) -> NewOutput:
        """The bytes after `position`, at most the last `most` of them."""
        with self._lock:
            new = self.total - position
            take = min(new, most, len(self._ring))
            data = bytes(self._ring[len(self._ring) - take :])
            return NewOutput(data, self.total, new - take)

    def _take(self, data: bytes) -> None:
        if not data:
            return
        with self._lock:
            self.total += len(data)
            self._ring += data[-RING:]
            if len(self._ring) > 2 * RING:  # rarely: deleting at the front moves the rest
                del self._ring[:-RING]
            # Inside the lock too, so that `close` cannot come in between.
            if self._fd is not None and not self.failure and self.stored_size < self._cap:
                self._write(self._fd, data[: self._cap - self.stored_size])

    def _write(self, fd: int, data: bytes) -> None:
        try:
            while data:
                written_size = os.write(fd, data)
                self.stored_size += written_size
                data = data[written_size:]
        except OSError as error:
            self.failure = error.strerror or str(error)


class ProgramOutput:
    """Both streams of a program."""

    def __init__(
        self,
        folder: str,
        maskers: tuple[Masking, Masking] | None = None,
        cap: int = SPOOL,
    ) -> None:
        """Create the files `stdout` and `stderr` in `folder`; `maskers` has one per stream."""
        first, second = maskers or (None, None)
        self.stdout = Channel(os.path.join(folder, "stdout"), first, cap)
        self.stderr = Channel(os.path.join(folder, "stderr"), second, cap)

    def close(self) -> None:
        """Close both streams."""
        self.stdout.close()
        self.stderr.close()


class Pump:
    """Reads a descriptor until its end or until stopped, then closes it."""

    def __init__(self, fd: int, take: Callable[[bytes], None], name: str) -> None:
        self._fd = fd
        self._take = take
        self._failure: BaseException | None = None
        self._is_complete = False
        self._woken, self._wake = os.pipe() if os.name == "posix" else (-1, -1)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        _enlarge(fd)
        self._thread.start()

    def stop(self, patience: float) -> bool:
        """Wait up to `patience` seconds for the end of the stream; return whether it was reached.
        What is in the pipe by then is still read. Raises what `take` raised."""
        self._thread.join(patience)
        if os.name == "posix":
            if self._thread.is_alive():
                os.write(self._wake, b".")
                self._thread.join()
            os.close(self._wake)
            os.close(self._woken)
        if self._failure is not None:
            raise self._failure
        return self._is_complete

    def _run(self) -> None:
        budget = _PIPE
        try:
            while budget > 0:
                is_stopped = self._wait()
                if is_stopped is None:
                    return
                data = os.read(self._fd, _PIECE)
                if not data:
                    self._is_complete = True
                    return
                self._take(data)
                # Once stopped, only the size of one pipe: somebody may go on writing.
                budget -= len(data) if is_stopped else 0
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
