"""Readers: turn a text into a tree with spans, even if the text is broken."""

from __future__ import annotations

from functools import lru_cache

from skillstudio.text.node import Document
from skillstudio.text.source import Source, Span

LONG = 64 * 1024
"""Longer texts are cached up to the end of the span: a command may read one a dozen times."""


def read(source: Source, syntax: str, span: Span, opening: Span | None = None) -> Document:
    """Read a span of a text as `yaml`, `json` or `toml`. Never raises for invalid text.

    Readers are imported on demand: most runs need one of the three.
    """
    if span.end - span.start < LONG:
        return _read(source, syntax, span, opening)
    return _read_long(source.text[: span.end], syntax, span, opening).of(source)


@lru_cache(maxsize=3)
def _read_long(text: str, syntax: str, span: Span, opening: Span | None) -> Document:
    return _read(Source(text), syntax, span, opening)


def _read(source: Source, syntax: str, span: Span, opening: Span | None) -> Document:
    match syntax:
        case "yaml":
            from skillstudio.text.reading.yaml import read_yaml as reader
        case "json":
            from skillstudio.text.reading.json import read_json as reader
        case "toml":
            from skillstudio.text.reading.toml import read_toml as reader
        case _:
            raise ValueError(f"no reader for {syntax!r}")
    return reader(source, span, opening)
