"""Paint an image as half blocks: two pixels in each cell. Pillow decodes it, if it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

from skillstudio.preview.source import ByteSource
from skillstudio.preview.spans import Line, StyledSpan, line, wrap_line
from skillstudio.preview.view import FileView, LazyView, ViewRequest
from skillstudio.preview.views.images import image_info, picture_lines

if TYPE_CHECKING:
    from PIL.Image import Image

ROWS = 40  # The most lines of a picture.
_READ = 16 << 20  # Bytes of a file that is decoded.
_PIXELS = 8_000_000  # Pixels that are decoded: 32 MB of memory.
_JPEG_PIXELS = 24_000_000  # The same for JPEG, which is decoded at a fraction of its size.
_OPAQUE = 128  # The least alpha that is painted.
_PLUGINS = {
    "png": "PngImagePlugin", "jpeg": "JpegImagePlugin", "gif": "GifImagePlugin",
    "webp": "WebPImagePlugin",
}  # fmt: skip
_MIXABLE_MODES = ("L", "LA", "RGB", "RGBA")
_UPPER, _LOWER = "▀", "▄"


def image_view(request: ViewRequest) -> FileView:
    """Facts and, on a screen, the picture."""
    source, kind, width = request.source, request.kind, request.width
    lines: Iterator[Line] = (
        row for fact in picture_lines(source, kind) for row in wrap_line(fact, width)
    )
    if request.on_screen:
        lines = chain(lines, half_blocks(source, kind, width))
    return LazyView(source.name, kind, lines, [request.note], source)


def half_blocks(source: ByteSource, kind: str, width: int) -> Iterator[Line]:
    """The lines of a picture of at most `width` cells, or why there is none."""
    info = image_info(source, kind)
    if info is None:
        return
    most = _JPEG_PIXELS if kind == "jpeg" else _PIXELS
    if info.width * info.height > most or source.size > _READ:
        yield line(("too large to be shown as a picture", "quiet"))
        return
    try:
        import PIL.Image
    except ImportError:
        yield line(("install skillstudio[images] to see the picture", "quiet"))
        return
    yield ()
    try:
        with PIL.Image.open(BytesIO(source.read(0, _READ)), formats=[kind.upper()]) as image:
            if image.width * image.height > most:
                raise ValueError("its size is not that of its header")
            picture = _small(image, width)
    except Exception as error:  # A decoder raises whatever a damaged file makes of it.
        yield line(("the image cannot be decoded: ", "error"), str(error)[:200])
        return
    yield from _lines(picture)


def warm(kind: str) -> None:
    """Import what a picture of a kind needs, if it is installed."""
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec("PIL") is not None:
        import_module(f"PIL.{_PLUGINS[kind]}")


def _small(image: Image, width: int) -> Image:
    """The first frame, scaled down to the cells that it gets."""
    from PIL.Image import Resampling

    scale = min(width / image.width, 2 * ROWS / image.height, 1)
    size = max(round(image.width * scale), 1), max(round(image.height * scale), 1)
    image.draft("RGB", size)
    # Colours of a palette cannot be mixed before they are converted.
    frame = image if image.mode in _MIXABLE_MODES else image.convert("RGBA")
    return frame.resize(size, Resampling.BOX, reducing_gap=2).convert("RGBA")


def _lines(picture: Image) -> Iterator[Line]:
    width, height = picture.size
    data = picture.tobytes()

    def colour(x: int, y: int) -> str:
        at = 4 * (y * width + x)
        if y >= height or data[at + 3] < _OPAQUE:
            return ""
        # Fewer shades make longer runs of one style, which are painted faster.
        return "#" + "".join(f"{channel & 0xF8:02x}" for channel in data[at : at + 3])

    for top in range(0, height, 2):
        row: list[StyledSpan] = []
        for x in range(width):
            span = _cell(colour(x, top), colour(x, top + 1))
            if row and row[-1].style == span.style and row[-1].text[0] == span.text:
                row[-1] = StyledSpan(row[-1].text + span.text, span.style)
            else:
                row.append(span)
        yield tuple(row)


def _cell(upper: str, lower: str) -> StyledSpan:
    if upper and lower:
        return StyledSpan(_UPPER, f"{upper} on {lower}")
    return StyledSpan(_UPPER if upper else _LOWER if lower else " ", upper or lower)
