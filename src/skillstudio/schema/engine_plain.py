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
from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.shape import is_json, is_number, kind_of, value_key

_MOST_STATES = 300  # Matching takes up to the states of a pattern times the length of a text.
_LONGEST_PATTERN = 20_000  # Characters of a pattern that is parsed for the number of its states.


class PlainValidator:
    """A validator for simple keywords, made by `plain_validator`, for JSON values."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        return list(islice(_errors(self._schema, value, (), ()), most))

    def is_valid(self, value: Any) -> bool:
        return next(_errors(self._schema, value, (), ()), None) is None


def plain_validator(schema: Any) -> PlainValidator | None:
    """The validator of a schema that is not deeply nested; None if it is not simple."""
    return PlainValidator(schema) if _is_plain(schema) else None


def _is_plain(schema: Any) -> bool:
    if isinstance(schema, bool):
        return True
    return isinstance(schema, dict) and all(
        keyword in _FORMS and _FORMS[keyword](stated) for keyword, stated in schema.items()
    )


def _is_type(stated: Any) -> bool:
    names = stated if isinstance(stated, list) else [stated]
    return names != [] and _are_names(names) and all(name in TYPES for name in names)


def _are_names(stated: Any) -> bool:
    if not isinstance(stated, list) or not all(isinstance(name, str) for name in stated):
        return False
    return len(set(stated)) == len(stated)


def _is_listing(stated: Any) -> bool:
    return isinstance(stated, list) and is_json(stated)


def _is_pattern(stated: Any) -> bool:
    if not isinstance(stated, str) or len(stated) > _LONGEST_PATTERN:
        return False
    try:
        found = parse_pattern(stated)
    except PatternError:
        return False
    return found.supported and len(found.automaton.states) <= _MOST_STATES


def _are_properties(stated: Any) -> bool:
    return isinstance(stated, dict) and all(
        isinstance(name, str) and _is_plain(part) for name, part in stated.items()
    )


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda stated: isinstance(stated, kind)


_FORMS: dict[str, Callable[[Any], bool]] = {
    "type": _is_type,
    "enum": _is_listing,
    "const": is_json,
    **dict.fromkeys(BOUNDS, is_number),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems"),
        lambda stated: is_number(stated) and stated >= 0 and stated == int(stated),
    ),
    "pattern": _is_pattern,
    "items": _is_plain,
    "required": _are_names,
    "properties": _are_properties,
    "additionalProperties": _is_plain,
    **dict.fromkeys(("title", "description", "$comment"), _is(str)),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), _is(bool)),
    "examples": _is_listing,
    "default": is_json,
}
"""The supported keywords, with a check of their values."""


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
