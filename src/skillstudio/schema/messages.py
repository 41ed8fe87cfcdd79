"""Messages for failed keywords, without the value, which may be long or a secret."""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import Any

_MAX_VALUES = 8
_ARTICLES = {"array": "a list", "object": "a mapping", "integer": "a whole number", "null": "null"}


def message(keyword: str, params: Any) -> str:
    """Describe what a keyword requires."""
    if isinstance(params, dict) and params.get("expensive"):
        return "the pattern is too expensive to match against this value"
    make = _MESSAGES.get(keyword)
    return make(params) if make else f'the value does not satisfy "{keyword}" of its schema'


def format_values(values: list[Any]) -> str:
    """Format the first values as JSON."""
    texts = [_json(value) for value in values[:_MAX_VALUES]]
    if len(values) > _MAX_VALUES:
        texts.append(f"{len(values) - _MAX_VALUES} more")
    return ", ".join(texts)


def _json(value: Any) -> str:
    if isinstance(value, str):
        text = encode_basestring(value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def _type(types: list[str]) -> str:
    names = [_ARTICLES.get(name, f"a {name}") for name in types]
    if "a number" in names and "a whole number" in names:
        names.remove("a whole number")
    last = names.pop() if names else "of another type"
    return f"must be {', '.join(names)} or {last}" if names else f"must be {last}"


def _keys(names: list[str]) -> str:
    return f"unknown key{'' if len(names) == 1 else 's'} {format_values(names)}"


def _limit(words: str, singular: str = "", many: str = "") -> Any:
    def make(limit: Any) -> str:
        return f"must {words} {_json(limit)}{singular if limit == 1 else many}"

    return make


_MESSAGES: dict[str, Any] = {
    "required": lambda name: f"missing key {_json(name)}",
    "dependentRequired": lambda name: f"missing key {_json(name)}, which another key requires",
    "dependencies": lambda name: f"missing key {_json(name)}, which another key requires",
    "additionalProperties": _keys,
    "unevaluatedProperties": lambda _: "contains keys that its schema does not allow",
    "unevaluatedItems": lambda _: "contains items that its schema does not allow",
    "propertyNames": lambda name: f"the key name {_json(name)} is not allowed",
    "type": _type,
    "enum": lambda values: (
        f"must be one of {format_values(values)}" if values else "no value is allowed"
    ),
    "const": lambda value: f"must be {_json(value)}",
    "pattern": lambda pattern: f"must match the pattern {pattern}",
    "format": lambda name: f"must have the format {name}",
    "minimum": _limit("be at least"),
    "maximum": _limit("be at most"),
    "exclusiveMinimum": _limit("be greater than"),
    "exclusiveMaximum": _limit("be less than"),
    "multipleOf": _limit("be a multiple of"),
    "minLength": _limit("have at least", " character", " characters"),
    "maxLength": _limit("have at most", " character", " characters"),
    "minItems": _limit("have at least", " item", " items"),
    "maxItems": _limit("have at most", " item", " items"),
    "minProperties": _limit("have at least", " key", " keys"),
    "maxProperties": _limit("have at most", " key", " keys"),
    "uniqueItems": lambda _: "contains the same item twice",
    "contains": lambda _: "must contain a matching item",
    "minContains": lambda _: "contains too few matching items",
    "maxContains": lambda _: "contains too many matching items",
    "anyOf": lambda _: "matches none of the alternatives",
    "oneOf": lambda many: (
        "matches more than one of the alternatives" if many else "matches none of the alternatives"
    ),
    "not": lambda _: "matches a schema that is not allowed",
    "false": lambda _: "no value is allowed here",
}
