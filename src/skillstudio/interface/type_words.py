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
_HANDLED_KEYWORDS = frozenset(
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
        value_words = [_value(value) for value in values[:_MOST]]
        suffix = [f"{len(values) - _MOST} more"] if len(values) > _MOST else []
        return " or ".join([*value_words, *suffix])
    kinds = schema.get("type")
    names = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind]
    words = [_kind(str(name), schema, depth) for name in names] or [_ANY]
    description = " or ".join(words) + _limits(schema)
    rest = [key for key in schema if key not in _HANDLED_KEYWORDS]
    return f"{description}, with {', '.join(rest[:_MOST])}" if rest else description


def _kind(kind: str, schema: dict[str, Any], depth: int) -> str:
    if kind == "array" and "items" in schema:
        return f"array of {type_words(schema['items'], depth + 1)}"
    if kind == "object" and isinstance(schema.get("properties"), dict):
        names = list(schema["properties"])
        required_names = schema.get("required")
        required_names = required_names if isinstance(required_names, list) else []
        labels = [name if name in required_names else f"{name}?" for name in names[:_MOST]]
        suffix = ["…"] if len(names) > _MOST else []
        return f"object of {', '.join([*labels, *suffix])}" if names else "object"
    return kind


def _limits(schema: dict[str, Any]) -> str:
    description = ""
    if isinstance(schema.get("pattern"), str):
        description += f" matching {schema['pattern']}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{description} from {_value(low)} to {_value(high)}"
    limits = [f"{word} {_value(schema[key])}" for key, word in BOUNDS.items() if key in schema]
    return f"{description} {' and '.join(limits)}" if limits else description


def bound_words(keyword: str, bounds: Any) -> str:
    """Describe one or several bounds on one side of a number."""
    several = bounds if isinstance(bounds, dict) else {keyword: bounds}
    return " and ".join(f"{BOUNDS.get(key, key)} {_value(bound)}" for key, bound in several.items())


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
