"""Save files of an author; the only module that does so.

A save locks the file, compares it, writes a temporary file in the same folder with the final owner,
mode, ACL and extended attributes, and renames it: readers see the old or the new bytes. A file that
would lose something by a rename is written in place with a journal instead.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from skillstudio.files.durability import sync_folder, write_all
from skillstudio.files.saving.attributes import Attributes, attributes_of, give
from skillstudio.files.saving.in_place import finish_all, finish_own, write_in_place
from skillstudio.files.saving.leftovers import MOST, is_ours, remove_leftovers
from skillstudio.files.saving.locks import WAIT, hold_locks, take
from skillstudio.files.temporary import FILE, temporary_name
from skillstudio.resources import is_installed

Write = Callable[[str, bytes], None]  # Saves the bytes of a locked file.

_NEW = 0o666  # The mode of a new file before umask or ACL.
_BINARY = getattr(os, "O_BINARY", 0)


@contextmanager
def prepare_save(paths: Iterable[str], within: str = "", wait: float = WAIT) -> Iterator[Write]:
    """Lock some files and yield a function that saves them.

    Interrupted saves are finished first, and unused temporary files removed in the files' folders
    and below `within`. Raises OSError, including LockBusy after `wait` seconds.
    """
    paths = [os.path.realpath(path) for path in paths]
    finish_all()
    with hold_locks(paths, wait):
        for path in paths:
            finish_own(path)
        if within:
            remove_leftovers(within, MOST)
        for folder in {os.path.dirname(path) for path in paths}:
            remove_leftovers(folder, MOST, deep=False)
        yield _write


def write_file(path: str | os.PathLike[str], data: bytes, mode: int = _NEW) -> None:
    """Save a file, overwriting its content; `mode` is for a new file.

    Links are followed. Raises OSError, also for a read-only file, and then the file is unchanged.
    """
    target = os.path.realpath(path)
    with prepare_save([target]):
        _write(target, data, mode)


def is_protected(path: str) -> bool:
    """Whether a file is read-only or belongs to the installed skillstudio."""
    if is_installed(path):
        return True
    try:
        bits = os.stat(path).st_mode
    except OSError:
        return False
    return not (bits & 0o222 and os.access(path, os.W_OK))


def _write(path: str, data: bytes, mode: int = _NEW) -> None:
    target = os.path.realpath(path)
    if is_protected(target):
        raise PermissionError(errno.EACCES, "read-only", target)
    old = _old(target)
    if old is None:
        _replace(target, data, None, mode)
    elif os.lstat(target).st_nlink > 1 or not _replace(target, data, old, 0o600):
        write_in_place(target, data)


def _old(target: str) -> Attributes | None:
    try:
        status = os.lstat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", target)
    return attributes_of(target)


def _replace(target: str, data: bytes, attributes: Attributes | None, mode: int) -> bool:
    """Replace a file; False if the new file cannot get the old one's attributes."""
    folder = os.path.dirname(target)
    temporary, handle = _create_temporary(folder, mode)
    # Windows cannot rename an open file; elsewhere the lock is kept until the rename.
    is_closed_first = os.name == "nt"
    try:
        try:
            if attributes is not None and not give(handle, attributes):
                os.unlink(temporary)
                return False
            write_all(handle, data)
            if not is_closed_first:
                os.replace(temporary, target)
        finally:
            os.close(handle)
        if is_closed_first:
            os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    sync_folder(folder)
    return True


def _create_temporary(folder: str, mode: int) -> tuple[str, int]:
    """Create a temporary file with a lock that marks it as in use."""
    while True:
        temporary = os.path.join(folder, temporary_name(FILE))
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        if os.name == "nt":
            return temporary, handle
        try:
            take(handle)
        except BlockingIOError:
            # Another process removed it before it was locked.
            os.close(handle)
            continue
        except OSError:
            # Without file locks nobody removes it.
            return temporary, handle
        if is_ours(temporary, handle):
            return temporary, handle
        os.close(handle)
