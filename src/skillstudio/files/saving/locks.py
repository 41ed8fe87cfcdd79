"""Lock files so that one process writes at a time.

A lock is advisory and ends with its process. It consists of a lock file in the user's state folder,
chosen by the file's real path, and of a lock on the folder of the file, which other users'
processes respect as well. 64 lock files serve all files, so none has to be deleted; two files that
share one wait for each other.

If one part is not available, the other one is used. Without both, only the comparison right before
the rename protects a save.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256

from skillstudio.files.state import make_private, state_folder

WAIT = 60.0  # Seconds after which waiting for another process ends.
_PAUSE = 0.01
_STRIPES = 64
_FOLDERS = 200  # Folders that are locked at once; each needs one of about 1,000 handles.


class LockBusy(OSError):
    """Another process has the lock of a file."""

    def __init__(self, path: str) -> None:
        super().__init__(
            errno.EBUSY,
            "another skillstudio is saving here; wait for it or end it, then try again",
            path,
        )


def key_of(path: str) -> str:
    """The key of a file's lock and journal: 32 hexadecimal digits of a hash of its real path."""
    real = os.path.normcase(os.path.realpath(path))
    return sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:32]


@contextmanager
def hold_locks(paths: Iterable[str], wait: float = WAIT) -> Iterator[None]:
    """Hold the locks of some files. Raises LockBusy after `wait` seconds."""
    paths = list(paths)
    folders = sorted({os.path.dirname(os.path.realpath(path)) for path in paths})
    display_path = paths[0] if len(paths) == 1 else ""
    with locked_keys(map(key_of, paths), wait, display_path), ExitStack() as stack:
        # In a fixed order to avoid deadlocks.
        for folder in folders[:_FOLDERS]:
            _hold(stack, display_path or folder, _opened_folder(folder), wait)
        yield


@contextmanager
def locked_keys(keys: Iterable[str], wait: float = WAIT, display_path: str = "") -> Iterator[None]:
    """Hold the lock files of this user for some keys.

    Raises LockBusy after `wait` seconds, with the path `display_path`, else that of the lock file.
    """
    stripes = sorted({int(key[:8], 16) % _STRIPES for key in keys})
    with ExitStack() as stack:
        for stripe in stripes:
            path = os.path.join(state_folder(), "locks", f"{stripe:02}")
            _hold(stack, display_path or path, _opened_file(path), wait)
        yield


def take(handle: int) -> None:
    """Take the lock of an open file without waiting.

    Raises BlockingIOError or PermissionError where another process has it, OSError where the
    file system knows no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _hold(stack: ExitStack, path: str, handle: int | None, wait: float) -> None:
    if handle is None:
        return
    stack.callback(os.close, handle)
    end = time.monotonic() + wait
    while True:
        try:
            take(handle)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= end:
                raise LockBusy(path) from None
            time.sleep(_PAUSE)
        except OSError:
            # The file system has no locks.
            return
        else:
            return


def _opened_file(path: str) -> int | None:
    """The lock file; None where it cannot be opened, as with a read-only home."""
    with suppress(OSError):
        make_private(os.path.dirname(path))
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    return None


def _opened_folder(folder: str) -> int | None:
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    return None
