"""Decide whether content may be recorded or shown: not if it contains a sensitive value. Compressed
parts are found by their first bytes wherever they are, so no list of archive formats is needed."""

from __future__ import annotations

import bz2
import importlib
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from skillstudio.dryrun.redaction.redactor import NOTHING, Redactor
from skillstudio.dryrun.redaction.suspects import holds_suspect
from skillstudio.text.lazy_pattern import lazy_pattern

HOLDS = "contains a sensitive value"
MAX_INSIDE = 32 << 20  # Decompressed bytes searched per file, including nested archives.
MAX_DEPTH = 4  # Nested archives that are searched.
_MOST_PARTS = 100_000  # Places in one file that look like the start of a stream.
_PIECE = 1 << 16
_MEMORY = 256 << 20
_ENTRY = 30  # Bytes of the header of a zip entry, before its name.
_ELSEWHERE = frozenset({0, 12, 93, 95})
"""Zip methods whose data is searched as it is, or starts like a stream."""
_NEWEST_ZIP = 63

_BEGINNINGS = lazy_pattern(
    rb"\x1f\x8b\x08|BZh[1-9]1AY&SY|\xfd7zXZ\0|PK\x03\x04|\x28\xb5\x2f\xfd|x[\x01\x5e\x9c\xda]"
)
_UNKNOWN = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
    b"\x04\x22\x4d\x18": "LZ4",
    b"\x02\x21\x4c\x18": "LZ4",
    b"\x1f\x9d": "compress",
    b"\x1f\xa0": "compress",
    b"\x1f\x1e": "pack",
    b"LZIP\x01": "lzip",
    b"\x89LZO\0\r\n\x1a\n": "lzop",
    b"MSCF\0\0\0\0": "CAB",
    b"\xff\x06\0\0sNaPpY": "Snappy",
    b"hsqs": "SquashFS",
}
_UNKNOWN_BEGINNINGS = lazy_pattern(rb"|".join(map(re.escape, _UNKNOWN)))
_BLOCK = 512  # Members of a tar start at multiples of this.


class Unsearchable(Exception):
    """A compressed part that cannot be searched: the reason in a few words."""


class _Stream(NamedTuple):
    data: bytes
    end: int  # The position after its last byte.


class _DecompressionBudget:
    """How much of one file may still be decompressed."""

    def __init__(self) -> None:
        self.bytes = MAX_INSIDE
        self.parts = _MOST_PARTS

    def take(self, size: int) -> None:
        self.bytes -= size
        if self.bytes < 0:
            raise Unsearchable(f"more than {MAX_INSIDE >> 20} MiB inside")


def why_sensitive(data: bytes, redactor: Redactor = NOTHING) -> str:
    """Why content is neither recorded nor shown, as a phrase about a file; "" when it may be.
    Unsearchable content is allowed unless there are values to search for."""
    try:
        return HOLDS if _holds(data, redactor, 0, _DecompressionBudget()) else ""
    except Unsearchable as error:
        if not redactor.is_looking:
            return ""
        return f"cannot be searched for sensitive values ({error})"


def _holds(data: bytes, redactor: Redactor, depth: int, budget: _DecompressionBudget) -> bool:
    if redactor.finds(data) or holds_suspect(data):
        return True
    for inside in _insides(data, budget):
        if depth == MAX_DEPTH:
            raise Unsearchable(f"more than {MAX_DEPTH} archives in each other")
        if _holds(inside, redactor, depth + 1, budget):
            return True
    return False


def _insides(data: bytes, budget: _DecompressionBudget) -> Iterator[bytes]:
    """Every compressed part, decompressed; adjacent parts are joined."""
    _refuse_unknown(data)
    if data.isascii():
        return
    at = 0
    before: _Stream | None = None
    first = _read_stream(data, 0, budget) if data.startswith(b"\x5d\0\0") else None
    if first is not None:
        yield first.data
    while beginning := _BEGINNINGS.search(data, at):
        budget.parts -= 1
        if budget.parts < 0:
            raise Unsearchable("too many compressed parts")
        start = beginning.start()
        stream = _read_stream(data, start, budget)
        if stream is None:
            at = start + 1
            continue
        if before is not None:
            if before.end == start:
                stream = stream._replace(data=before.data + stream.data)
            else:
                yield before.data
        before, at = stream, max(stream.end, start + 1)
    if before is not None:
        yield before.data


def _read_stream(data: bytes, start: int, budget: _DecompressionBudget) -> _Stream | None:
    """The stream that starts at a position, decompressed; None when there is none."""
    head = data[start : start + 4]
    if head == b"PK\x03\x04":
        return _zip_entry(data, start, budget)
    if head == b"\x28\xb5\x2f\xfd":
        return _zstd(data, start, budget)
    if head.startswith(b"BZh"):
        return _inflate(bz2.BZ2Decompressor, data, start, start, budget)
    if head.startswith((b"\xfd7zX", b"\x5d\0\0")):
        return _inflate(lambda: lzma.LZMADecompressor(memlimit=_MEMORY), data, start, start, budget)
    kind = 31 if head.startswith(b"\x1f\x8b") else 15
    return _inflate(lambda: zlib.decompressobj(kind), data, start, start, budget)


def _zip_entry(data: bytes, start: int, budget: _DecompressionBudget) -> _Stream | None:
    head = data[start : start + _ENTRY]
    if len(head) < _ENTRY or head[4] > _NEWEST_ZIP:
        return None
    flags, method = (int.from_bytes(head[at : at + 2], "little") for at in (6, 8))
    name, extra = (int.from_bytes(head[at : at + 2], "little") for at in (26, 28))
    begins = start + _ENTRY + name + extra
    if not name or begins > len(data):
        return None
    if flags & 1:
        raise Unsearchable("an encrypted zip")
    if method in _ELSEWHERE:
        _refuse_unknown(data[begins : begins + 16])
        return _Stream(b"", begins)
    if method != zlib.DEFLATED:
        raise Unsearchable(f"a zip packed in way {method}")
    return _inflate(lambda: zlib.decompressobj(-15), data, start, begins, budget)


def _zstd(data: bytes, start: int, budget: _DecompressionBudget) -> _Stream | None:
    try:
        # In the standard library since Python 3.14.
        zstd: Any = importlib.import_module("compression.zstd")
    except ImportError:
        if start and data[257:262] != b"ustar":
            return None
        raise Unsearchable("Zstandard") from None
    return _inflate(zstd.ZstdDecompressor, data, start, start, budget)


def _inflate(
    make: Callable[[], Any], data: bytes, start: int, begins: int, budget: _DecompressionBudget
) -> _Stream | None:
    """A stream as far as it can be read; damage makes only the start of a file unsearchable."""
    reader = make()
    pieces: list[bytes] = []
    at = begins
    try:
        while at < len(data) and not reader.eof:
            # One byte over the budget, so that exceeding it is noticed.
            piece = reader.decompress(data[at : at + _PIECE], budget.bytes + 1)
            at += _PIECE
            budget.take(len(piece))
            pieces.append(piece)
    except (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError, MemoryError) as error:
        if not start:
            raise Unsearchable("damaged") from error
        return _Stream(b"".join(pieces), begins) if any(pieces) else None
    if not reader.eof and not start and not any(pieces):
        raise Unsearchable("damaged")
    end = min(at, len(data)) - len(reader.unused_data) if reader.eof else begins
    return _Stream(b"".join(pieces), end)


def _refuse_unknown(data: bytes) -> None:
    """Raise Unsearchable for an unsupported kind of compression."""
    is_tar = data[257:262] == b"ustar"
    beginning = _UNKNOWN_BEGINNINGS.match(data)
    if beginning is None and is_tar:
        places = _UNKNOWN_BEGINNINGS.finditer(data)
        beginning = next((match for match in places if match.start() % _BLOCK == 0), None)
    if beginning is not None:
        raise Unsearchable(_UNKNOWN[beginning.group()])
