"""Make written files survive a power failure, as far as the system can."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

MANY = 8  # The number of files above which syncing the whole disk is faster.


@contextmanager
def open_handle(path: str, flags: int, mode: int = 0o777) -> Iterator[int]:
    """Open a file or folder as `os.open` does, and close it at the end."""
    handle = os.open(path, flags, mode)
    try:
        yield handle
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write bytes to an open file and sync it. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


def sync_folder(folder: str) -> None:
    """Sync the renames in a folder if the system supports it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    # Unsupported by some network file systems and unreadable folders.
    with suppress(OSError), open_handle(folder, os.O_RDONLY | os.O_DIRECTORY) as handle:
        os.fsync(handle)


def can_sync_disks() -> bool:
    """Whether `sync_disks` waits for all writes; only Linux does."""
    return sys.platform == "linux" and _syncfs() is not None


def sync_disks(folders: Iterable[str]) -> None:
    """Sync the disks of some folders. Raises OSError."""
    import ctypes

    wait = _syncfs()
    synced_disks: set[int] = set()
    for folder in folders:
        with open_handle(folder, os.O_RDONLY | os.O_DIRECTORY) as handle:
            disk = os.fstat(handle).st_dev
            if disk not in synced_disks and wait is not None and wait(handle):
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number), folder)
            synced_disks.add(disk)


def _syncfs() -> Callable[[int], int] | None:
    import ctypes

    syncfs: Callable[[int], int] | None = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    return syncfs
