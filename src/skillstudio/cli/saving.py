"""Write a changed text to its file, if the file is still the one that was read."""

from __future__ import annotations

from skillstudio.files.disk import DiskTree
from skillstudio.text.source import decode


class NotSaved(Exception):
    """The file was left as it is; the text says why."""


def save(disk: DiskTree, path: str, old: str | None, new: str) -> None:
    """Put `new` in the place of `old`; an old text of None is a file that is not there yet.

    Raises NotSaved where the file holds anything else by now, and OSError.
    """
    from skillstudio.files.atomic import write_atomic

    try:
        data = new.encode()
    except UnicodeEncodeError:
        raise NotSaved("the value holds half a surrogate pair, which no file can") from None
    there = disk.read(path) if disk.kind(path) is not None else None
    if there is not None and decode(there)[1] is not None:
        raise NotSaved("the file is not UTF-8, so it was not changed")
    if there != (None if old is None else old.encode()):
        raise NotSaved("the file has changed on disk since it was read, so it was not changed")
    write_atomic(disk.path(path), data)
