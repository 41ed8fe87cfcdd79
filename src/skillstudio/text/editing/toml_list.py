"""Edit items of TOML arrays, which may contain comments and a trailing comma."""

from __future__ import annotations

import re
from typing import Any

from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing.toml_render import render
from skillstudio.text.node import Document, Node, Sequence

_TO_COMMA = re.compile(r"(?:[ \t\r\n]|#[^\n]*\n)*,")
_REST = re.compile(r"[ \t]*,?[ \t]*(?:#[^\n]*)?(?:\n|\Z)")


def insert_item(doc: Document, node: Sequence, index: int, value: Any) -> list[Splice]:
    """Add an item before an index, on its own line if the others are."""
    text, newline = doc.source.text, doc.source.newline
    items = node.items
    if not items:
        return _only(doc, node, value)
    near = items[min(index, len(items) - 1)]
    own = _own_line(doc, near)
    start = _line_start(doc, near.start)
    indent = text[start : near.start] if own else ""
    written = render(doc, value, None, indent, flat=not own)
    if index < len(items):
        if own:
            return [Splice(start, start, f"{indent}{written},{newline}")]
        return [Splice(near.start, near.start, f"{written}, ")]
    comma = _TO_COMMA.match(text, near.end, node.end)
    if not own:
        if comma:
            return [Splice(comma.end(), comma.end(), f" {written},")]
        return [Splice(near.end, near.end, f", {written}")]
    line = text.find("\n", comma.end() if comma else near.end, node.end)
    rest = _REST.match(text, comma.end() if comma else near.end, node.end)
    if line < 0 or rest is None:
        at = comma.end() if comma else near.end
        lead = "" if comma else ","
        return [Splice(at, at, f"{lead}{newline}{indent}{written}{',' if comma else ''}")]
    added = Splice(line + 1, line + 1, f"{indent}{written}{',' if comma else ''}{newline}")
    return [added] if comma else [Splice(near.end, near.end, ","), added]


def remove_item(doc: Document, node: Sequence, index: int) -> list[Splice]:
    """Remove an item with its comma, and with its line if it is the only one on it."""
    text, items = doc.source.text, node.items
    item = items[index]
    comma = _TO_COMMA.match(text, item.end, node.end)
    rest = _REST.match(text, comma.end() if comma else item.end, node.end)
    before = items[index - 1] if index else None
    unneeded = _TO_COMMA.match(text, before.end, item.start) if before else None
    drop = []
    if before and unneeded and not comma and index == len(items) - 1:
        drop = [Splice(unneeded.end() - 1, unneeded.end(), "")]
    if _own_line(doc, item) and rest and rest.end() > 0 and text[rest.end() - 1] == "\n":
        return [*drop, Splice(_line_start(doc, item.start), rest.end(), "")]
    if index + 1 < len(items):
        follows = items[index + 1].start
        if comma and "\n" in text[comma.end() : follows]:
            follows = comma.end()
        return [Splice(item.start, follows, "")]
    if before and "#" not in text[before.end : item.start]:
        return [Splice(before.end, item.end, "")]
    return [*drop, Splice(item.start, comma.end() if comma else item.end, "")]


def _only(doc: Document, node: Sequence, value: Any) -> list[Splice]:
    """The first item of an empty list."""
    text, newline = doc.source.text, doc.source.newline
    inside = text[node.start + 1 : node.end - 1]
    if "\n" not in inside:
        return [Splice(node.start + 1, node.end - 1, render(doc, value, None, "", flat=True))]
    start = _line_start(doc, node.start)
    line = text[start : node.start]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    last = text.rfind("\n", node.start, node.end) + 1
    written = render(doc, value, None, indent + "    ")
    return [Splice(last, last, f"{indent}    {written},{newline}")]


def _own_line(doc: Document, node: Node) -> bool:
    return not doc.source.text[_line_start(doc, node.start) : node.start].strip(" \t")


def _line_start(doc: Document, offset: int) -> int:
    return max(doc.source.text.rfind("\n", 0, offset) + 1, doc.span.start)
