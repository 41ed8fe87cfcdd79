"""Program output: on disk up to a cap, its end in memory."""

from __future__ import annotations

import os
import threading
from typing import Literal, NamedTuple, Protocol

Stream = Literal["stdout", "stderr"]

SPOOL = 64 << 20
"""Bytes of each stream that are kept on disk."""
RING = 512 << 10
"""Bytes at the end of each stream that are kept in memory."""
UNMASKED = 64 << 10
"""Bytes at the end of each stream that are kept unmasked, in memory only."""


class Masking(Protocol):
    """Masks secrets in a stream of bytes, holding back what may be the start of one."""

    def feed(self, data: bytes) -> bytes: ...
    def flush(self) -> bytes: ...


class NewOutput(NamedTuple):
    """What a stream received since `Channel.since` was last called."""

    data: bytes
    position: int
    """What to pass to the next call."""
    missed: int
    """Bytes that were dropped in between."""


class Channel:
    """One stream: masked, then kept. One thread writes, any thread reads."""

    def __init__(self, path: str, masking: Masking | None = None, cap: int = SPOOL) -> None:
        """Create the file at `path`, readable by its owner only."""
        self.path = path
        self.total = 0
        """Bytes printed, after masking."""
        self.kept = 0
        """Bytes of them in the file."""
        self.failure = ""
        """Why writing the file failed, such as a full disk."""
        self._masking = masking
        self._unmasked = bytearray()
        self._cap = cap
        self._ring = bytearray()
        self._lock = threading.Lock()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._fd: int | None = os.open(path, flags, 0o600)

    @property
    def cut(self) -> bool:
        """Whether more was printed than is in the file."""
        return self.total > self.kept

    def feed(self, data: bytes) -> None:
        """Add bytes that the program printed."""
        if self._masking:
            with self._lock:
                self._unmasked += data[-UNMASKED:]
                if len(self._unmasked) > 8 * UNMASKED:
                    del self._unmasked[:-UNMASKED]
        self._take(self._masking.feed(data) if self._masking else data)

    def close(self) -> None:
        """Flush held-back bytes and close the file."""
        if self._masking:
            self._take(self._masking.flush())
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None

    def tail(self, most: int = RING) -> bytes:
        """The last bytes, masked."""
        with self._lock:
            return bytes(self._ring[-most:])

    def unmasked(self) -> bytes:
        """The last bytes, unmasked: for judging in memory, never to be shown or stored."""
        with self._lock:
            return bytes((self._unmasked if self._masking else self._ring)[-UNMASKED:])

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
            if self._fd is not None and not self.failure and self.kept < self._cap:
                self._write(self._fd, data[: self._cap - self.kept])

    def _write(self, fd: int, data: bytes) -> None:
        try:
            while data:
                written = os.write(fd, data)
                self.kept += written
                data = data[written:]
        except OSError as error:
            self.failure = error.strerror or str(error)


class ProgramOutput:
    """Both streams of a program."""

    def __init__(
        self,
        folder: str,
        masking: tuple[Masking, Masking] | None = None,
        cap: int = SPOOL,
    ) -> None:
        """Create the files `stdout` and `stderr` in `folder`; `masking` has one per stream."""
        first, second = masking or (None, None)
        self.stdout = Channel(os.path.join(folder, "stdout"), first, cap)
        self.stderr = Channel(os.path.join(folder, "stderr"), second, cap)

    def close(self) -> None:
        """Close both streams."""
        self.stdout.close()
        self.stderr.close()
