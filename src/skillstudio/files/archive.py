"""Read an archive into memory as a tree."""

from __future__ import annotations

import os
import stat
from io import FileIO
from typing import TYPE_CHECKING

from skillstudio.files.archive_entries import (
    MAX_FILE,
    MAX_TOTAL,
    ArchiveRefused,
    Entries,
    prefix_errors,
)
from skillstudio.files.listed import ListedTree
from skillstudio.files.tree import Kind

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

SUFFIXES = (".tar.gz", ".tgz", ".skill", ".zip")
_PIECE = 1 << 20
_MAX_DIRECTORY = 4 << 20
"""Bytes of the central directory, which is read before entries can be counted."""

_UNIX = 3
_STORE, _DEFLATE = 0, 8  # Common compression methods; others can need any amount of memory.
_KINDS: dict[int, Kind] = {stat.S_IFLNK: "link", stat.S_IFREG: "file", 0: "file"}


def is_archive(path: str) -> bool:
    """Whether a path has an archive suffix."""
    return path.lower().endswith(SUFFIXES)


def open_archive(path: str | os.PathLike[str]) -> ListedTree:
    """The files of an archive, or of its only top-level folder. Links stay links.

    Raises ArchiveRefused with a message that starts with the path.
    """
    path = os.fspath(path)
    with prefix_errors(path):
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
                _read_zip(path, entries)
            else:
                raise ArchiveRefused("it is not a zip or gzip archive")
        name = os.path.basename(path)
        suffix = next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), "")
        return entries.tree(name[: len(name) - len(suffix)] or name)


class _BoundedFile(FileIO):
    """A file that limits the size of a single read."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_DIRECTORY:
            raise ArchiveRefused("its central directory is too large")
        return super().read(size) or b""


def _read_zip(path: str, entries: Entries) -> None:
    """Add all entries of a zip file. Raises ArchiveRefused, OSError."""
    from zipfile import BadZipFile, LargeZipFile, ZipFile

    try:
        with _BoundedFile(path) as file, ZipFile(file) as archive:
            for info in archive.infolist():
                _take_zip(archive, info, entries)
    except UnicodeDecodeError:
        raise ArchiveRefused("a name in it is marked as UTF-8 but is not valid UTF-8") from None
    except (BadZipFile, LargeZipFile, RuntimeError, EOFError, ValueError) as error:
        raise ArchiveRefused(f"it is damaged or cut short ({error})") from None


def _take_zip(archive: ZipFile, info: ZipInfo, entries: Entries) -> None:
    where = entries.place(info.orig_filename)
    if info.flag_bits & 0x1:
        raise ArchiveRefused(f"{where!r} in it is encrypted")
    if info.orig_filename.endswith("/"):
        entries.add(where, "folder", 0o755)
        return
    if info.compress_type not in (_STORE, _DEFLATE):
        raise ArchiveRefused(f"{where!r} in it uses a compression method other than deflate")
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    kind = _KINDS.get(stat.S_IFMT(mode), "other")
    data = b"" if kind == "other" else _unzip(archive, info, entries)
    entries.add(where, kind, stat.S_IMODE(mode) or 0o644, data)


def _unzip(archive: ZipFile, info: ZipInfo, entries: Entries) -> memoryview:
    from zlib import error as ZlibError  # noqa: N812

    content = bytearray()
    try:
        with archive.open(info) as file:
            while piece := file.read(_PIECE):
                entries.spend(len(piece))
                content += piece
                if len(content) > MAX_FILE:
                    most = f"{MAX_FILE >> 20} MiB"
                    raise ArchiveRefused(f"{info.orig_filename!r} in it is larger than {most}")
    except ZlibError:
        raise ArchiveRefused(f"{info.orig_filename!r} in it is damaged") from None
    if len(content) != info.file_size:
        raise ArchiveRefused(f"{info.orig_filename!r} in it does not have the stated size")
    return memoryview(content)
