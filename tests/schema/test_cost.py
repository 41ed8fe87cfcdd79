"""Which schemas no engine is given, and where in them the cost lies."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.schema.cost import MAX_TRANSLATED, refuse_costly
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.text.node import join_pointer

PATTERN = "the pattern is too long to compile"
REFERENCES = "the schema has too many parts after its references are resolved"
LONG = r"\d" * 360
"""360 class escapes in 720 characters: 259,200."""
SHORT = r"\d" * 350


def doubling(levels: int, fan: int = 2, keyword: str = "$ref") -> dict[str, Any]:
    """Definitions that each lead to the next in `fan` ways."""
    last = {"type": "string"}
    steps = {
        f"d{level}": {"anyOf": [{keyword: f"#/$defs/d{level + 1}"}] * 1 + [
            {keyword: f"#/$defs/d{level + 1}", "title": str(each)} for each in range(1, fan)
        ]}
        for level in range(levels)
    }  # fmt: skip
    return {"$ref": "#/$defs/d0", "$defs": {**steps, f"d{levels}": last}}


def test_the_bound_lies_between_the_two_patterns() -> None:
    assert 350 * 700 < MAX_TRANSLATED < 360 * 720


@pytest.mark.parametrize(
    ("schema", "path", "message"),
    [
        ({"pattern": LONG}, ("pattern",), PATTERN),
        (
            {"properties": {"a": {"items": {"pattern": LONG}}}},
            ("properties", "a", "items", "pattern"),
            PATTERN,
        ),
        ({"patternProperties": {LONG: {}}}, ("patternProperties", LONG), PATTERN),
        ({"$defs": {"a": {"pattern": LONG}}}, ("$defs", "a", "pattern"), PATTERN),
        (doubling(20), (), REFERENCES),
        (doubling(12, 4), (), REFERENCES),
        (doubling(20, keyword="$dynamicRef"), (), REFERENCES),
    ],
)
def test_a_costly_schema(schema: Any, path: tuple[str, ...], message: str) -> None:
    with pytest.raises(SchemaRefused, match=f"^{message}$") as refused:
        compile_schema(schema)
    assert refused.value.pointer == join_pointer(path)


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        {"pattern": SHORT},
        {"pattern": "d" * 100_000},
        {"pattern": 5, "patternProperties": []},
        {"const": {"pattern": LONG}},
        {"properties": {"pattern": {"description": LONG}}},
        doubling(10),
        doubling(30, 1),
        {"$ref": "#", "anyOf": [{"$ref": "#"}] * 30},
        {"anyOf": [{"$ref": "#/$defs/a"}] * 30, "$defs": {"a": {"$ref": "#"}}},
        {"anyOf": [{"$ref": "#/$defs/none"}] * 30},
        {"anyOf": [{"$ref": 5}] * 30},
    ],
)
def test_a_usual_schema_costs_nothing_much(schema: Any) -> None:
    refuse_costly(schema)


@pytest.mark.parametrize(
    ("names", "reference"),
    [({"$anchor": "b"}, "#b"), ({"$dynamicAnchor": "b"}, "#b"), ({"$id": "urn:b"}, "urn:b")],
)
def test_parts_are_counted_through_names(names: dict[str, Any], reference: str) -> None:
    heavy = {"anyOf": [{"title": str(each)} for each in range(6_000)]}
    many = {"anyOf": [{"$ref": reference, "title": str(each)} for each in range(210)]}
    with pytest.raises(SchemaRefused, match=REFERENCES):
        refuse_costly({**many, "$defs": {"a": {**heavy, **names}}})
    refuse_costly({**many, "$defs": {"a": {**heavy, "title": "b"}}})
