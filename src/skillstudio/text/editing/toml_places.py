"""Locate the tables and keys of a TOML text.

A table may be in several places of the text. Its kind is `root`, `header` (with its own `[line]`),
`implicit` (only part of other headers), `dotted` or `inline`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillstudio.text.editing import EditRefused
from skillstudio.text.node import Document, Entry, Mapping, Node, Sequence, join_pointer

_KEY = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
SEGMENT = re.compile(rf"[ \t]*({_KEY})[ \t]*")
_DOT_BEFORE = re.compile(r"([A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')[ \t]*\.[ \t]*\Z")


def node_at(doc: Document, tokens: list[str]) -> Node:
    node = doc.at(join_pointer(tokens))
    if node is None:
        raise EditRefused(f"no value at {join_pointer(tokens)}")
    return node


# Kinds of tables


def kind_of(doc: Document, tokens: list[str]) -> str:
    node = node_at(doc, tokens)
    if not tokens:
        return "root"
    if not isinstance(node, Mapping):
        return "value"
    if node.flow:
        return "inline"
    parent = node_at(doc, tokens[:-1])
    entry = parent.entry(tokens[-1]) if isinstance(parent, Mapping) else None
    if entry is not None and entry.key.start != node.start:
        return "dotted"
    segment = SEGMENT.match(doc.source.text, node.start)
    closed = segment is not None and doc.source.text.startswith("]", segment.end())
    return "header" if closed else "implicit"


def walk_tables(doc: Document, tokens: list[str], node: Node) -> Iterator[tuple[list[str], Node]]:
    """The tables and values below a node that have their own lines, including the node."""
    yield tokens, node
    if isinstance(node, Mapping) and not node.flow:
        for entry in node.entries:
            yield from walk_tables(doc, [*tokens, entry.name], entry.value)
    elif isinstance(node, Sequence) and not node.flow:
        for index, item in enumerate(node.items):
            yield from walk_tables(doc, [*tokens, str(index)], item)


def named_in(doc: Document, tokens: list[str], node: Node) -> Iterator[int]:
    """The offsets of a table's name in the headers and dotted keys below it."""
    named = [token for token, holder in holders_of(doc, tokens) if isinstance(holder, Mapping)]
    for path, inner in walk_tables(doc, tokens, node):
        if isinstance(inner, Mapping) and not inner.flow and kind_of(doc, path) == "header":
            segments = segments_at(doc, line_start(doc, inner.start))
            yield segments[len(named) - 1]
    for path, entry in leaves_of(doc, tokens, node):
        start = statement_start(doc, entry.key.start)
        segments = segments_at(doc, start)
        own = [token for token, holder in holders_of(doc, path) if isinstance(holder, Mapping)]
        back = len(own) - len(named)
        if 0 <= len(segments) - 1 - back < len(segments):
            yield segments[len(segments) - 1 - back]


def leaves_of(doc: Document, tokens: list[str], node: Node) -> Iterator[tuple[list[str], Entry]]:
    """The entries below a node that are separate lines, with their paths."""
    for path, inner in walk_tables(doc, tokens, node):
        if isinstance(inner, Mapping) and not inner.flow:
            for entry in inner.entries:
                value = entry.value
                if not isinstance(value, Mapping | Sequence) or value.flow:
                    yield [*path, entry.name], entry


def holders_of(doc: Document, tokens: list[str]) -> list[tuple[str, Node]]:
    return [(token, node_at(doc, tokens[:depth])) for depth, token in enumerate(tokens)]


def segments_at(doc: Document, pos: int) -> list[int]:
    """The offsets of the parts of a header or a dotted key."""
    text = doc.source.text
    while pos < doc.span.end and text[pos] in " \t[":
        pos += 1
    starts = []
    while found := SEGMENT.match(text, pos, doc.span.end):
        starts.append(found.start(1))
        pos = found.end()
        if not text.startswith(".", pos, doc.span.end):
            break
        pos += 1
    return starts


# Lines


def line_start(doc: Document, offset: int) -> int:
    start = doc.source.text.rfind("\n", doc.span.start, offset) + 1
    return max(start, doc.span.start + doc.source.text.startswith("\ufeff", doc.span.start))


def line_end(doc: Document, offset: int) -> int:
    """The offset of the next line."""
    found = doc.source.text.find("\n", offset, doc.span.end)
    return doc.span.end if found < 0 else found + 1


def indent_at(doc: Document, offset: int) -> str:
    start = line_start(doc, offset)
    line = doc.source.text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def statement_start(doc: Document, start: int) -> int:
    """The offset of the line's key, given its last part: `a` for the b of `a.b = 1`."""
    line = line_start(doc, start)
    while found := _DOT_BEFORE.search(doc.source.text[line:start]):
        start = line + found.start(1)
    return start


def runs_of(doc: Document, tokens: list[str], node: Node) -> list[tuple[int, int]]:
    """The runs of whole lines of a value or a table, including the tables below it."""
    runs = []
    for path, inner in walk_tables(doc, tokens, node):
        if isinstance(inner, Mapping) and not inner.flow:
            if kind_of(doc, path) == "header":
                runs.append((line_start(doc, inner.start), line_end(doc, inner.end)))
        elif not isinstance(inner, Sequence) or inner.flow:
            parent = node_at(doc, path[:-1])
            entry = parent.entry(path[-1]) if isinstance(parent, Mapping) else None
            if entry is not None:
                runs.append((line_start(doc, entry.key.start), line_end(doc, inner.end)))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(runs):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def has_line(doc: Document, tokens: list[str], entry: Entry) -> bool:
    """Whether an entry is written below its table's header, without a header of its own."""
    value = entry.value
    if isinstance(value, Mapping) and not value.flow:
        return kind_of(doc, tokens) == "dotted"
    return not isinstance(value, Sequence) or value.flow
