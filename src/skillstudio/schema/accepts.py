"""Whether a value is surely valid, without an engine: to load one takes longer than a check.

Patterns other than a few of our own schemas are left to an engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skillstudio.schema.messages import message
from skillstudio.schema.outcome import SchemaError, Validator
from skillstudio.text.lazy_pattern import lazy_pattern

Check = Callable[[Any], bool]

_ADDITIONAL = "additionalProperties"
_DEFINITION = "#/$defs/"
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
    "exclusiveMinimum": (int, lambda value, limit: value > limit),
    "exclusiveMaximum": (int, lambda value, limit: value < limit),
    "pattern": (str, lambda value, pattern: _matches(pattern, value)),
}
_META_KEYWORDS = frozenset(
    ("$schema", "$id", "$comment", "$defs", "title", "description", "default")
)
_ANNOTATIONS = _META_KEYWORDS | {"examples", "deprecated", "readOnly", "writeOnly"}
_PATTERNS = {
    "^([a-z0-9]+(-[a-z0-9]+)*)?$": lazy_pattern(r"(?:[a-z0-9]+(?:-[a-z0-9]+)*)?"),
    r"^[0-9]+(\.[0-9]+){0,2}$": lazy_pattern(r"[0-9]+(?:\.[0-9]+){0,2}"),
}
"""Patterns of our own schemas as Python's `re` matches the whole text; others need an engine."""
_LONGEST = 1000  # A longer text is left to an engine, which limits the steps.


class QuickValidator:
    """A validator that makes the one of an engine for the first value that may be invalid."""

    def __init__(self, schema: Any, make: Callable[[], Validator]) -> None:
        self._schema = schema
        self._make = make
        self._cached_engine: Validator | None = None
        self._accepts = quick_check(schema)

    def errors(self, value: Any, most: int | None = None) -> list[SchemaError]:
        if self._accepts(value):
            return []
        if unknown := self._only_unknown(value):
            text = message(_ADDITIONAL, unknown)
            return [SchemaError(_ADDITIONAL, (), (_ADDITIONAL,), unknown, text)]
        return self._engine.errors(value, most)

    def is_valid(self, value: Any) -> bool:
        return self._accepts(value) or self._engine.is_valid(value)

    def _only_unknown(self, value: Any) -> list[str]:
        """The unknown keys of a mapping that is surely valid without them, else []."""
        schema = self._schema
        if type(value) is not dict or schema.get(_ADDITIONAL) is not False or "$ref" in schema:
            return []
        properties = schema.get("properties", {})
        unknown = [name for name in value if name not in properties]
        known_members = {name: member for name, member in value.items() if name in properties}
        return unknown if unknown and self._accepts(known_members) else []

    @property
    def _engine(self) -> Validator:
        if self._cached_engine is None:
            self._cached_engine = self._make()
        return self._cached_engine


def accepts(schema: Any, value: Any) -> bool:
    """Whether a value is valid; false if it is not, or if only an engine can tell."""
    return quick_check(schema)(value)


def quick_check(schema: Any) -> Check:
    """The function that `accepts` applies to a value, for a schema of many values."""
    return _Checks(schema).of(schema)


class _Checks:
    """Make the checks of the parts of a schema."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._definition_checks: dict[str, Check] = {}
        self._makers: dict[str, Callable[[dict[str, Any]], Check]] = {
            "type": self._type,
            "enum": self._enum,
            "uniqueItems": lambda _: _is_unique,
            "items": self._items,
            "required": self._required,
            "properties": self._properties,
            _ADDITIONAL: self._additional,
            "$ref": self._reference,
        }

    def of(self, schema: Any) -> Check:
        """The check of one part; it accepts nothing if only an engine knows the part."""
        if not isinstance(schema, dict):
            return _always if schema is True else _never
        checks: list[Check] = []
        for keyword, argument in schema.items():
            if keyword in _LIMITS:
                checks.append(_limit(argument, *_LIMITS[keyword]))
            elif keyword in self._makers:
                checks.append(self._makers[keyword](schema))
            elif keyword not in _ANNOTATIONS and not keyword.startswith("x-"):
                return _never

        def check(value: Any) -> bool:
            for keyword_check in checks:  # noqa: SIM110 - a generator takes twice as long.
                if not keyword_check(value):
                    return False
            return True

        return checks[0] if len(checks) == 1 else check

    def _type(self, schema: dict[str, Any]) -> Check:
        declared_type = schema["type"]
        names = declared_type if isinstance(declared_type, list) else [declared_type]
        types = frozenset(type_ for name in names for type_ in _TYPES[name])
        return lambda value: type(value) in types

    def _enum(self, schema: dict[str, Any]) -> Check:
        allowed_values = schema["enum"]
        return lambda value: isinstance(value, str) and value in allowed_values

    def _items(self, schema: dict[str, Any]) -> Check:
        check = self.of(schema["items"])
        return lambda value: type(value) is not list or all(map(check, value))

    def _required(self, schema: dict[str, Any]) -> Check:
        names = schema["required"]
        return lambda value: type(value) is not dict or all(name in value for name in names)

    def _properties(self, schema: dict[str, Any]) -> Check:
        checks = {name: self.of(part) for name, part in schema["properties"].items()}

        def check(value: Any) -> bool:
            if type(value) is not dict:
                return True
            return all(checks[name](inner) for name, inner in value.items() if name in checks)

        return check

    def _additional(self, schema: dict[str, Any]) -> Check:
        check, properties = self.of(schema[_ADDITIONAL]), schema.get("properties", {}).keys()

        def check_others(value: Any) -> bool:
            if type(value) is not dict or value.keys() <= properties:
                return True
            return all(check(inner) for name, inner in value.items() if name not in properties)

        return check_others

    def _reference(self, schema: dict[str, Any]) -> Check:
        reference = schema["$ref"]
        if not reference.startswith(_DEFINITION):
            return _never

        def check(value: Any) -> bool:
            if (
                reference not in self._definition_checks
            ):  # Made late, because definitions may be recursive.
                definition = self._root.get("$defs", {}).get(reference.removeprefix(_DEFINITION))
                self._definition_checks[reference] = self.of(definition)
            return self._definition_checks[reference](value)

        return check


def _always(_: Any) -> bool:
    return True


def _never(_: Any) -> bool:
    return False


def _is_unique(value: Any) -> bool:
    if type(value) is not list:
        return True
    return all(type(item) is str for item in value) and len(set(value)) == len(value)


def _limit(limit: Any, kind: type, is_within: Callable[[Any, Any], bool]) -> Check:
    def check(value: Any) -> bool:
        # Other numbers are compared by an engine.
        return type(value) is not float and (type(value) is not kind or is_within(value, limit))

    return check


def _matches(pattern: str, text: str) -> bool:
    regex = _PATTERNS.get(pattern) if len(text) <= _LONGEST else None
    return regex is not None and regex.fullmatch(text) is not None
