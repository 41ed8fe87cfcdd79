"""List the content of an archive. Nothing is unpacked except tar headers."""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from
from typing import NamedTuple

from skillstudio.files.archive_entries import ArchiveRefused
from skillstudio.files.archive_tar import BLOCK, inflate_gzip, read_extension, read_header
from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, line, size_words
from skillstudio.preview.view import FileView, ViewRequest

_ENTRIES = 1_000
_BLOCKS = 4 * _ENTRIES  # Headers of a tar file, including extension headers.
_NAME = 2_000  # Characters of a name that are shown.
_DIRECTORY = 1 << 20  # Bytes of a zip file's central directory that are read.
_TAIL = 22 + (1 << 16)
_SIZE = 11  # The width of the size column; sizes of 1 GB and more exceed it.
_UNPACKED_BYTES = 8 << 20  # Bytes of a .tar.gz that are unpacked to find headers.
_PIECE = 1 << 16
_MEMBERS = 1_000  # Members of one gzip file; parallel compression creates several.
_MUCH = 100  # The compression ratio from which an entry is marked.
_FOLDER, _HARD_LINK, _SYMBOLIC_LINK = b"5", b"1", b"2"


class _Entry(NamedTuple):
    name: str
    size: int
    packed_size: int | None
    mode: int
    link: str = ""
    note: str = ""


def zip_view(request: ViewRequest) -> FileView:
    return request.lazy_view(zip_lines)


def tar_view(request: ViewRequest) -> FileView:
    return request.lazy_view(tar_lines)


def gzip_view(request: ViewRequest) -> FileView:
    return request.lazy_view(gzip_lines)


def zip_lines(source: ByteSource, notes: list[str]) -> Iterator[Line]:
    """The entries in a zip file's central directory."""
    tail_at = max(source.size - _TAIL, 0)
    tail = source.read(tail_at, _TAIL)
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + 22:
        yield line(("the central directory is missing: the file is damaged or cut short", "error"))
        return
    count, size = unpack_from("<HL", tail, at + 10)
    # The real start of the directory, also with data before the archive.
    start = tail_at + at - size
    if 0xFFFF in (count, size >> 16):
        record = _zip64(source, tail, at)
        if record is None:
            yield line(("the format of the central directory is not supported", "error"))
            return
        count, size, start = record
    if start < 0:
        yield line(("the central directory is damaged", "error"))
        return
    data = source.read(start, min(size, _DIRECTORY))
    entries, is_end = _directory(data, count)
    total = sum(entry.size for entry in entries)
    qualifier = "" if len(entries) == count else "more than "
    summary = f"{_many(count)}, {qualifier}{size_words(total, exactly=False)} unpacked"
    if source.size and total > _MUCH * source.size:
        summary += f", {total // source.size:,} times its size"
    notes.append(summary)
    if len(entries) < count:
        notes.append(f"the first {len(entries):,} are listed")
    for entry in entries:
        yield from _entry_lines(entry)
    if not count:
        yield line(("it is empty", "quiet"))
    if len(entries) < min(count, _ENTRIES) and not (is_end and len(data) == _DIRECTORY):
        yield line(("the rest of the directory is damaged", "error"))


def _zip64(source: ByteSource, tail: bytes, at: int) -> tuple[int, ...] | None:
    locator = tail[at - 20 : at] if at >= 20 else b""
    if locator[:4] != b"PK\6\7":
        return None
    record = source.read(int.from_bytes(locator[8:16], "little"), 56)
    if record[:4] != b"PK\6\6" or len(record) < 56:
        return None
    return unpack_from("<3Q", record, 32)


def _directory(data: bytes, count: int) -> tuple[list[_Entry], bool]:
    """Entries of a central directory, and whether more follow after the bytes."""
    entries: list[_Entry] = []
    at = 0
    while len(entries) < min(count, _ENTRIES) and data[at : at + 4] == b"PK\1\2":
        head = data[at : at + 46]
        if len(head) < 46:
            return entries, True
        (flags,) = unpack_from("<H", head, 8)
        packed_size, size, *sizes = unpack_from("<2L3H", head, 20)
        raw = data[at + 46 : at + 46 + sizes[0]]
        name = raw.decode("utf-8" if flags & 0x800 else "cp437", "replace")
        mode = int.from_bytes(head[38:42], "little") >> 16 if head[5] == 3 else 0
        note = "encrypted" if flags & 1 else ""
        link = "?" if mode & 0o170000 == 0o120000 else ""
        entries.append(_Entry(name, size, packed_size, mode & 0o7777, link, note))
        at += 46 + sum(sizes)
    return entries, at >= len(data)


def tar_lines(source: ByteSource, notes: list[str]) -> Iterator[Line]:
    """The entries of a tar file, header by header."""
    yield from _headers(_Plain(source), notes)


def gzip_lines(source: ByteSource, notes: list[str]) -> Iterator[Line]:
    """The entries of a .tar.gz; for any other gzip file, its name and size."""
    stream = _GzipStream(source)
    first = stream.peek()
    if first[257:262] == b"ustar":
        yield from _headers(stream, notes)
        return
    if stream.fault:
        yield line(("it cannot be listed: ", "error"), stream.fault)
        return
    stated_size = int.from_bytes(source.read(max(source.size - 4, 0), 4), "little")
    yield line(("holds      ", "quiet"), "one file, not an archive")
    yield line(("packed     ", "quiet"), size_words(source.size))
    yield line(("unpacked   ", "quiet"), f"{size_words(stated_size)} according to its header")


class _Plain:
    """The bytes of a tar file, skipped without reading."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._at = 0
        self.fault = ""

    def take(self, size: int) -> bytes:
        data = self._source.read(self._at, size)
        self._at += size
        return data

    def skip(self, size: int) -> bool:
        self._at += size
        return self._at <= self._source.size


class _GzipStream:
    """The bytes of a gzip file, unpacked on demand up to a limit."""

    def __init__(self, source: ByteSource) -> None:
        self._pieces = inflate_gzip(_Plain(source).take, _MEMBERS)
        self._ready = bytearray()
        self._budget = _UNPACKED_BYTES
        self.fault = ""

    def peek(self) -> bytes:
        self._fill(BLOCK)
        return bytes(self._ready[:BLOCK])

    def take(self, size: int) -> bytes:
        self._fill(size)
        data = bytes(self._ready[:size])
        del self._ready[:size]
        return data

    def skip(self, size: int) -> bool:
        while size:
            piece = len(self.take(min(size, _PIECE)))
            if not piece:
                return False
            size -= piece
        return True

    def _fill(self, size: int) -> None:
        while len(self._ready) < size and not self.fault:
            try:
                piece = next(self._pieces, None)
            except ArchiveRefused as error:
                self.fault = str(error)
                return
            if piece is None:
                return
            self._ready += piece
            self._budget -= len(piece)
            if self._budget < 0:
                self.fault = f"only unpacked up to {size_words(_UNPACKED_BYTES)}"


def _headers(stream: _Plain | _GzipStream, notes: list[str]) -> Iterator[Line]:
    extension: dict[str, str] = {}
    entry_count = 0
    total = 0
    for _ in range(_BLOCKS):
        if entry_count == _ENTRIES:
            notes.append(f"the first {_ENTRIES:,} entries are listed")
            break
        block = stream.take(BLOCK)
        if len(block) < BLOCK or not any(block):
            break
        try:
            header = read_header(block)
            if header.type in (b"x", b"g", b"L", b"K"):
                body = stream.take(min(header.size, _PIECE))
                if header.type != b"g":
                    extension.update(read_extension(header, memoryview(body)))
                stream.skip(header.size - len(body) + -header.size % BLOCK)
                continue
        except ArchiveRefused as error:
            yield line((str(error), "error"))
            break
        name = extension.get("path", header.name)
        is_link = header.type in (_HARD_LINK, _SYMBOLIC_LINK)
        link = extension.get("linkpath", header.link) if is_link else ""
        if header.type == _FOLDER:
            name = f"{name.rstrip('/')}/"
        yield from _entry_lines(_Entry(name, header.size, None, header.mode & 0o7777, link))
        extension = {}
        entry_count += 1
        total += header.size
        if not stream.skip(header.size + -header.size % BLOCK):
            if not stream.fault:
                yield line(("the file is cut short here", "error"))
            break
    else:
        yield line(("the rest is not listed: it contains little but headers", "error"))
    if stream.fault:
        yield line((f"the rest is not listed: {stream.fault}", "error"))
    notes.append(f"{_many(entry_count)}, {size_words(total, exactly=False)} unpacked")


def _many(count: int) -> str:
    return f"{count:,} entr{'y' if count == 1 else 'ies'}"


def _entry_lines(entry: _Entry) -> Iterator[Line]:
    is_folder = entry.name.endswith("/")
    mode = f"{entry.mode:04o}" if entry.mode else "    "
    size = "" if is_folder else f"{entry.size:,}"
    parts: list[str | tuple[str, str]] = [
        (f"{mode}  {size:>{_SIZE}}  ", "quiet"),
        (entry.name[:_NAME], "place" if is_folder else ""),
    ]
    if entry.link:
        parts.append((" a link" if entry.link == "?" else f" → {entry.link[:_NAME]}", "link"))
    if entry.note:
        parts.append((f"  {entry.note}", "quiet"))
    yield line(*parts)
    if entry.packed_size and entry.size > _MUCH * entry.packed_size and entry.size > _PIECE:
        times = f"{entry.size // entry.packed_size:,} times its compressed size"
        yield line("      ", (times, "warning"))
