"""Access a manifest's plain value; a value of another type counts as missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.text.node import Document, Node, Scalar, escape, resolve


def dig(value: Any, *keys: str | int) -> Any:
    """The value below some keys and list indices, or None."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def text(value: Any, *keys: str | int) -> str | None:
    """The string below some keys, or None."""
    inner_value = dig(value, *keys)
    return inner_value if isinstance(inner_value, str) else None


def mapping(value: Any, *keys: str | int) -> dict[str, Any]:
    """The mapping below some keys, or an empty one."""
    inner_value = dig(value, *keys)
    return inner_value if isinstance(inner_value, dict) else {}


def sequence(value: Any, *keys: str | int) -> list[Any]:
    """The list below some keys, or an empty one."""
    inner_value = dig(value, *keys)
    return inner_value if isinstance(inner_value, list) else []


def pointer(*keys: str | int) -> str:
    """The JSON Pointer of some keys and list indices."""
    return "".join([f"/{key if isinstance(key, int) else escape(key)}" for key in keys])


def mappings(value: Any, *keys: str | int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The mappings in the list below some keys, each with its JSON Pointer."""
    return ((at, item) for at, item in _items(value, keys) if isinstance(item, dict))


def strings(value: Any, *keys: str | int) -> Iterator[tuple[str, str]]:
    """The strings in the list below some keys, each with its JSON Pointer."""
    return ((at, item) for at, item in _items(value, keys) if isinstance(item, str))


def _items(value: Any, keys: tuple[str | int, ...]) -> Iterator[tuple[str, Any]]:
    above = pointer(*keys)
    for index, item in enumerate(sequence(value, *keys)):
        yield f"{above}/{index}", item


def members(value: Any, *keys: str | int) -> Iterator[tuple[str, str, Any]]:
    """The entries of the mapping below some keys: JSON Pointer, key, value."""
    inner_value = dig(value, *keys)
    if isinstance(inner_value, dict):
        above = pointer(*keys)
        for key, item in inner_value.items():
            yield f"{above}/{escape(key)}", key, item


def stated_text(document: Document, pointer: str) -> str:
    """The string at a JSON Pointer, or a number as written, such as 1.10; "" otherwise."""
    return as_stated(document, document.at(pointer))


def as_stated(document: Document, node: Node | None) -> str:
    """The string that a node is, or a number as written; "" otherwise."""
    node = resolve(node)
    if not isinstance(node, Scalar):
        return ""
    if isinstance(node.value, str):
        return node.value
    if isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return document.source.text[node.start : node.end]
    return ""


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
    "number": (int, float),
    "integer": (int, float),
}


def has_type(value: Any, kind: str) -> bool:
    """Whether a value has a JSON Schema type; an unknown type accepts all."""
    if isinstance(value, bool) and kind in ("number", "integer"):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, object))
