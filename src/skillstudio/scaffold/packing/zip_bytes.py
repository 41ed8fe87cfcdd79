"""Write reproducible zip files.

Headers are written field by field because those of `zipfile` depend on its version.
"""

from __future__ import annotations

import stat
import zlib
from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

_LOCAL = Struct("<4s5H3L2H")
_CENTRAL = Struct("<4s6H3L5H2L")
_END = Struct("<4s4H2LH")

_MADE_BY = 3 << 8 | 20  # Unix, format version 2.0.
_NEEDED = 20
_UTF_8 = 1 << 11
_STORED, _DEFLATED = 0, 8
_TIME, _DATE = 0, 1 << 5 | 1  # 1980-01-01 00:00, the earliest date of the format.


class Member(NamedTuple):
    """A file of an archive, or a link with its target as `data`."""

    path: str
    data: bytes
    executable: bool = False
    link: bool = False

    @property
    def mode(self) -> int:
        """The permission bits to write."""
        if self.link:
            return 0o777
        return 0o755 if self.executable else 0o644


def zip_bytes(members: Iterable[Member], compress: bool = False) -> bytes:
    """A zip file of some files in the given order, with one date.

    Files are stored, or with `compress` deflated by the local zlib.
    """
    made, directory = bytearray(), bytearray()
    count = 0
    for member in members:
        name = member.path.encode()
        method, packed = _packed(member.data, compress)
        sizes = (zlib.crc32(member.data), len(packed), len(member.data), len(name), 0)
        shared = (_NEEDED, _UTF_8, method, _TIME, _DATE, *sizes)
        bits = (stat.S_IFREG | member.mode) << 16
        directory += _CENTRAL.pack(b"PK\1\2", _MADE_BY, *shared, 0, 0, 0, bits, len(made)) + name
        made += _LOCAL.pack(b"PK\3\4", *shared) + name + packed
        count += 1
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(made), 0)
    return bytes(made + directory + end)


def _packed(data: bytes, compress: bool) -> tuple[int, bytes]:
    if compress:
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = deflate.compress(data) + deflate.flush()
        if len(packed) < len(data):
            return _DEFLATED, packed
    return _STORED, data
