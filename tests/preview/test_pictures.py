"""Images as half blocks: what is decoded, what is refused, and what damage does."""

from __future__ import annotations

from io import BytesIO
from struct import pack
from zlib import crc32

import pytest

from skillstudio.preview.files import view_of
from skillstudio.preview.source import MemorySource
from skillstudio.preview.spans import Line, plain
from skillstudio.preview.views import pictures

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def picture(kind: str, size: tuple[int, int], colours: list[tuple[int, ...]]) -> bytes:
    image = Image.new("RGBA", size)
    image.putdata(colours)
    data = BytesIO()
    image.convert("RGB" if kind == "JPEG" else "RGBA").save(data, kind, lossless=True)
    return data.getvalue()


def painted(name: str, data: bytes, width: int = 80) -> list[Line]:
    view = view_of(MemorySource(name, data), width=width, on_screen=True)
    lines = view.lines(0, 100)
    return lines[lines.index(()) + 1 :] if () in lines else lines


RED, BLUE, CLEAR = (255, 0, 0, 255), (0, 0, 255, 255), (0, 255, 0, 0)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP"])
def test_two_pixels_are_one_cell(kind: str) -> None:
    data = picture(kind, (3, 3), [RED, RED, CLEAR, BLUE, BLUE, CLEAR, CLEAR, RED, CLEAR])
    assert [[tuple(each) for each in row] for row in painted(f"a.{kind.lower()}", data)] == [
        [("▀▀", "#f80000 on #0000f8"), (" ", "")],
        [(" ", ""), ("▀", "#f80000"), (" ", "")],
    ]


def test_a_large_picture_is_scaled_to_the_width_and_to_some_lines() -> None:
    for size, width in (((400, 100), 40), ((100, 4000), 80), ((1, 1), 80)):
        rows = painted("a.jpg", picture("JPEG", size, [RED] * (size[0] * size[1])), width)
        assert 1 <= len(rows) <= pictures.ROWS
        assert all(len(plain(row)) <= width for row in rows)


def claiming(width: int, height: int) -> bytes:
    head = b"IHDR" + pack(">2L5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + pack(">L", 13) + head + pack(">L", crc32(head)) + bytes(40)


DAMAGED = {
    "bomb": ("a.png", claiming(100_000, 100_000), "too large to be shown as a picture"),
    "empty": ("a.png", claiming(4, 4), "the image cannot be decoded"),
    "cut": ("a.png", picture("PNG", (9, 9), [RED, BLUE, CLEAR] * 27)[:-30], "cannot be decoded"),
    "header": ("a.gif", b"GIF89a", "the header is damaged"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_picture_says_so(case: str) -> None:
    name, data, message = DAMAGED[case]
    view = view_of(MemorySource(name, data), on_screen=True)
    assert message in "\n".join(view.texts(0, 50))


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    view = view_of(MemorySource("a.png", claiming(4, 4)), on_screen=True)
    assert "install skillstudio[images] to see the picture" in view.texts(0, 50)


def test_a_command_prints_facts_only() -> None:
    data = picture("PNG", (2, 2), [RED] * 4)
    texts = view_of(MemorySource("a.png", data)).texts(0, 50)
    assert len(texts) == 4
    assert not any("▀" in each for each in texts)
