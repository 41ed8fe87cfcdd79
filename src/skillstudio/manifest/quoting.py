"""The fix for a value that YAML reads as something else than the text that was meant."""

from __future__ import annotations

from skillstudio.text.diagnostic import Fix, Set, Splice
from skillstudio.text.node import Document, Scalar


def quote_fix(document: Document, pointer: str) -> tuple[Fix, ...]:
    """Put the value at a JSON Pointer in quotes exactly as it is written: 2.40 stays 2.40."""
    node = document.at(pointer)
    if not isinstance(node, Scalar) or isinstance(node.value, str):
        return ()
    written = document.source.text[node.start : node.end]
    if written.startswith("!") or not written.isprintable():
        return ()
    if not written:
        return (Fix('Write "" for an empty text', (Set(pointer, ""),), safe=True),)
    splice = Splice(node.start, node.end, f'"{written}"')
    return (Fix("Quote this value", (splice,), safe=True),)
