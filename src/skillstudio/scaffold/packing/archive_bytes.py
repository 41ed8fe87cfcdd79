"""Write reproducible zip and gzipped tar files.

Headers are written field by field because those of `zipfile` and `tarfile` depend on their version.
Tar files are POSIX.1-2001: ustar headers, with a pax header where a path does not fit in one.
"""

from __future__ import annotations

import stat
import zlib
from collections.abc import Iterable
from struct import Struct, pack
from typing import NamedTuple

_LOCAL = Struct("<4s5H3L2H")
_CENTRAL = Struct("<4s6H3L5H2L")
_END = Struct("<4s4H2LH")

_MADE_BY = 3 << 8 | 20  # Unix, format version 2.0.
_MIN_VERSION = 20
_UTF_8 = 1 << 11
_STORE_METHOD, _DEFLATE_METHOD = 0, 8
_TIME, _DATE = 0, 1 << 5 | 1  # 1980-01-01 00:00, the earliest date of the format.
_BLOCK = 512
_MTIME = 315532800  # 1980-01-01 00:00 UTC, as in a zip file. GNU tar warns about the epoch.
_NAME = 100  # Bytes of a path or link target that fit in a header.
_PIECE = 0xFFFF  # Bytes of a stored deflate block.


class Member(NamedTuple):
    """A file of an archive, or a link with its target as `data`."""

    path: str
    data: bytes
    executable: bool = False
    link: bool = False

    @property
    def mode(self) -> int:
        """The permission bits to write."""
        return 0o777 if self.link else 0o755 if self.executable else 0o644


def zip_bytes(members: Iterable[Member], compress: bool = False) -> bytes:
    """A zip file in the given order, with one date, stored or deflated by the local zlib."""
    archive, directory = bytearray(), bytearray()
    count = 0
    for member in members:
        name = member.path.encode()
        method, body = _STORE_METHOD, member.data
        if compress and len(deflated_data := _deflate_data(member.data)) < len(member.data):
            method, body = _DEFLATE_METHOD, deflated_data
        sizes = (zlib.crc32(member.data), len(body), len(member.data), len(name), 0)
        shared_fields = (_MIN_VERSION, _UTF_8, method, _TIME, _DATE, *sizes)
        bits = (stat.S_IFREG | member.mode) << 16
        directory += (
            _CENTRAL.pack(b"PK\1\2", _MADE_BY, *shared_fields, 0, 0, 0, bits, len(archive)) + name
        )
        archive += _LOCAL.pack(b"PK\3\4", *shared_fields) + name + body
        count += 1
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(archive), 0)
    return bytes(archive + directory + end)


def _deflate_data(data: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(data) + deflate.flush()


def tar_gz_bytes(members: Iterable[Member], compress: bool = False) -> bytes:
    """A .tar.gz of files and links in the given order, with one date and no owner."""
    archive = bytearray()
    for member in members:
        path = member.path.encode()
        target = member.data if member.link else b""
        data = b"" if member.link else member.data
        if extension := _pax(path, target):
            archive += _header(b"././@PaxHeader", 0o644, len(extension), b"x", b"")
            archive += _pad_block(extension)
        kind = b"2" if member.link else b"0"
        archive += _header(_cut_text(path), member.mode, len(data), kind, _cut_text(target))
        archive += _pad_block(data)
    return _gzip(bytes(archive + bytes(2 * _BLOCK)), compress)


def _pax(path: bytes, target: bytes) -> bytes:
    fields = {b"path": path, b"linkpath": target}
    return b"".join(
        _field(key, value)
        for key, value in fields.items()
        if len(value) > _NAME or not value.isascii()
    )


def _field(key: bytes, value: bytes) -> bytes:
    """`LENGTH KEY=VALUE⏎`; the length includes its own digits."""
    rest = b" %s=%s\n" % (key, value)
    length = len(rest) + len(str(len(rest)))
    length = len(rest) + len(str(length))
    return str(length).encode() + rest


def _cut_text(text: bytes) -> bytes:
    """A text cut to fit in a header; readers of pax headers ignore it."""
    return text.decode().encode("ascii", "replace")[:_NAME]


def _header(name: bytes, mode: int, size: int, kind: bytes, target: bytes) -> bytes:
    fields = [
        name.ljust(_NAME, b"\0"),
        b"%07o\0" % mode,
        b"%07o\0" % 0,
        b"%07o\0" % 0,
        b"%011o\0" % size,
        b"%011o\0" % _MTIME,
        b" " * 8,
        kind,
        target.ljust(_NAME, b"\0"),
        b"ustar\x0000",
    ]
    block = b"".join(fields).ljust(_BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def _pad_block(data: bytes) -> bytes:
    return data + bytes(-len(data) % _BLOCK)


def _gzip(data: bytes, compress: bool) -> bytes:
    """A gzip stream without name, time and system (RFC 1952)."""
    body = _deflate_data(data) if compress else _store_data(data)
    head = b"\x1f\x8b\x08\0\0\0\0\0" + (b"\2" if compress else b"\0") + b"\xff"
    return head + body + pack("<2L", zlib.crc32(data), len(data))


def _store_data(data: bytes) -> bytes:
    """Deflate without compression (RFC 1951, 3.2.4); zlib's block sizes depend on its version."""
    blocks = bytearray()
    for at in range(0, len(data), _PIECE):
        piece = data[at : at + _PIECE]
        last = at + _PIECE >= len(data)
        blocks += pack("<BHH", last, len(piece), len(piece) ^ 0xFFFF) + piece
    return bytes(blocks)
