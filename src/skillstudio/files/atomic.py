"""Saving a file so that a reader sees the old bytes or the new ones, and nothing between."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress

from skillstudio.resources import is_installed


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes in hexadecimal: how a change on disk is noticed."""
    return hashlib.sha256(data).hexdigest()


def write_atomic(path: str | os.PathLike[str], data: bytes, mode: int | None = None) -> None:
    """Put `data` in the place of a file by a rename within its folder.

    A link stays a link: what it points to is written. The permission bits are `mode`, else
    those of the file that was there, else those of any new file. Raises OSError, and leaves the
    old file and no temporary one; also for a file that is protected from writing, which a rename
    alone would replace.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    if is_protected(target):
        raise PermissionError(errno.EACCES, "protected from writing", target)
    bits = _bits(target) if mode is None else mode
    temporary = os.path.join(folder, f".{name[:100]}.{os.urandom(6).hex()}.tmp")
    with open(temporary, "xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if bits is not None:
                os.chmod(temporary, bits)
            os.replace(temporary, target)
        except BaseException:
            # On a full disk closing writes once more what is left, and fails once more.
            with suppress(OSError):
                file.close()
            os.unlink(temporary)
            raise
    _sync_folder(folder)


def is_protected(path: str) -> bool:
    """Whether a file may not be written: as it is, or because skillstudio is installed there."""
    if is_installed(path):
        return True
    try:
        bits = os.stat(path).st_mode
    except OSError:
        return False
    return not (bits & 0o222 and os.access(path, os.W_OK))


def _bits(target: str) -> int | None:
    try:
        found = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"not a regular file: {target}")
    return stat.S_IMODE(found.st_mode)


def _sync_folder(folder: str) -> None:
    """Make the rename last through a power cut, where the system lets a folder be synced."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError:
        # Some network file systems refuse it; the file itself is complete all the same.
        return
    finally:
        os.close(handle)
