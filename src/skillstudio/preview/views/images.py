"""Show kind and pixel size of an image from its header, without decoding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from struct import unpack_from
from typing import NamedTuple

from skillstudio.files.kind import HEAD
from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, fact_lines, line, size_words
from skillstudio.preview.view import FileView, ViewRequest
from skillstudio.preview.views.highlighted import load_lexer, text_view

_HEAD = 64
_JPEG = 1 << 20  # Bytes of a JPEG that are searched for its frame; thumbnails can precede it.
_SEGMENTS = 10_000
_MANY = 100_000_000  # Pixels from which decoding needs a warning.
_BYTES = 4
_SVG_TAG = re.compile(r"<svg\b([^>]{0,4096})", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Za-z:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class ImageInfo(NamedTuple):
    """The facts of a header."""

    width: int
    height: int
    about: str = ""


def svg_view(request: ViewRequest) -> FileView:
    """The source, with the image's size."""
    size = svg_size(request.source.read(0, HEAD).decode("utf-8", "replace"))
    return text_view(
        request, f"image of {size}, shown as source" if size else "image, shown as source"
    )


def warm(kind: str) -> None:
    load_lexer(kind)


def picture_lines(source: ByteSource, kind: str) -> Iterator[Line]:
    """Kind, pixels, and file size."""
    info = image_info(source, kind)
    if info is None:
        yield from fact_lines([("kind", kind), ("file", size_words(source.size))])
        yield line(("the header is damaged or cut short; the image size is unknown", "error"))
        return
    pixels = info.width * info.height
    size = f"{info.width:,} × {info.height:,}"
    facts = [("kind", kind), ("pixels", size), ("about", info.about)]
    yield from fact_lines([*facts, ("file", size_words(source.size))])
    if pixels > _MANY:
        decoded_size = size_words(pixels * _BYTES)
        yield line((f"it needs {decoded_size} of memory when decoded", "warning"))


def image_info(source: ByteSource, kind: str) -> ImageInfo | None:
    """The facts of the header of an image; None if it is damaged."""
    return _READERS[kind](source)


def svg_size(text: str) -> str:
    """The size stated at the start of an SVG file, or ""."""
    tag = _SVG_TAG.search(text)
    if tag is None:
        return ""
    attributes = {name: value or other for name, value, other in _ATTRIBUTE.findall(tag[1])}
    if attributes.get("width") and attributes.get("height"):
        return f"{attributes['width'][:20]} × {attributes['height'][:20]}"
    box = attributes.get("viewBox", "").replace(",", " ").split()
    return f"{box[2][:20]} × {box[3][:20]} (its viewBox)" if len(box) == 4 else ""


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


_PNG_COLORS = {
    0: "gray",
    2: "color",
    3: "a palette",
    4: "gray with transparency",
    6: "color with transparency",
}


def _png(source: ByteSource) -> ImageInfo | None:
    head = source.read(0, _HEAD)
    if len(head) < 26 or head[12:16] != b"IHDR":
        return None
    about = f"{head[24]} bits, {_PNG_COLORS.get(head[25], 'unknown color type')}"
    width, height = unpack_from(">2L", head, 16)
    return ImageInfo(width, height, about)


def _gif(source: ByteSource) -> ImageInfo | None:
    head = source.read(0, _HEAD)
    if len(head) < 10:
        return None
    width, height = unpack_from("<2H", head, 6)
    return ImageInfo(width, height, head[:6].decode("ascii", "replace"))


def _jpeg(source: ByteSource) -> ImageInfo | None:
    data = source.read(0, _JPEG)
    at = 2
    for _ in range(_SEGMENTS):
        if at + 9 >= len(data):
            return None
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            about = "progressive" if marker in (0xC2, 0xC6, 0xCA, 0xCE) else ""
            height, width = unpack_from(">2H", data, at + 5)
            return ImageInfo(width, height, about)
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
        else:
            (size,) = unpack_from(">H", data, at + 2)
            if size < 2:
                return None
            at += 2 + size
    return None


def _webp(source: ByteSource) -> ImageInfo | None:
    head = source.read(0, _HEAD)
    form = head[12:16]
    if len(head) < 30:
        return None
    if form == b"VP8X":
        about = "animated" if head[20] & 2 else ""
        return ImageInfo(_little(head[24:27]) + 1, _little(head[27:30]) + 1, about)
    if form == b"VP8L" and head[20] == 0x2F:
        bits = _little(head[21:25])
        return ImageInfo((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, "lossless")
    if form == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = unpack_from("<2H", head, 26)
        return ImageInfo(width & 0x3FFF, height & 0x3FFF)
    return None


_READERS = {"png": _png, "gif": _gif, "jpeg": _jpeg, "webp": _webp}
