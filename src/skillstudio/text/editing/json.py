"""Splices for JSON, in the style of the surrounding values."""

from __future__ import annotations

import math
import re
from json import dumps
from typing import Any

from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing import EditRefused, entry_at, indent_at, node_at, without_member
from skillstudio.text.node import Document, Mapping, Node, Sequence

_COMMA = re.compile(r"\s*,")
_LINE_END = re.compile(r"\r\n|\n|\r")


def set_value(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Replace the existing value."""
    node = node_at(doc, tokens)
    style = _Style(doc)
    flat = bool(_members(node)) and not style.spread(node)
    is_keyed = bool(tokens) and isinstance(node_at(doc, tokens[:-1]), Mapping)
    entry = entry_at(doc, tokens) if is_keyed else None
    text = style.render(value, indent_at(doc, entry.key.start if entry else node.start), flat)
    if node.start == node.end and entry is not None:
        between = doc.source.text[entry.key.end : node.start]
        if ":" not in between:
            return [Splice(entry.key.end, entry.key.end, style.colon() + text)]
        if between.endswith(":"):
            text = style.colon().partition(":")[2] + text
    return [Splice(node.start, node.end, text)]


def insert(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Add a key at the end of an object, or an item before an index of a list."""
    parent = node_at(doc, tokens[:-1])
    style = _Style(doc)
    members = _members(parent)
    spread = style.spread(parent)
    if not members and not spread:
        spread = style.spreads(_sort(parent if isinstance(parent, Mapping) else [value]))
    inner = indent_at(doc, parent.start) + style.unit
    if members and spread:
        inner = indent_at(doc, members[0].start)
    text = style.render(value, inner, not spread)
    index = len(members)
    if isinstance(parent, Mapping):
        text = _string(tokens[-1]) + style.colon(parent) + text
    else:
        index = int(tokens[-1])
    if not members:
        if spread:
            text = style.newline + inner + text + style.newline + indent_at(doc, parent.start)
        return [Splice(parent.start + 1, parent.end - 1, text)]
    between = style.newline + inner if spread else style.gap(parent)
    if index < len(members):
        at = members[index].start
        return [Splice(at, at, text + "," + between)]
    at = members[-1].end
    comma = _COMMA.match(doc.source.text, at, parent.end)
    at = comma.end() if comma else at
    return [Splice(at, at, ("" if comma else ",") + between + text)]


def remove(doc: Document, tokens: list[str]) -> list[Splice]:
    """Remove a key with its value, or an item, with its comma."""
    parent = node_at(doc, tokens[:-1])
    members = _members(parent)
    is_keyed = isinstance(parent, Mapping)
    index = members.index(entry_at(doc, tokens)) if is_keyed else int(tokens[-1])
    return [without_member(parent, members, index)]


def rename(doc: Document, tokens: list[str], name: str) -> list[Splice]:
    """Rename a key."""
    return [Splice(*entry_at(doc, tokens).key.span, _string(name))]


def format_value(doc: Document, value: Any, indent: str = "") -> str:
    """Format a value as in the document; `indent` is that of its line. Raises EditRefused."""
    style = _Style(doc)
    spread = style.spread(doc.root) if _members(doc.root) else None
    return style.render(value, indent, False, spread)


class _Style:
    """The line endings, indentation and spacing of a JSON text."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        self.text = doc.source.text
        self.newline = doc.source.newline
        self.unit = self._unit()
        self._spreads: dict[str, bool] = {}

    def _unit(self) -> str:
        for _, node in self.doc.walk():
            if (members := _members(node)) and self.spread(node):
                outer = indent_at(self.doc, node.start)
                inner = indent_at(self.doc, members[0].start)
                if inner.startswith(outer) and inner != outer:
                    return inner[len(outer) :]
        return "  "

    def spread(self, node: Node) -> bool:
        """Whether a nonempty list or object has its members on separate lines."""
        members = _members(node)
        first = members[0].start if members else node.end - 1
        return bool(_LINE_END.search(self.text, node.start, first))

    def spreads(self, sort: str) -> bool:
        """Whether nonempty lists or objects of a kind have their members on separate lines."""
        if sort not in self._spreads:
            root = self.doc.root
            likes = [
                self.spread(node)
                for _, node in self.doc.walk()
                if node is not root and _members(node) and _sort(node) == sort
            ]
            whole = not _members(root) or self.spread(root)
            self._spreads[sort] = sum(likes) * 2 >= len(likes) if likes else whole
        return self._spreads[sort]

    def colon(self, near: Node | None = None) -> str:
        """The colon with its spaces, as in nearby keys."""
        holders = [near] if near is not None else []
        for node in [*holders, *(node for _, node in self.doc.walk())]:
            if isinstance(node, Mapping):
                for entry in node.entries:
                    separator = self.text[entry.key.end : entry.value.start]
                    if entry.value.end > entry.value.start and separator.strip(" ") == ":":
                        return separator
        return ": "

    def gap(self, node: Node) -> str:
        """The text after a comma between members on one line."""
        members = _members(node)
        if len(members) > 1:
            comma = self.text[members[0].end : members[1].start].partition(",")[2]
            return comma if not comma.strip(" ") else " "
        return " " if self.colon().endswith(" ") else ""

    def render(self, value: Any, indent: str, flat: bool, spread: bool | None = None) -> str:
        """Format a value as JSON; `indent` is that of the line on which it starts, `spread` whether
        its own members are on separate lines, None as in the document."""
        if isinstance(value, str):
            return _string(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise EditRefused("JSON cannot represent this number")
        if not isinstance(value, dict | list | tuple):
            try:
                return dumps(value)
            except (TypeError, ValueError):
                raise EditRefused("JSON cannot represent this value") from None
        colon = self.colon()
        inner = indent + self.unit
        flat = flat or not self.spreads(_sort(value)) if spread is None else not spread
        if isinstance(value, dict):
            if not all(isinstance(key, str) for key in value):
                raise EditRefused("a JSON key must be a string")
            members = [
                _string(key) + colon + self.render(part, inner, flat) for key, part in value.items()
            ]
            brackets = "{}"
        else:
            members = [self.render(part, inner, flat) for part in value]
            brackets = "[]"
        if not members:
            return brackets
        if flat:
            return brackets[0] + ("," + (" " if " " in colon else "")).join(members) + brackets[1]
        start = self.newline + inner
        return (
            f"{brackets[0]}{start}{(',' + start).join(members)}{self.newline}{indent}{brackets[1]}"
        )


def _string(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        return dumps(value)
    return dumps(value, ensure_ascii=False)


def _members(node: Node) -> list[Any]:
    """The entries of an object, the items of a list, nothing for other values."""
    if isinstance(node, Mapping):
        return node.entries
    return node.items if isinstance(node, Sequence) else []


def _sort(value: Any) -> str:
    """The kind of a value: object, list of scalars, or other list."""
    if isinstance(value, Mapping | dict):
        return "object"
    items = _members(value) if isinstance(value, Node) else value
    deep = any(isinstance(item, Mapping | Sequence | dict | list | tuple) for item in items)
    return "list" if deep else "scalars"
