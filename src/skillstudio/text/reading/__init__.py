"""Readers: a text becomes a tree with places, whatever is wrong with the text."""

from __future__ import annotations

from skillstudio.text.node import Document
from skillstudio.text.source import Source, Span


def read(source: Source, syntax: str, span: Span, opening: Span | None = None) -> Document:
    """Read a span of a text as `yaml`, `json` or `toml`. Never raises for what the text holds.

    Readers are imported when first used: most runs need one of the three.
    """
    if syntax == "yaml":
        from skillstudio.text.reading.yaml import read_yaml

        return read_yaml(source, span, opening)
    if syntax == "json":
        from skillstudio.text.reading.json import read_json

        return read_json(source, span, opening)
    if syntax == "toml":
        from skillstudio.text.reading.toml import read_toml

        return read_toml(source, span, opening)
    raise ValueError(f"no reader for {syntax!r}")
