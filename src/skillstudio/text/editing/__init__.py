"""Edits as splices, one module for each syntax."""

from __future__ import annotations

from skillstudio.text.node import Document, Entry, Mapping, Node, join_pointer


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
