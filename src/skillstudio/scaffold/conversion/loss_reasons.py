"""Explain why a value of the source is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache

from skillstudio.manifest.conversion.leaves import Leaf
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.registry import tables_of
from skillstudio.text.node import split_pointer

NO_PLACE = " has no equivalent for "


def why_lost(source: ConversionSource, target: Dialect) -> Callable[[Leaf], str]:
    """Return a function that explains why a leaf is lost."""

    parts = {paper.label for paper in source.papers if paper.is_part}

    def why(leaf: Leaf) -> str:
        still = "; the file itself is copied" if leaf.document in parts else ""
        return f"{target.title}{NO_PLACE}{_noun(source.element(leaf), leaf)}{still}"

    return why


def _noun(element: str, leaf: Leaf) -> str:
    segments = element.split("/")[1:]
    if segments[:1] == ["operations"] and len(segments) > 2:
        segments = segments[2:]
    for pattern, noun in _nouns().get(segments[0], ()) if segments else ():
        if len(pattern) <= len(segments) and all(
            want in ("*", had) for want, had in zip(pattern, segments, strict=False)
        ):
            return noun
    keys = [key for key in split_pointer(leaf.pointer) if not key.isdecimal()]
    return f"the key {keys[-1]}" if keys else "this"


@cache
def _nouns() -> dict[str, list[tuple[list[str], str]]]:
    """The patterns of all nouns.toml by their first name, the longest first."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "nouns.toml"), "rb") as file:
        read = tomllib.load(file)
    for _, of_dialect in tables_of("nouns.toml", "nouns"):
        read |= of_dialect
    found: dict[str, list[tuple[list[str], str]]] = {}
    for key, noun in sorted(read.items(), key=lambda each: -each[0].count("/")):
        pattern = key.split("/")
        found.setdefault(pattern[0], []).append((pattern, noun))
    return found
