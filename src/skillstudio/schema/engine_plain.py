"""A validator for simple schemas, because loading an engine takes longer than a whole comparison.

A schema with another keyword, an invalid value or a large pattern is left to a full engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from skillstudio.schema.keywords import BOUNDS, TYPES, Path
from skillstudio.schema.messages import message
from skillstudio.schema.outcome import SchemaError
from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.shape import Shape, is_json, kind_of, read_shape, value_key

_MOST_STATES = 300  # Matching takes up to the states of a pattern times the length of a text.


class PlainValidator:
    """A validator for simple keywords, made by `plain_validator`, for JSON values."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        return list(islice(_errors(self._schema, value, (), ()), most))

    def is_valid(self, value: Any) -> bool:
        return next(_errors(self._schema, value, (), ()), None) is None


def plain_validator(
    schema: Any, read: Callable[[Any], Shape] = read_shape
) -> PlainValidator | None:
    """The validator of a schema that is not deeply nested; None if it is not simple."""
    return PlainValidator(schema) if _is_plain(schema, read) else None


def _is_plain(schema: Any, read: Callable[[Any], Shape]) -> bool:
    if not isinstance(schema, dict):
        return isinstance(schema, bool)
    if not all(_is_known(keyword, stated) for keyword, stated in schema.items()):
        return False
    shape = read(schema)
    if shape.broken or shape.foreign or not _is_small(shape.pattern):
        return False
    inner = (shape.items, shape.additional, *shape.properties.values())
    return all(_is_plain(each, read) for each in inner)


def _is_known(keyword: str, stated: Any) -> bool:
    """Whether a keyword is supported, with the checks that a shape does not need."""
    if keyword in ("type", "required"):
        return not isinstance(stated, list) or len(set(map(str, stated))) == len(stated)
    if keyword == "properties":
        return isinstance(stated, dict) and all(isinstance(name, str) for name in stated)
    if keyword in ("default", "examples"):
        return is_json(stated) and (keyword == "default" or isinstance(stated, list))
    kind = _ANNOTATIONS.get(keyword)
    return keyword in _SUPPORTED or (kind is not None and isinstance(stated, kind))


def _is_small(pattern: str | None) -> bool:
    if pattern is None:
        return True
    found = parse_pattern(pattern)
    return found.supported and len(found.automaton.states) <= _MOST_STATES


_SUPPORTED = frozenset(
    ("enum", "const", *BOUNDS, "minLength", "maxLength", "minItems", "maxItems", "pattern")
).union(("items", "additionalProperties"))
_ANNOTATIONS = {
    **dict.fromkeys(("title", "description", "$comment"), str),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), bool),
}


def _errors(schema: Any, value: Any, at: Path, path: Path) -> Iterator[SchemaError]:
    """The errors of a value for the part of the schema at a path."""
    if schema is False:
        yield SchemaError("false", at, path, None, message("false", None))
    if isinstance(schema, bool):
        return
    kind = kind_of(value)
    for keyword, stated in schema.items():
        limit = _LIMITS.get(keyword)
        if limit is not None:
            broken = [stated] if limit[0] in ("", kind) and not limit[1](value, stated) else []
        elif keyword == "type":
            names = stated if isinstance(stated, list) else [stated]
            known = [name for name in TYPES if name in names]
            broken = [] if kind in known or _is_whole(kind, value, known) else [known]
        elif keyword == "required" and kind == "object":
            broken = [name for name in stated if name not in value]
        elif keyword == "additionalProperties" and kind == "object" and stated is False:
            extra = _extra(schema, value)
            broken = [extra] if extra else []
        else:
            yield from _within(schema, keyword, kind, value, at, path)
            continue
        for params in broken:
            yield SchemaError(keyword, at, (*path, keyword), params, message(keyword, params))


def _within(
    schema: dict[str, Any], keyword: str, kind: str, value: Any, at: Path, path: Path
) -> Iterator[SchemaError]:
    """The errors of a keyword with subschemas in the parts of a value."""
    stated = schema[keyword]
    if keyword == "items" and kind == "array":
        for index, item in enumerate(value):
            yield from _errors(stated, item, (*at, index), (*path, keyword))
    elif keyword == "properties" and kind == "object":
        for name, part in stated.items():
            if name in value:
                yield from _errors(part, value[name], (*at, name), (*path, keyword, name))
    elif keyword == "additionalProperties" and kind == "object":
        for name in _extra(schema, value):
            yield from _errors(stated, value[name], (*at, name), (*path, keyword))


def _extra(schema: dict[str, Any], value: dict[str, Any]) -> list[str]:
    described = schema.get("properties", ())
    return [name for name in value if name not in described]


def _is_whole(kind: str, value: Any, names: list[str]) -> bool:
    return kind == "number" and "integer" in names and value == value // 1


_LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("number", lambda value, limit: value >= limit),
    "maximum": ("number", lambda value, limit: value <= limit),
    "exclusiveMinimum": ("number", lambda value, limit: value > limit),
    "exclusiveMaximum": ("number", lambda value, limit: value < limit),
    "minLength": ("string", lambda value, limit: len(value) >= limit),
    "maxLength": ("string", lambda value, limit: len(value) <= limit),
    "minItems": ("array", lambda value, limit: len(value) >= limit),
    "maxItems": ("array", lambda value, limit: len(value) <= limit),
    "pattern": ("string", lambda value, pattern: parse_pattern(pattern).search(value)),
    "enum": ("", lambda value, allowed: value_key(value) in map(value_key, allowed)),
    "const": ("", lambda value, only: value_key(value) == value_key(only)),
}
"""Keywords that compare a whole value: the type they apply to, "" for all, and the comparison."""
