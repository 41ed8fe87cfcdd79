"""Keywords of earlier drafts in the words of 2020-12."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.schema.drafts import modern, place_as_written

OLD = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"items": [True, {"type": "null"}]}, {"prefixItems": [True, {"type": "null"}]}),
        ({"items": [True], "additionalItems": False}, {"prefixItems": [True], "items": False}),
        ({"additionalItems": False}, {}),
        ({"items": {"minimum": 1}, "additionalItems": False}, {"items": {"minimum": 1}}),
        (
            {"dependencies": {"a": ["b"], "c": {"minimum": 1}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"minimum": 1}}},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"minimum": 1, "exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"properties": {"items": {"items": []}}}, {"properties": {"items": {"prefixItems": []}}}),
        ({"$schema": OLD, "$ref": "#/definitions/a", "minimum": 1, "definitions": {"a": True}},
         {"$ref": "#/definitions/a", "definitions": {"a": True}}),
    ],
)  # fmt: skip
def test_earlier_keywords_are_rewritten(old: Any, new: Any) -> None:
    assert modern(old) == new


@pytest.mark.parametrize(
    "schema",
    [True, {}, {"$ref": "#", "minimum": 1}, {"items": {"type": "null"}}, {"prefixItems": [True]}],
)
def test_a_modern_schema_is_the_same(schema: Any) -> None:
    assert modern(schema) is schema


@pytest.mark.parametrize(
    ("pointer", "written"),
    [
        ("/prefixItems/0/minimum", "/items/0/minimum"),
        ("/items/type", "/additionalItems/type"),
        ("/properties/a/dependentRequired", "/properties/a/dependencies"),
        ("/properties/b/items", "/properties/b/items"),
    ],
)
def test_places_are_those_of_the_schema_as_it_is_written(pointer: str, written: str) -> None:
    schema = {
        "items": [{"minimum": 1}],
        "additionalItems": {"type": "null"},
        "properties": {"a": {"dependencies": {"b": ["c"]}}, "b": {"items": True}},
    }
    assert place_as_written(schema, pointer) == written
