"""Read an archive into memory as a tree."""

from __future__ import annotations

import os
import stat

from skillstudio.files.archive_entries import MAX_TOTAL, ArchiveRefused, Entries, naming_archive
from skillstudio.files.listed import ListedTree

__all__ = ["SUFFIXES", "ArchiveRefused", "is_archive", "open_archive"]

SUFFIXES = (".tar.gz", ".tgz", ".skill", ".zip")


def is_archive(path: str) -> bool:
    """Whether a path has an archive suffix."""
    return path.lower().endswith(SUFFIXES)


def open_archive(path: str | os.PathLike[str]) -> ListedTree:
    """The files of an archive, or of its only top-level folder. Links stay links.

    Raises ArchiveRefused with a message that starts with the path.
    """
    with naming_archive(os.fspath(path)):
        return _read(os.fspath(path))


def _read(path: str) -> ListedTree:
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode):
        raise ArchiveRefused("it is not a file")
    if about.st_size > MAX_TOTAL:
        raise ArchiveRefused(f"it is larger than {MAX_TOTAL >> 20} MiB")
    entries = Entries(about.st_size)
    with open(path, "rb") as file:
        start = file.read(4)
        file.seek(0)
        if start[:2] == b"\x1f\x8b":
            from skillstudio.files.archive_tar import read_tar_gz

            read_tar_gz(file, entries)
        elif start in (b"PK\x03\x04", b"PK\x05\x06"):
            from skillstudio.files.archive_zip import read_zip

            read_zip(path, entries)
        else:
            raise ArchiveRefused("it is not a zip or gzip archive")
    name = os.path.basename(path)
    suffix = next((each for each in SUFFIXES if name.lower().endswith(each)), "")
    return entries.tree(name[: len(name) - len(suffix)] or name)
