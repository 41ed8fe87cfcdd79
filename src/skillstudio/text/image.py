"""A comparable form of a tree: 1 differs from 1.0 and from true.

A mapping is a dict of images, a list a list of images, a scalar its type and value, and so is an
unreadable part, to verify that an edit elsewhere does not change it.
"""

from __future__ import annotations

from typing import Any

from skillstudio.text.node import Mapping, Node, Scalar, Sequence, resolve

MISSING = ("missing",)
_LARGEST = 200_000
_NAMES = {kind: kind.__name__ for kind in (str, int, bool)}


class TreeTooLarge(Exception):
    """A tree whose aliases expand to too many nodes."""


class Date(str):
    """A TOML date, which is written without quotes."""

    __slots__ = ()


def of_node(node: Node | None) -> Any:
    """The image of a node; aliases are replaced with their targets. Raises TreeTooLarge."""
    budget = _LARGEST

    def image(node: Node | None, open_: frozenset[int]) -> Any:
        nonlocal budget
        budget -= 1
        if budget < 0:
            raise TreeTooLarge
        if type(node) is not Scalar:
            node = resolve(node)
        if isinstance(node, Scalar):
            name = _NAMES.get(type(node.value))
            return (name, node.value) if name else of_value(node.value)
        if id(node) in open_:
            return ("itself",)
        inside = open_ | {id(node)}
        if isinstance(node, Mapping):
            return {entry.name: image(entry.value, inside) for entry in node.entries}
        if isinstance(node, Sequence):
            return [image(item, inside) for item in node.items]
        return MISSING

    return image(node, frozenset())


def of_value(value: Any) -> Any:
    """The image of a plain value."""
    if isinstance(value, dict):
        return {str(key): of_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [of_value(inner) for inner in value]
    if isinstance(value, float):
        return ("float", repr(value))
    if isinstance(value, str):
        return ("str", str(value))
    return (type(value).__name__, value)


def plain_value(node: Node | None) -> Any:
    """The plain value of a node to write elsewhere; TOML dates stay dates."""
    node = resolve(node)
    if isinstance(node, Mapping):
        return {entry.name: plain_value(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [plain_value(item) for item in node.items]
    if isinstance(node, Scalar):
        return Date(node.value) if node.style == "date" else node.value
    return None
