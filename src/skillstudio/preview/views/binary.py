"""Show a binary file as facts and hexadecimal."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.preview.spans import Line, fact_lines, size_words
from skillstudio.preview.view import FileView, LazyView, ViewRequest
from skillstudio.preview.views.text import HexView

_BATCH = 64
_NO_TEXT = "it is binary; shown as hexadecimal"


def hex_view(request: ViewRequest) -> FileView:
    """Only hexadecimal, in place of text."""
    return HexView(request.source, request.kind, _NO_TEXT, request.width)


def binary_view(request: ViewRequest) -> FileView:
    """A line of facts, then hexadecimal; only hexadecimal for an unknown kind."""
    source, kind = request.source, request.kind
    if kind == "binary":
        return hex_view(request)
    bytes_view = HexView(source, kind, width=request.width)

    def lines() -> Iterator[Line]:
        yield from fact_lines([("kind", kind), ("file", size_words(source.size))])
        yield ()
        start = 0
        while batch := bytes_view.lines(start, _BATCH):
            yield from batch
            start += len(batch)

    return LazyView(source.name, kind, lines(), source=source)
