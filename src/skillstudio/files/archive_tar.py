"""Read the entries of a gzipped tar file: ustar with GNU and POSIX extensions.

`tarfile` stops silently at a damaged header, and older versions loop for ever on a crafted one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from skillstudio.files.archive_entries import MAX_ENTRIES, MAX_FILE, ArchiveRefused, Entries
from skillstudio.files.tree import Kind

BLOCK = 512
_PIECE = 1 << 16
_MAX_EXTENSION = 1 << 20
_DAMAGED_HEADER = "a header in it is damaged"
_GZIP = 16 + 15  # zlib's code for a gzip stream with the largest window.

_HARD_LINK, _FOLDER = b"1", b"5"
_KINDS: dict[bytes, Kind] = {b"2": "link", b"3": "other", b"4": "other", b"6": "other"}


class Header(NamedTuple):
    """The fields of an entry's header."""

    name: str
    mode: int
    size: int
    type: bytes
    link: str


def read_tar_gz(file: BinaryIO, entries: Entries) -> None:
    """Add all entries of a .tar.gz. Raises ArchiveRefused, OSError."""
    content = bytearray()
    for piece in inflate_gzip(file.read):
        entries.spend(len(piece))
        content += piece
    data = memoryview(content)
    at = 0
    extension: dict[str, str] = {}
    global_extension: dict[str, str] = {}
    while at + BLOCK <= len(data):
        block = bytes(data[at : at + BLOCK])
        at += BLOCK
        if not any(block):
            # The end; the rest is padding.
            return
        header = read_header(block)
        end = at + header.size
        if end > len(data):
            break
        body = data[at:end]
        at = end + -header.size % BLOCK
        if header.type in (b"x", b"g", b"L", b"K"):
            (global_extension if header.type == b"g" else extension).update(
                read_extension(header, body)
            )
            continue
        _take(header, {**global_extension, **extension}, body, entries)
        extension = {}
    if at != len(data) or not at:
        raise ArchiveRefused("it is damaged or cut short")


def inflate_gzip(read: Callable[[int], bytes], most: int = MAX_ENTRIES) -> Iterator[bytes]:
    """The content of a gzip file of at most `most` members in pieces. Raises ArchiveRefused."""
    import zlib

    inflate = zlib.decompressobj(_GZIP)
    members = 1
    while packed_piece := read(_PIECE):
        while packed_piece:
            if inflate.eof:
                # Gzip files can be concatenated or padded with zeros.
                packed_piece = packed_piece.lstrip(b"\0")
                members += 1
                if members > most:
                    raise ArchiveRefused(f"it consists of more than {most:,} gzip members")
                inflate = zlib.decompressobj(_GZIP) if packed_piece else inflate
            try:
                yield inflate.decompress(packed_piece, _PIECE)
            except zlib.error as error:
                raise ArchiveRefused(f"it is damaged ({error})") from None
            packed_piece = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
    if not inflate.eof:
        raise ArchiveRefused("it is cut short")


def read_header(block: bytes) -> Header:
    """Parse a header block. Raises ArchiveRefused if it is damaged."""
    if _number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * 0x20:
        raise ArchiveRefused(_DAMAGED_HEADER)
    name = _text(block[:100])
    if block[257:263] == b"ustar\0" and block[345]:
        name = f"{_text(block[345:500])}/{name}"
    kind = block[156:157]
    # Only files have content; a link can repeat the size of its target.
    size = 0 if kind in _KINDS or kind in (_HARD_LINK, _FOLDER) else _number(block[124:136])
    return Header(name, _number(block[100:108]), size, kind, _text(block[157:257]))


def _number(field: bytes) -> int:
    """Parse octal digits, or GNU's binary number, marked by the high bit."""
    if field[0] & 0x80:
        return int.from_bytes(field, "big") - (0x80 << 8 * (len(field) - 1))
    digits = field.replace(b"\0", b" ").strip()
    if digits.strip(b"01234567"):
        raise ArchiveRefused(_DAMAGED_HEADER)
    return int(digits or b"0", 8)


def _text(field: bytes | memoryview) -> str:
    return bytes(field).partition(b"\0")[0].decode("utf-8", "surrogateescape")


def read_extension(header: Header, body: memoryview) -> dict[str, str]:
    """The fields that an extension header sets for the next entry. Raises ArchiveRefused."""
    if len(body) > _MAX_EXTENSION:
        raise ArchiveRefused("a header in it is too long")
    if header.type in (b"L", b"K"):
        return {"path" if header.type == b"L" else "linkpath": _text(body)}
    fields = {}
    data = bytes(body)
    at = 0
    while at < len(data):
        length = data[at : at + 20].partition(b" ")[0]
        end = at + int(length) if length.isdigit() else 0
        key, equals, value = data[at + len(length) + 1 : end - 1].partition(b"=")
        if not at < end <= len(data) or not equals:
            raise ArchiveRefused(_DAMAGED_HEADER)
        fields[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at = end
    return fields


def _take(header: Header, extension: dict[str, str], body: memoryview, entries: Entries) -> None:
    if "size" in extension or any(key.startswith("GNU.sparse") for key in extension):
        raise ArchiveRefused("it contains a sparse file or one that is too large")
    name = extension.get("path", header.name)
    link = extension.get("linkpath", header.link)
    path = entries.place(name)
    if header.type == _FOLDER or (header.type in (b"\0", b"0") and name.endswith("/")):
        entries.add(path, "folder", header.mode)
    elif header.type == _HARD_LINK:
        entries.again(path, entries.place(link))
    elif header.type in _KINDS:
        target = link.encode("utf-8", "surrogateescape") if header.type == b"2" else b""
        entries.add(path, _KINDS[header.type], header.mode, target)
    elif header.type in (b"\0", b"0", b"7"):
        if len(body) > MAX_FILE:
            raise ArchiveRefused(f"{name!r} in it is larger than {MAX_FILE >> 20} MiB")
        entries.add(path, "file", header.mode, body)
    else:
        raise ArchiveRefused(f"{name!r} in it is of an unsupported type")
