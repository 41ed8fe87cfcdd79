"""Write files in place with a journal if a rename would lose something.

These are files with hard links, or an owner or attributes that a new file cannot get. The journal
has the old and new bytes. The next save, the next start of the workbench, or `doctor --clean`
finishes an interrupted save.
"""

from __future__ import annotations

import json
import os
from itertools import zip_longest
from typing import BinaryIO, NamedTuple

from skillstudio.files.durability import open_handle, sync_folder, write_all
from skillstudio.files.saving.locks import LockBusy, hold_locks, key_of, locked_keys
from skillstudio.files.state import make_private, state_folder
from skillstudio.text.lazy_pattern import lazy_pattern

_JOURNAL = lazy_pattern(r"([0-9a-f]{32})\.(journal|half)")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class SaveJournal(NamedTuple):
    """An unfinished save in place."""

    file: str
    target: str
    old: bytes
    new: bytes


class NoJournal(OSError):
    """A file must be written in place, but its journal cannot be written."""


def write_in_place(target: str, data: bytes) -> None:
    """Write a file without changing its inode. The caller has its lock.

    Raises NoJournal and OSError; the file keeps its old bytes then.
    """
    with _open_file(target) as file:
        old = file.read()
        try:
            journal = _begin(target, old, data)
        except OSError as error:
            raise NoJournal(
                error.errno,
                "it has a second name (a hard link) or an owner that a new file cannot get, and "
                f"the journal for writing it in place cannot be written: {error.strerror}; make "
                f"{_folder()} writable",
                target,
            ) from None
        try:
            _overwrite(file, data)
        except BaseException:
            # If this fails too, the next save retries from the journal.
            file.seek(0)
            if file.read() != old:
                _overwrite(file, old)
            _end(journal)
            raise
    _end(journal)


def finish_own(target: str) -> None:
    """Finish an interrupted save of this file. The caller has its lock. Raises OSError."""
    file = os.path.join(_folder(), f"{key_of(target)}.journal")
    if not os.path.lexists(file):
        return
    try:
        journal = _journal(file)
    except ValueError:
        _put_aside(file)
    else:
        _finish(journal)


def finish_all() -> tuple[str, ...]:
    """Finish every interrupted save except those in progress; return a message for each."""
    messages: list[str] = []
    folder = _folder()
    try:
        names = sorted(filter(_JOURNAL.fullmatch, os.listdir(folder)))
    except OSError:
        return ()
    for name in names:
        file = os.path.join(folder, name)
        key, _, kind = name.partition(".")
        try:
            if kind == "half":
                # Its writer was killed before it touched the file.
                with locked_keys([key], wait=0):
                    os.unlink(file)
                continue
            target = _journal(file).target
            with hold_locks([target], wait=0):
                messages.append(_finish(_journal(file)))
        except LockBusy:
            continue
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it cannot be read"
            messages.append(f"cannot finish an interrupted save from its journal {file}: {why}")
    return tuple(messages)


def _finish(journal: SaveJournal) -> str:
    """Repair a file after an interrupted write and return a message.

    Raises OSError if the file's folder does not exist, for example on an unmounted disk.
    """
    target = journal.target
    os.stat(os.path.dirname(target))
    try:
        with _open_file(target) as file:
            now = file.read()
            if now not in (journal.old, journal.new) and _is_between(now, journal.old, journal.new):
                _overwrite(file, now := journal.new)
    except FileNotFoundError:
        now = None
    if now in (journal.old, journal.new):
        _end(journal)
        return f"{target}: finished an interrupted save"
    return (
        f"{target} was changed or removed after a save of it was interrupted and was not "
        f"restored; the text before and after that save is in {_put_aside(journal.file)}"
    )


def _put_aside(file: str) -> str:
    kept_file = f"{os.path.splitext(file)[0]}-{os.urandom(4).hex()}.kept"
    os.rename(file, kept_file)
    return kept_file


def _is_between(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether an interrupted write explains these bytes: each is the old or the new one.

    After a power failure, unwritten parts read as zeros.
    """
    if not min(len(old), len(new)) <= len(now) <= max(len(old), len(new)):
        return False
    return all(
        byte is None or byte in (before, after, 0)
        for byte, before, after in zip_longest(now, old, new)
    )


def _begin(target: str, old: bytes, new: bytes) -> SaveJournal:
    folder = _folder()
    make_private(folder)
    key = key_of(target)
    half = os.path.join(folder, f"{key}.half")
    file = os.path.join(folder, f"{key}.journal")
    head = {"target": target, "old": len(old), "new": len(new)}
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINK | _BINARY
    try:
        with open_handle(half, flags, 0o600) as handle:
            # ASCII keeps names that are not UTF-8: their bytes are escaped surrogates.
            write_all(handle, json.dumps(head).encode("ascii") + b"\n" + old + new)
        os.rename(half, file)
    except OSError:
        if os.path.lexists(half):
            os.unlink(half)
        raise
    sync_folder(folder)
    return SaveJournal(file, target, old, new)


def _end(journal: SaveJournal) -> None:
    os.unlink(journal.file)
    sync_folder(os.path.dirname(journal.file))


def _journal(file: str) -> SaveJournal:
    """Raises OSError and ValueError."""
    with open(os.open(file, os.O_RDONLY | _NO_LINK | _BINARY), "rb") as stream:
        head = json.loads(stream.readline())
        rest = stream.read()
    try:
        target, old, new = str(head["target"]), int(head["old"]), int(head["new"])
    except (KeyError, TypeError) as error:
        raise ValueError(file) from error
    if len(rest) != old + new:
        raise ValueError(file)
    return SaveJournal(file, target, rest[:old], rest[old:])


def _overwrite(file: BinaryIO, data: bytes) -> None:
    file.seek(0)
    write_all(file.fileno(), data)
    os.ftruncate(file.fileno(), len(data))
    os.fsync(file.fileno())


def _open_file(target: str) -> BinaryIO:
    """Open a file for reading and writing, links not followed. Raises OSError."""
    handle = os.open(target, os.O_RDWR | _NO_LINK | _BINARY)
    return open(handle, "r+b", buffering=0)


def _folder() -> str:
    return os.path.join(state_folder(), "saves")
