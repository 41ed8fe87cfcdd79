"""Choose the view of a file by its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Literal

from skillstudio.files.kind import HEAD, FileKind, kind_of
from skillstudio.preview.source import ByteSource, MemorySource, Special
from skillstudio.preview.view import FileView, ViewRequest, sentence_view
from skillstudio.preview.views.binary import binary_view, hex_view
from skillstudio.preview.views.colours import tables
from skillstudio.preview.views.highlighted import load_lexer, text_view
from skillstudio.preview.views.text import ENCODING_NOTE, HexView, TextView

How = Literal["preview", "raw", "hex"]
HOWS: tuple[How, ...] = ("preview", "raw", "hex")

WIDTH = 80
_READ = 1 << 20  # Bytes of text in a wide encoding that are converted.
_LEXERS = 12  # Lexers to load ahead at most; some take 30 ms.
_WIDE = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ODD = 0.3  # The largest share of non-ASCII bytes in text of an unknown encoding.
_PLAIN_CONTROL = frozenset(b"\t\n\r\f\b\x1b")


def view_of(
    source: ByteSource | Special, how: How = "preview", width: int = WIDTH, on_screen: bool = False
) -> FileView:
    """The view of a file; `width` is that of rendered text in cells.

    `on_screen`: the lines are painted in full colour by something that can fold them.
    """
    if isinstance(source, Special):
        return sentence_view(source.name, source.what, source.description)
    head = source.read(0, HEAD)
    kind = kind_to_show(source.name, head)
    if how == "hex":
        return HexView(source, kind.name, width=width)
    if not source.size:
        return TextView(source, kind.name, "it is empty")
    encoding = next((name for mark, name in _WIDE if head.startswith(mark)), "")
    note = ""
    if encoding and kind.is_text:
        source, note = _narrow(source, encoding)
    elif kind.is_text and not kind_of(source.name, head).is_text:
        note = ENCODING_NOTE
    request = ViewRequest(source, kind.name, note, width, on_screen)
    if how == "raw":
        return TextView(source, kind.name, note) if kind.is_text else hex_view(request)
    name = tables()["view"].get(kind.name, "")
    if name:
        return _function(name)(request)
    return text_view(request) if kind.is_text else binary_view(request)


@cache
def _function(name: str) -> Callable[[ViewRequest], FileView]:
    """The function with a name in `views.toml`."""
    function: Callable[[ViewRequest], FileView] = getattr(_module(name), name.partition(":")[2])
    return function


def _module(name: str) -> ModuleType:
    return import_module(f"skillstudio.preview.views.{name.partition(':')[0]}")


def kind_to_show(name: str, head: bytes) -> FileKind:
    """The kind of a file; damaged UTF-8 counts as text."""
    kind = kind_of(name, head)
    if kind.name == "binary" and _is_broken_text(head):
        return kind_of(name, bytes(byte for byte in head if byte < 0x80))
    return kind


def is_editable(name: str, head: bytes) -> bool:
    """Whether a file is text in UTF-8, or in a damaged or 8-bit encoding."""
    is_wide = head.startswith(tuple(mark for mark, _ in _WIDE))
    return kind_to_show(name, head).is_text and not is_wide


def _narrow(source: ByteSource, encoding: str) -> tuple[ByteSource, str]:
    """Convert UTF-16 or UTF-32 text to UTF-8."""
    text = source.read(4 if "32" in encoding else 2, _READ).decode(encoding, "replace")
    data = text.encode("utf-8", "replace")
    remark = f"; the first {_READ:,} bytes are shown" if source.size > _READ else ""
    return MemorySource(source.name, data, source.mode), f"it is in {encoding[:6].upper()}{remark}"


def _is_broken_text(head: bytes) -> bool:
    """Whether bytes that are not UTF-8 are text in another or a damaged encoding."""
    if not head or b"\0" in head:
        return False
    high = sum(byte >= 0x80 for byte in head)
    control = sum(byte < 0x20 and byte not in _PLAIN_CONTROL for byte in head)
    return high <= _ODD * len(head) and not control


def kinds_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The kinds that files of these names can have, each once."""
    return tuple(dict.fromkeys(kind_of(path, b"").name for path in paths))


def warm(kinds: Iterable[str]) -> None:
    """Load parsers and lexers of these kinds, which take most of the time of a first view.

    A module of views that has something to load has a function `warm(kind)`.
    """
    loaded = 0
    for kind in kinds:
        if name := tables()["view"].get(kind):
            module = _module(name)
            if hasattr(module, "warm"):
                module.warm(kind)
        elif loaded < _LEXERS:
            loaded += load_lexer(kind)
