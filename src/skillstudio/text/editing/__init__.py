"""Edits as splices, one module for each syntax."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillstudio.text.diagnostic import Splice
from skillstudio.text.node import Document, Entry, Mapping, Node, join_pointer
from skillstudio.text.source import BOM, Span

_LINE_END = re.compile(r"\r\n|\n|\r")


class EditRefused(Exception):
    """An edit that cannot be made without another change; the message says why."""


def node_at(doc: Document, tokens: list[str]) -> Node:
    """The node at a pointer. Raises EditRefused."""
    node = doc.at(join_pointer(tokens))
    if node is None:
        raise EditRefused(f"no value at {join_pointer(tokens)}")
    return node


def entry_at(doc: Document, tokens: list[str]) -> Entry:
    """The entry of the key at the end of a pointer. Raises EditRefused."""
    parent = node_at(doc, tokens[:-1])
    entry = parent.entry(tokens[-1]) if isinstance(parent, Mapping) else None
    if entry is None:
        raise EditRefused(f"no key at {join_pointer(tokens)}")
    return entry


def without_member(holder: Node, members: Sequence[Entry | Node | Span], index: int) -> Splice:
    """Remove one of the keys or items between brackets, with one of the adjacent commas."""
    if len(members) == 1:
        return Splice(holder.start + 1, holder.end - 1, "")
    if index + 1 < len(members):
        return Splice(members[index].start, members[index + 1].start, "")
    return Splice(members[index - 1].end, members[index].end, "")


def line_start(doc: Document, offset: int) -> int:
    """The start of the line of an offset, after a byte order mark."""
    text, first = doc.source.text, doc.span.start
    start = max(text.rfind("\n", first, offset) + 1, first + text.startswith(BOM, first))
    return max(text.rfind("\r", start, offset) + 1, start)


def line_end(doc: Document, offset: int) -> int:
    """The end of the line of an offset, before the line break."""
    line_break = _LINE_END.search(doc.source.text, offset, doc.span.end)
    return line_break.start() if line_break else doc.span.end


def next_line(doc: Document, offset: int) -> int:
    """The start of the line after that of an offset, or the end of the document."""
    line_break = _LINE_END.search(doc.source.text, offset, doc.span.end)
    return line_break.end() if line_break else doc.span.end


def indent_at(doc: Document, offset: int) -> str:
    """The spaces and tabs that begin the line of an offset, up to the offset."""
    before = doc.source.text[line_start(doc, offset) : offset]
    return before[: len(before) - len(before.lstrip(" \t"))]


def begins_line(doc: Document, offset: int) -> bool:
    """Whether only spaces and tabs precede an offset on its line."""
    return not doc.source.text[line_start(doc, offset) : offset].strip(" \t")
