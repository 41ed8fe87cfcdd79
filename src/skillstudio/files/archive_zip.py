"""Reading a zip file into entries."""

from __future__ import annotations

import stat
from io import FileIO
from typing import TYPE_CHECKING

from skillstudio.files.archive_entries import MAX_FILE, ArchiveRefused, Entries
from skillstudio.files.tree import Kind

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_PIECE = 1 << 20
_MAX_DIRECTORY = 4 << 20
"""Bytes of the list of contents, which is read before anything in it can be counted."""

_UNIX = 3
_STORED, _DEFLATED = 0, 8
"""The methods that all readers know; others may ask for any amount of memory."""

_EMPTY = memoryview(b"")
_KINDS: dict[int, Kind] = {stat.S_IFLNK: "link", stat.S_IFREG: "file", 0: "file"}


class _BoundedFile(FileIO):
    """A file of which nothing is read in pieces of any size that the file itself names."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_DIRECTORY:
            raise ArchiveRefused("its list of contents is too long")
        return super().read(size) or b""


def read_zip(path: str, entries: Entries) -> None:
    """Take in all that a zip file holds. Raises ArchiveRefused, OSError."""
    from zipfile import BadZipFile, LargeZipFile, ZipFile

    try:
        with _BoundedFile(path) as file, ZipFile(file) as archive:
            for info in archive.infolist():
                _take(archive, info, entries)
    except UnicodeDecodeError:
        raise ArchiveRefused("a name in it is not the UTF-8 that it says it is") from None
    except (BadZipFile, LargeZipFile, RuntimeError, EOFError, ValueError) as error:
        raise ArchiveRefused(f"it is damaged or cut short ({error})") from None


def _take(archive: ZipFile, info: ZipInfo, entries: Entries) -> None:
    where = entries.place(info.orig_filename)
    if info.flag_bits & 0x1:
        raise ArchiveRefused(f"{where!r} in it is encrypted")
    if info.orig_filename.endswith("/"):
        entries.add(where, "folder", 0o755)
        return
    if info.compress_type not in (_STORED, _DEFLATED):
        raise ArchiveRefused(f"{where!r} in it is packed in a way other than deflate")
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    kind = _KINDS.get(stat.S_IFMT(mode), "other")
    data = _EMPTY if kind == "other" else _read(archive, info, entries)
    entries.add(where, kind, stat.S_IMODE(mode) or 0o644, data)


def _read(archive: ZipFile, info: ZipInfo, entries: Entries) -> memoryview:
    from zlib import error as ZlibError  # noqa: N812

    found = bytearray()
    try:
        with archive.open(info) as file:
            while piece := file.read(_PIECE):
                entries.spend(len(piece))
                found += piece
                if len(found) > MAX_FILE:
                    raise ArchiveRefused(
                        f"{info.orig_filename!r} in it is larger than {MAX_FILE >> 20} MiB"
                    )
    except ZlibError:
        raise ArchiveRefused(f"{info.orig_filename!r} in it is damaged") from None
    if len(found) != info.file_size:
        raise ArchiveRefused(f"{info.orig_filename!r} in it is not of the size that it says")
    return memoryview(found)
