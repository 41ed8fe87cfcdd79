"""What a program prints: whole on disk up to a cap, and its end in memory."""

from __future__ import annotations

import os
import threading
from typing import Literal, NamedTuple, Protocol

Stream = Literal["stdout", "stderr"]

SPOOL = 64 << 20
"""Bytes of each stream that are kept on disk."""
RING = 512 << 10
"""Bytes of each stream that are kept in memory, the last ones."""


UNMASKED = 64 << 10
"""Bytes of each stream that are held as they were printed, the last ones, in memory alone."""


class Masking(Protocol):
    """Takes secrets out of a stream of bytes, holding back what may be the start of one."""

    def feed(self, data: bytes) -> bytes: ...
    def flush(self) -> bytes: ...


class NewOutput(NamedTuple):
    """What a stream brought since somebody last looked."""

    data: bytes
    position: int
    """Where to look from next time."""
    missed: int
    """Bytes that came and went between."""


class Channel:
    """One stream: masked, then kept. Written by one thread, read by any."""

    def __init__(self, path: str, masking: Masking | None = None, cap: int = SPOOL) -> None:
        """`path` is the file that it is kept in, made anew and readable by its owner alone."""
        self.path = path
        self.total = 0
        """Bytes that were printed, masked."""
        self.kept = 0
        """Bytes of them in the file."""
        self._masking = masking
        self._unmasked = bytearray()
        self._cap = cap
        self._ring = bytearray()
        self._lock = threading.Lock()
        self._failure = ""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._fd: int | None = os.open(path, flags, 0o600)

    @property
    def cut(self) -> bool:
        """Whether more was printed than is kept."""
        return self.total > self.kept

    @property
    def failure(self) -> str:
        """Why the file takes no more, such as a full disk."""
        return self._failure

    def feed(self, data: bytes) -> None:
        """The next bytes of the program."""
        if self._masking:
            with self._lock:
                self._unmasked += data[-UNMASKED:]
                if len(self._unmasked) > 8 * UNMASKED:
                    del self._unmasked[:-UNMASKED]
        self._take(self._masking.feed(data) if self._masking else data)

    def close(self) -> None:
        """No more will come."""
        if self._masking:
            self._take(self._masking.flush())
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None

    def tail(self, most: int = RING) -> bytes:
        """The last bytes."""
        with self._lock:
            return bytes(self._ring[-most:])

    def unmasked(self) -> bytes:
        """The last bytes as they were printed: to be judged in memory, never shown nor kept."""
        with self._lock:
            return bytes((self._unmasked if self._masking else self._ring)[-UNMASKED:])

    def since(self, position: int, most: int = RING) -> NewOutput:
        """What came after `position`: its last bytes, where there is more than `most`."""
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
            if len(self._ring) > 2 * RING:  # seldom: taking from the front moves all the rest
                del self._ring[:-RING]
            # Written under the lock too: whoever closes it must not close it between.
            if self._fd is not None and not self._failure and self.kept < self._cap:
                self._write(self._fd, data[: self._cap - self.kept])

    def _write(self, fd: int, data: bytes) -> None:
        try:
            while data:
                written = os.write(fd, data)
                self.kept += written
                data = data[written:]
        except OSError as error:
            self._failure = error.strerror or str(error)


class ProgramOutput:
    """Both streams of a program."""

    def __init__(
        self,
        folder: str,
        masking: tuple[Masking, Masking] | None = None,
        cap: int = SPOOL,
    ) -> None:
        """Kept in `folder`, as `stdout` and `stderr`; a masking object for each. Raises OSError."""
        first, second = masking or (None, None)
        self.stdout = Channel(os.path.join(folder, "stdout"), first, cap)
        self.stderr = Channel(os.path.join(folder, "stderr"), second, cap)

    def close(self) -> None:
        """No more will come."""
        self.stdout.close()
        self.stderr.close()
