"""Describe a schema in a few words, such as `integer from 1 to 9` or `"ok" or "error"`."""

from __future__ import annotations

import json
from typing import Any

_ANY = "anything"
_MOST = 6  # Maximum number of values or properties listed before the rest is counted.
_DEEPEST = 4
BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
"""Keywords that bound a number, with the words before the number."""
_OWN = frozenset(
    ("type", "enum", "const", "items", "properties", "required", "pattern", "default", *BOUNDS)
) | frozenset(("title", "description", "examples", "$comment"))


def type_words(schema: Any, depth: int = 0) -> str:
    """Describe what a schema accepts. The author's texts are not made safe."""
    if schema is False:
        return "nothing"
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return _ANY
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and values:
        shown = [_value(value) for value in values[:_MOST]]
        more = [f"{len(values) - _MOST} more"] if len(values) > _MOST else []
        return " or ".join([*shown, *more])
    kinds = schema.get("type")
    names = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind]
    words = [_kind(str(name), schema, depth) for name in names] or [_ANY]
    said = " or ".join(words) + _limits(schema)
    rest = [key for key in schema if key not in _OWN]
    return f"{said}, with {', '.join(rest[:_MOST])}" if rest else said


def _kind(kind: str, schema: dict[str, Any], depth: int) -> str:
    if kind == "array" and "items" in schema:
        return f"array of {type_words(schema['items'], depth + 1)}"
    if kind == "object" and isinstance(schema.get("properties"), dict):
        names = list(schema["properties"])
        needed = schema.get("required")
        needed = needed if isinstance(needed, list) else []
        shown = [name if name in needed else f"{name}?" for name in names[:_MOST]]
        more = ["…"] if len(names) > _MOST else []
        return f"object of {', '.join([*shown, *more])}" if names else "object"
    return kind


def _limits(schema: dict[str, Any]) -> str:
    found = ""
    if isinstance(schema.get("pattern"), str):
        found += f" matching {schema['pattern']}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{found} from {_value(low)} to {_value(high)}"
    said = [f"{word} {_value(schema[key])}" for key, word in BOUNDS.items() if key in schema]
    return f"{found} {' and '.join(said)}" if said else found


def bound_words(keyword: str, stated: Any) -> str:
    """Describe one or several bounds on one side of a number."""
    several = stated if isinstance(stated, dict) else {keyword: stated}
    return " and ".join(f"{BOUNDS.get(key, key)} {_value(bound)}" for key, bound in several.items())


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
