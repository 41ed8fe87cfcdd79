"""Keywords of JSON Schema 2020-12: which contain schemas, and which are standard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
SINGLE_KEYWORDS = frozenset(
    ("not", "if", "then", "else", "contains", "propertyNames", "contentSchema")
).union(
    ("items", "additionalItems", "unevaluatedItems"),
    ("additionalProperties", "unevaluatedProperties"),
)
"""Keywords whose value is a schema."""
MANY = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
"""Keywords whose value is a list of schemas."""
NAMED_SUBSCHEMAS = frozenset(
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]
)
"""Keywords whose value maps names to schemas."""
ANNOTATIONS = frozenset(["title", "description", "examples", "$comment", "default"])
"""Keywords that describe a value and never reject one."""
SILENT = ANNOTATIONS.union(
    ("$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions"),
    ("deprecated", "readOnly", "writeOnly"),
    ("contentEncoding", "contentMediaType", "contentSchema"),
)
"""Standard keywords that reject no value on their own."""
STANDARD = SINGLE_KEYWORDS.union(
    MANY,
    NAMED_SUBSCHEMAS,
    ANNOTATIONS,
    BOUNDS,
    SIZES,
    ("$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary"),
    ("type", "enum", "const", "multipleOf", "pattern", "format", "required", "dependentRequired"),
    ("uniqueItems", "minContains", "maxContains", "contentEncoding", "contentMediaType"),
    ("deprecated", "readOnly", "writeOnly"),
)
"""All keywords of the 2020-12 vocabularies, and older names that are still used."""
GROUPS = (
    ("contains", "minContains", "maxContains"),
    ("if", "then", "else"),
    ("items", "prefixItems"),
)
"""Keywords that depend on each other, the main one first."""
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

Path = tuple[str | int, ...]


def walk_schema(schema: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """All subschemas that are objects with their paths, starting with the schema itself."""
    stack: list[tuple[Path, Any]] = [((), schema)]
    while stack:
        path, part = stack.pop()
        if isinstance(part, dict):
            yield path, part
            stack += reversed([(path + step, inner) for step, inner in parts_within(part)])


def parts_within(schema: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    """The direct subschemas with their paths."""
    for keyword, value in schema.items():
        if keyword in SINGLE_KEYWORDS and isinstance(value, dict | bool):
            yield (keyword,), value
        elif keyword in MANY and isinstance(value, list):
            yield from (((keyword, index), item) for index, item in enumerate(value))
        elif keyword in NAMED_SUBSCHEMAS and isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, dict | bool):
                    yield (keyword, name), item


def patterns_of(path: Path, part: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """The patterns of one schema with their paths."""
    pattern, pattern_properties = part.get("pattern"), part.get("patternProperties")
    if isinstance(pattern, str):
        yield (*path, "pattern"), pattern
    if isinstance(pattern_properties, dict):
        yield from (((*path, "patternProperties", name), name) for name in pattern_properties)
