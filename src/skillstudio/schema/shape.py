"""Group the keywords of a schema by the type of value that they apply to.

Each keyword of JSON Schema rejects values independently, and most ignore other types. So a schema
is one set of values for each type; unsupported keywords are `foreign`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from skillstudio.schema.interval import Interval
from skillstudio.schema.keywords import BOUNDS, SILENT, STANDARD, TYPES

Schema = dict[str, Any] | bool

MAX_DEPTH = 64
MAX_NODES = 200_000
MAX_PATTERN = 20_000  # Maximum length of a supported pattern; no automaton has more states.
KINDS = ("string", "number", "boolean", "null", "array", "object")
"""The types of JSON, without integer."""


class Shape:
    """What a schema accepts, according to the supported keywords."""

    def __init__(self) -> None:
        self.kinds = frozenset(KINDS)
        self.number = Interval()
        self.pattern: str | None = None
        self.shortest = 0
        self.longest: int | None = None
        self.items: Schema = True
        self.fewest = 0
        self.most: int | None = None
        self.unique = False
        self.format = ""
        """Also among the foreign keywords."""
        self.properties: dict[str, Schema] = {}
        self.required_names: dict[str, None] = {}
        self.additional: Schema = True
        self.allowed_values: dict[Hashable, Any] | None = None
        """The values of `enum` and `const` by key, if there are any."""
        self.foreign: list[str] = []
        """Unsupported keywords that may reject values; the shape without them is larger."""
        self.invalid_keywords: list[str] = []
        """Keywords with an invalid value."""
        self.is_open = True
        """Whether no keyword rejects any value."""

    def of_property(self, name: str) -> Schema:
        """The schema of a property's value."""
        return self.properties.get(name, self.additional)


def read_shape(schema: Schema) -> Shape:
    shape = Shape()
    if isinstance(schema, bool):
        shape.kinds = shape.kinds if schema else frozenset()
        shape.is_open = schema
        return shape
    for keyword, value in schema.items():
        read = _READERS.get(keyword)
        if read is not None:
            if not read(shape, value):
                shape.invalid_keywords.append(keyword)
        elif keyword in STANDARD and keyword not in SILENT:
            shape.foreign.append(keyword)
    if isinstance(schema.get("format"), str):
        shape.format = schema["format"]
    shape.is_open = not any(key in _READERS or key in shape.foreign for key in schema)
    if "patternProperties" in schema:
        shape.additional = True  # Which names are additional, the patterns say.
    if "prefixItems" in schema:
        shape.items = True  # Which items it speaks of, the prefix says.
    return shape


def _type(shape: Shape, value: Any) -> bool:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        return False
    if not all(isinstance(name, str) and name in TYPES for name in names):
        return False
    if "integer" in names and "number" not in names:
        shape.number = shape.number._replace(integer=True)
    shape.kinds = frozenset("number" if name == "integer" else name for name in names)
    return True


def _make_bound_reader(keyword: str) -> Callable[[Shape, Any], bool]:
    is_open = keyword.startswith("exclusive")
    is_low = keyword in ("minimum", "exclusiveMinimum")

    def read(shape: Shape, value: Any) -> bool:
        if not is_number(value):
            return False
        restrict = shape.number.at_least if is_low else shape.number.at_most
        shape.number = restrict(value, is_open)
        return True

    return read


def _count(name: str) -> Callable[[Shape, Any], bool]:
    def read(shape: Shape, value: Any) -> bool:
        if not is_number(value) or value < 0 or value != math.floor(value):
            return False
        setattr(shape, name, int(value))
        return True

    return read


def _multiple_of(shape: Shape, value: Any) -> bool:
    if not is_number(value) or value <= 0:
        return False
    if value == math.floor(value):
        shape.number = shape.number._replace(integer=True, step=int(value))
    else:
        shape.foreign.append("multipleOf")
    return True


def _pattern(shape: Shape, value: Any) -> bool:
    from skillstudio.schema.regex import PatternError, parse_pattern

    if not isinstance(value, str):
        return False
    if len(value) > MAX_PATTERN:
        shape.foreign.append("pattern")
        return True
    try:
        parse_pattern(value)
    except PatternError:
        return False
    shape.pattern = value
    return True


def _make_field_reader(name: str, *types: type) -> Callable[[Shape, Any], bool]:
    def read(shape: Shape, value: Any) -> bool:
        if not isinstance(value, types):
            return False
        setattr(shape, name, value)
        return True

    return read


def _properties(shape: Shape, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    shape.properties = value
    return all(isinstance(part, dict | bool) for part in value.values())


def _required(shape: Shape, value: Any) -> bool:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    shape.required_names = dict.fromkeys(value)
    return True


def _enum(shape: Shape, values: Any) -> bool:
    if not isinstance(values, list) or not is_json(values):
        return False
    allowed_values: dict[Hashable, Any] = {}
    for value in values:
        allowed_values.setdefault(value_key(value), value)
    if shape.allowed_values is not None:
        allowed_values = {
            key: value for key, value in shape.allowed_values.items() if key in allowed_values
        }
    shape.allowed_values = allowed_values
    return True


_READERS: dict[str, Callable[[Shape, Any], bool]] = {
    "type": _type,
    **{name: _make_bound_reader(name) for name in BOUNDS},
    "minLength": _count("shortest"),
    "maxLength": _count("longest"),
    "minItems": _count("fewest"),
    "maxItems": _count("most"),
    "multipleOf": _multiple_of,
    "uniqueItems": _make_field_reader("unique", bool),
    "pattern": _pattern,
    "items": _make_field_reader("items", dict, bool),
    "additionalProperties": _make_field_reader("additional", dict, bool),
    "properties": _properties,
    "required": _required,
    "enum": _enum,
    "const": lambda shape, value: _enum(shape, [value]),
}


def is_number(value: Any) -> bool:
    """Whether a value is a finite JSON number, not a boolean."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def is_json(value: Any) -> bool:
    """Whether a value consists only of JSON values. It must not be deeply nested."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(is_json, value))
    return value is None or isinstance(value, str | bool) or is_number(value)


def value_key(value: Any) -> Hashable:
    """A key that is equal for values that JSON Schema considers equal: 1 equals 1.0, not true."""
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, list):
        return "list", tuple(map(value_key, value))
    if isinstance(value, dict):
        return "dict", frozenset((name, value_key(item)) for name, item in value.items())
    hashable: Hashable = value
    return hashable


def kind_of(value: Any) -> str:
    """The type of a JSON value, one of `KINDS`."""
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list) else "object"


def same(value: Any, other: Any) -> bool:
    """JSON equality: 1 equals 1.0, a boolean is not a number, and .nan equals itself."""
    if value is other:
        return True
    if isinstance(value, str):
        return bool(value == other)
    if isinstance(value, bool) or isinstance(other, bool):
        return False
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(same(value[key], other[key]) for key in value)
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        return len(value) == len(other) and all(map(same, value, other))
    return bool(value == other) or (value != value and other != other)


def parts_of(schema: Schema) -> int:
    """The number of objects and lists in a schema."""
    return sum(isinstance(part, dict | list) for part in walk_value(schema))


def walk_value(value: Any) -> Iterator[Any]:
    """A JSON value and all values within it, without recursion."""
    stack = [value]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, dict):
            stack += part.values()
        elif isinstance(part, list):
            stack += part


def too_large(schema: Schema) -> str:
    """Why a schema is not analyzed: its depth or size; "" if it is."""
    stack: list[tuple[Any, int]] = [] if isinstance(schema, bool) else [(schema, 1)]
    part_count = 0
    while stack:
        node, depth = stack.pop()
        part_count += 1
        if depth > MAX_DEPTH:
            return f"the schema is nested more than {MAX_DEPTH} levels deep"
        if part_count > MAX_NODES:
            return f"the schema has more than {MAX_NODES} parts"
        inner = node.values() if isinstance(node, dict) else node
        stack += [(part, depth + 1) for part in inner if isinstance(part, dict | list)]
    return ""
