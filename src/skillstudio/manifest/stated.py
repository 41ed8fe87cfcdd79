"""Versions as written: YAML reads `1.10` as the number 1.1."""

from __future__ import annotations

from skillstudio.text.node import Document, Scalar, resolve


def stated(document: Document, pointer: str) -> str:
    """The string at a JSON Pointer, or a number as written; "" otherwise."""
    node = resolve(document.at(pointer))
    if not isinstance(node, Scalar):
        return ""
    if isinstance(node.value, str):
        return node.value
    if isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return document.source.text[node.start : node.end]
    return ""
