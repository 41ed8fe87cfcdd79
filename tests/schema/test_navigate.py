"""Which parts of a schema speak of a place."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.schema.navigate import nodes_with_schemas, subschemas
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

SCHEMA: dict[str, Any] = {
    "description": "root",
    "properties": {
        "name": {"description": "name"},
        "inputs": {
            "description": "inputs",
            "properties": {"required": {"$ref": "#/$defs/list"}},
            "patternProperties": {"^x-": {"description": "extension"}},
            "additionalProperties": {"description": "other"},
        },
        "pair": {"prefixItems": [{"description": "first"}], "items": {"description": "rest"}},
        "loop": {"$ref": "#/$defs/loop"},
        "either": {
            "oneOf": [
                {"type": "string", "description": "text"},
                {
                    "type": "object",
                    "description": "table",
                    "properties": {"kind": {"const": "a"}, "x": {"description": "x of a"}},
                },
                {
                    "type": "object",
                    "description": "other table",
                    "properties": {"kind": {"const": "b"}, "x": {"description": "x of b"}},
                },
            ]
        },
        "all": {"description": "all", "allOf": [{"description": "part"}, True]},
        "a/b": {"description": "slash"},
        "anchored": {"$ref": "#item"},
        "remote": {"$ref": "http://example.org", "description": "stays here"},
    },
    "$defs": {
        "list": {"description": "list", "items": {"$ref": "#/$defs/item"}},
        "item": {"$anchor": "item", "description": "item"},
        "loop": {"description": "loop", "allOf": [{"$ref": "#/$defs/loop"}]},
    },
}


def said(pointer: str, *value: Any) -> list[str]:
    found = subschemas(SCHEMA, pointer, *value)
    return [each["description"] for each in found if "description" in each]


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", ["root"]),
        ("/name", ["name"]),
        ("/absent", []),
        ("/inputs/required", ["list"]),
        ("/inputs/required/0", ["item"]),
        ("/inputs/required/-", ["item"]),
        ("/inputs/x-mine", ["extension"]),
        ("/inputs/anything", ["other"]),
        ("/pair/0", ["first"]),
        ("/pair/1", ["rest"]),
        ("/pair/-", ["rest"]),
        ("/loop", ["loop"]),
        ("/either", ["text", "table", "other table"]),
        ("/either/x", ["x of a", "x of b"]),
        ("/all", ["all", "part"]),
        ("/a~1b", ["slash"]),
        ("/anchored", ["item"]),
        ("/remote", ["stays here"]),
    ],
)
def test_without_a_value(pointer: str, expected: list[str]) -> None:
    assert said(pointer) == expected


@pytest.mark.parametrize(
    ("value", "pointer", "expected"),
    [
        ({"either": "a"}, "/either", ["text"]),
        ({"either": {"kind": "b"}}, "/either", ["other table"]),
        ({"either": {"kind": "b"}}, "/either/x", ["x of b"]),
        ({"either": {}}, "/either/x", ["x of a", "x of b"]),
        ({}, "/either/x", ["x of a", "x of b"]),
        (None, "/name", ["name"]),
    ],
)
def test_a_value_rules_alternatives_out(value: Any, pointer: str, expected: list[str]) -> None:
    assert said(pointer, value) == expected


def test_all_nodes_of_a_document_have_the_schemas_of_their_pointers() -> None:
    text = '{"pair": [1, {"a~/b": 2}], "either": {"kind": "a", "x": 1}, "loop": {"loop": {}}}'
    document = read(Source(text), "json", Span(0, len(text)))
    found = list(nodes_with_schemas(SCHEMA, document))
    assert [pointer for pointer, *_ in found] == [pointer for pointer, _ in document.walk()]
    for pointer, _, schemas in found:
        assert schemas == subschemas(SCHEMA, pointer, document.value), pointer
