"""Show text in the colours of its language, with folds and its first syntax error."""

from __future__ import annotations

from skillstudio.preview.source import ByteSource
from skillstudio.preview.view import FileView, ViewRequest, join_notes
from skillstudio.preview.views.colours import Colours, lexer, tables
from skillstudio.preview.views.text import TextView

_CHECKED = ("yaml", "toml")
_CHECKED_SIZE = 16 << 10  # Bytes of a file that is read for its first syntax error.


def text_view(request: ViewRequest, remark: str = "") -> FileView:
    """The lines of a text; `remark` is added to the notes."""
    source, kind = request.source, request.kind
    colours = Colours(kind) if kind in tables()["lexer"] else None
    fault = _first_fault(source, kind) if kind in _CHECKED else ""
    view = TextView(source, kind, join_notes(request.note, remark, fault), colours)
    if not request.on_screen or fault:
        return view
    from skillstudio.preview.views.folding import foldable

    return foldable(view, kind)


def load_lexer(kind: str) -> bool:
    """Load the lexer of a kind, which takes up to 30 ms; return whether there is one."""
    name = tables()["lexer"].get(kind, "")
    if name:
        lexer(name)
    return bool(name)


def _first_fault(source: ByteSource, syntax: str) -> str:
    """The first syntax error of a small file, with its place; "" for none."""
    if source.size > _CHECKED_SIZE:
        return ""
    from skillstudio.text.reading import read
    from skillstudio.text.source import Source, Span, decode

    text, _ = decode(source.read(0, _CHECKED_SIZE))
    # Only the first document of a stream would be read.
    if "\n---" in text:
        return ""
    faults = read(Source(text, source.name), syntax, Span(0, len(text))).faults
    if not faults:
        return ""
    place = Source(text, source.name).position(faults[0].start)
    return f"{place.line}:{place.column}: {faults[0].message}; shown as text"
