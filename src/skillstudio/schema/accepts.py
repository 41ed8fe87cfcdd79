"""Whether a value is surely valid, without an engine: to load one takes longer than a check.

Patterns other than a few of our own schemas are left to an engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from skillstudio.schema.outcome import SchemaError, Validator

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "object": (dict,),
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int,),
    "null": (type(None),),
}
_LIMITS: dict[str, tuple[type, Callable[[Any, Any], bool]]] = {
    "minLength": (str, lambda value, limit: len(value) >= limit),
    "maxLength": (str, lambda value, limit: len(value) <= limit),
    "minItems": (list, lambda value, limit: len(value) >= limit),
    "maxItems": (list, lambda value, limit: len(value) <= limit),
    "minimum": (int, lambda value, limit: value >= limit),
    "maximum": (int, lambda value, limit: value <= limit),
    "pattern": (str, lambda value, pattern: _matches(pattern, value)),
}
_WITHIN = frozenset(
    ("properties", "required", "items", "additionalProperties", "type", "enum", "uniqueItems")
)
_DEFINITION = "#/$defs/"
_SAID = frozenset(("$schema", "$id", "$comment", "$defs", "title", "description", "default"))
_ANNOTATIONS = _SAID | {"examples", "deprecated", "readOnly", "writeOnly"}
_PATTERNS = {
    "^([a-z0-9]+(-[a-z0-9]+)*)?$": re.compile(r"(?:[a-z0-9]+(?:-[a-z0-9]+)*)?"),
    r"^[0-9]+(\.[0-9]+){0,2}$": re.compile(r"[0-9]+(?:\.[0-9]+){0,2}"),
}
"""Patterns of our own schemas as Python's `re` matches the whole text; others need an engine."""
_LONGEST = 1000  # A longer text is left to an engine, which limits the steps.


class QuickValidator:
    """A validator that makes the one of an engine for the first value that may be invalid."""

    def __init__(self, schema: Any, make: Callable[[], Validator]) -> None:
        self._schema = schema
        self._make = make
        self._made: Validator | None = None

    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        return [] if accepts(self._schema, value) else self._engine.errors(value, most)

    def is_valid(self, value: Any) -> bool:
        return accepts(self._schema, value) or self._engine.is_valid(value)

    @property
    def _engine(self) -> Validator:
        if self._made is None:
            self._made = self._make()
        return self._made


def accepts(schema: Any, value: Any) -> bool:
    """Whether a value is valid; false if it is not, or if only an engine can tell."""
    return _accepts(schema, value, schema)


def _accepts(schema: Any, value: Any, root: Any) -> bool:
    if not isinstance(schema, dict):
        return schema is True
    for keyword, stated in schema.items():
        limit = _LIMITS.get(keyword)
        if limit is not None:
            # Other numbers are compared by an engine.
            if type(value) is float or (type(value) is limit[0] and not limit[1](value, stated)):
                return False
        elif keyword in _WITHIN:
            if not _accepts_within(schema, keyword, stated, value, root):
                return False
        elif keyword == "$ref":
            defined = root.get("$defs", {}).get(stated.removeprefix(_DEFINITION))
            if not stated.startswith(_DEFINITION) or not _accepts(defined, value, root):
                return False
        elif keyword not in _ANNOTATIONS and not keyword.startswith("x-"):
            return False
    return True


def _accepts_within(
    schema: dict[str, Any], keyword: str, stated: Any, value: Any, root: Any
) -> bool:
    if keyword == "type":
        names = stated if isinstance(stated, list) else [stated]
        return any(type(value) in _TYPES[name] for name in names)
    if keyword == "enum":
        return isinstance(value, str) and value in stated
    if type(value) is list:
        if keyword == "uniqueItems":
            return all(type(each) is str for each in value) and len(set(value)) == len(value)
        return keyword != "items" or all(_accepts(stated, each, root) for each in value)
    if type(value) is not dict:
        return True
    if keyword == "required":
        return all(name in value for name in stated)
    described = schema.get("properties", {})
    if keyword == "properties":
        found = ((part, value[name]) for name, part in stated.items() if name in value)
        return all(_accepts(part, inner, root) for part, inner in found)
    if keyword != "additionalProperties":
        return True
    return all(_accepts(stated, value[name], root) for name in value if name not in described)


def _matches(pattern: str, text: str) -> bool:
    found = _PATTERNS.get(pattern) if len(text) <= _LONGEST else None
    return found is not None and found.fullmatch(text) is not None
