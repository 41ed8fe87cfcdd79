"""Whether one schema's values are all another's: a table of pairs, then values at random."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from skillstudio.schema.drafts import modern
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.inclusion import Escape, UndecidedVerdict, include
from skillstudio.schema.sample import stated_values
from skillstudio.schema.shape import value_key

ANY: dict[str, Any] = {}
TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
LIST = {"type": "array"}
OBJECT = {"type": "object"}


TREE = {"type": "object", "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}
"""Objects in objects of the same kind."""


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def opened(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (False, False),
        (False, TEXT),
        (TEXT, True),
        (True, ANY),
        (TEXT, {"title": "a", "description": "b", "examples": [1], "default": 3, "x-own": 2}),
        (TEXT, {"type": ["null", "string"], "$comment": "c", "deprecated": True}),
        (INTEGER, NUMBER),
        ({"type": ["integer", "number"]}, NUMBER),
        ({"type": "number", "minimum": 3, "maximum": 3.0}, INTEGER),
        ({"type": "integer", "minimum": 0.5}, {"type": "integer", "minimum": 1}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        ({"type": "integer", "exclusiveMaximum": 5}, {"maximum": 4}),
        ({"type": "integer", "minimum": 0, "maximum": 2}, {"enum": [0, 1.0, 2, "a"]}),
        ({"type": "integer", "minimum": 2, "maximum": 1}, False),
        ({"exclusiveMinimum": 1, "maximum": 1, "type": "number"}, False),
        ({"type": "boolean"}, {"enum": [False, True]}),
        ({"type": ["null", "boolean"]}, {"enum": [None, False, True, 0]}),
        ({"enum": [1]}, {"const": 1.0}),
        ({"const": {"a": [1, 2.0]}}, {"enum": [{"a": [1.0, 2]}]}),
        ({"enum": ["a", 2], "type": "string"}, {"const": "a"}),
        ({"enum": ["a"], "const": "b"}, False),
        ({"enum": []}, False),
        ({"type": "string", "pattern": "^[ab]$"}, {"enum": ["a", "b"]}),
        ({"type": "string", "maxLength": 0}, {"const": ""}),
        ({"type": "string", "minLength": 3}, {"minLength": 2}),
        ({"type": "string", "pattern": "^a{3}$"}, {"minLength": 3, "maxLength": 3}),
        ({"type": "string", "pattern": "^a*$", "maxLength": 3}, {"pattern": "^a{0,3}$"}),
        ({"type": "string", "pattern": "^a*$", "minLength": 1}, {"pattern": "a"}),
        ({"type": "string", "minLength": 2, "maxLength": 1}, False),
        ({"type": "string", "pattern": "a^"}, False),
        ({"type": "array", "items": INTEGER}, {"items": NUMBER}),
        ({"type": "array", "items": False}, {"maxItems": 0}),
        ({"type": "array", "items": False}, {"const": []}),
        ({"type": "array", "items": {"enum": []}, "minItems": 1}, False),
        ({"type": "array", "items": {"type": "null"}, "maxItems": 1}, {"enum": [[], [None]]}),
        ({"type": "array", "maxItems": 0, "items": TEXT}, {"items": INTEGER}),
        ({"type": "array", "minItems": 2}, {"minItems": 1}),
        ({"type": "object", "required": ["a", "b"]}, {"required": ["b"]}),
        (closed(a=TEXT), opened(a=TEXT)),
        (closed(a=TEXT), opened(a=TEXT, b=INTEGER)),
        (closed(a=False), {"const": {}}),
        (closed(a={"const": 1}), {"enum": [{}, {"a": 1}]}),
        (closed(a=INTEGER), {"additionalProperties": NUMBER}),
        ({**opened(a=False), "required": ["a"]}, False),
        ({"additionalProperties": INTEGER, "type": "object"}, opened(a=NUMBER)),
        ({"format": "date", **TEXT}, TEXT),
        ({"format": "date", **TEXT, "maxLength": 10}, {"format": "date", **TEXT}),
        ({"format": "date", **TEXT, "maxLength": 99}, {"format": "date", **TEXT, "maxLength": 50}),
        ({"format": "date", **TEXT}, {"minLength": 10, "maxLength": 10}),
        ({"format": "date", **TEXT}, {"format": "date", "pattern": "^\\d{4}-\\d\\d-\\d\\d$"}),
        ({"format": "email", **TEXT}, {"format": "email", "pattern": "@"}),
        ({"format": "ipv4", **TEXT}, {"maxLength": 15, "pattern": "^\\d+\\.\\d+\\.\\d+\\.\\d+$"}),
        ({"format": "uuid", **TEXT}, {"pattern": "^[0-9a-fA-F-]{36}$"}),
        ({"type": "string", "pattern": "^[0-9a-f]{8}-(0{4}-){3}0{12}$"}, {"format": "uuid"}),
        ({"format": "own", **TEXT, "maxLength": 3}, {"format": "own", "maxLength": 4}),
        ({"type": "integer", "multipleOf": 4}, {"multipleOf": 2}),
        ({"type": "integer", "multipleOf": 7, "maximum": 99}, {"multipleOf": 7.0, "maximum": 98}),
        ({"multipleOf": 3, "minimum": 4, "maximum": 5, "type": "number"}, False),
        ({"multipleOf": 3, "type": "number"}, INTEGER),
        ({"multipleOf": 0.5, **NUMBER, "maximum": 3}, {"multipleOf": 0.5, "maximum": 4}),
        ({**LIST, "maxItems": 1}, {"uniqueItems": True}),
        ({**LIST, "uniqueItems": True, "items": {"type": "boolean"}}, {"maxItems": 2}),
        ({**LIST, "uniqueItems": True, "minItems": 2, "items": {"const": 1}}, False),
        ({**LIST, "uniqueItems": True}, {"uniqueItems": False}),
        ({**OBJECT, "minProperties": 2, "maxProperties": 3}, {"minProperties": 1}),
        ({**OBJECT, "maxProperties": 3}, {"maxProperties": 4}),
        (
            {**opened(a={"not": {}, **TEXT}, b=INTEGER), "required": ["a"]},
            {**opened(a={"not": {}, **TEXT}, b=NUMBER), "required": ["a"]},
        ),
        ({**LIST, "items": {"not": {"const": 1}, "minimum": 3}}, {"items": {"not": {"const": 1}}}),
        ({"$ref": "#/$defs/a", "$defs": {"a": TEXT}, "minLength": 2, "type": "string"}, TEXT),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": TEXT}, "maximum": 2},
            {"$ref": "#/$defs/a", "$defs": {"a": TEXT}},
        ),
        ({"type": "string", "pattern": "^(?!x)a+$"}, {"pattern": "^a"}),
        ({"prefixItems": [TEXT], "type": "array", "minItems": 1}, {"minItems": 1}),
        (INTEGER, {"type": ["integer", "string"], "format": "date", "uniqueItems": True}),
        ({"enum": []}, {"oneOf": [TEXT]}),
        (
            {"patternProperties": {"^a": TEXT}, "additionalProperties": False, "type": "object"},
            OBJECT,
        ),
        # References, also to the schema itself.
        (opened(a=TEXT), opened(a={"oneOf": [TEXT]})),
        (TEXT, {"$ref": "#/$defs/a", "$defs": {"a": TEXT}}),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": "number"}}},
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": ["number", "null"]}}},
        ),
        (TREE, {**OBJECT, "properties": {"next": {"anyOf": [{"$ref": "#"}]}, "n": NUMBER}}),
        ({**TREE, "required": ["next"]}, False),
        (TREE, {"$ref": "#/$defs/t", "$defs": {"t": {**TREE, "properties": {
            "next": {"$ref": "#/$defs/t"}, "n": NUMBER}}}}),
        # Branches.
        ({"oneOf": [TEXT, INTEGER]}, {"oneOf": [INTEGER, TEXT]}),
        ({"anyOf": [TEXT, INTEGER]}, {"type": ["integer", "string"]}),
        (INTEGER, {"anyOf": [{"minimum": 1}, {"maximum": 0}]}),
        ({"type": "integer", "minimum": 0}, {"oneOf": [{"maximum": 4}, {"minimum": 5}]}),
        ({"allOf": [{"minimum": 1}, INTEGER, {"maximum": 4}]}, {"enum": [1, 2, 3, 4]}),
        ({"allOf": [TEXT, TEXT, {"maxLength": 3}]}, {"allOf": [{"maxLength": 3}, TEXT]}),
        ({"not": {"not": TEXT}}, TEXT),
        ({"not": {"type": ["string", "null"]}}, {"type": ["number", "boolean", "array", "object"]}),
        ({**NUMBER, "not": {"minimum": 3}}, {"exclusiveMaximum": 3}),
        ({**TEXT, "not": {"pattern": "^a"}}, {"not": {"const": "abc"}}),
        ({**TEXT, "pattern": "^a"}, {"anyOf": [{"pattern": "^ab"}, {"pattern": "^a([^b]|$)"}]}),
        ({"if": TEXT, "then": {"minLength": 2}, "else": False}, {**TEXT, "minLength": 1}),
        ({**TEXT, "minLength": 1}, {"if": TEXT, "then": {"minLength": 1}, "else": False}),
        ({"enum": ["a", 1]}, {"if": TEXT, "then": {"maxLength": 1}, "else": INTEGER}),
        # Lists.
        ({**LIST, "prefixItems": [INTEGER, TEXT]}, {"prefixItems": [NUMBER]}),
        ({**LIST, "items": INTEGER}, {"prefixItems": [NUMBER, NUMBER], "items": INTEGER}),
        ({**LIST, "prefixItems": [TEXT], "items": False}, {"maxItems": 1}),
        ({**LIST, "items": [INTEGER], "additionalItems": False}, {"items": [NUMBER]}),
        ({**LIST, "contains": {"const": 7}}, {"minItems": 1, "contains": INTEGER}),
        ({**LIST, "contains": INTEGER, "minContains": 2}, {"minItems": 2}),
        ({**LIST, "contains": TEXT, "maxContains": 1, "items": TEXT}, {"maxItems": 1}),
        ({**LIST, "items": INTEGER, "minItems": 3}, {"contains": NUMBER, "minContains": 3}),
        ({**LIST, "contains": INTEGER, "items": TEXT}, False),
        # Objects.
        (
            {**OBJECT, "patternProperties": {"^ab": INTEGER}, "additionalProperties": False},
            {"patternProperties": {"^a": NUMBER}, "additionalProperties": False},
        ),
        ({**OBJECT, "dependentRequired": {"a": ["b", "c"]}}, {"dependentRequired": {"a": ["b"]}}),
        ({**OBJECT, "required": ["b"]}, {"dependencies": {"a": ["b"]}}),
        (
            {**OBJECT, "dependencies": {"a": {"required": ["b"]}}},
            {"dependentRequired": {"a": ["b"]}},
        ),
        ({**OBJECT, "propertyNames": {"enum": ["a", "b"]}}, {"maxProperties": 2}),
        ({**OBJECT, "minProperties": 1, "propertyNames": {"const": "a"}}, {"required": ["a"]}),
        ({**NUMBER, "multipleOf": 1.5}, {"multipleOf": 0.5}),
    ],
)  # fmt: skip
def test_included(narrow: Any, wide: Any) -> None:
    assert include(narrow, wide, strict=True) is None


@pytest.mark.parametrize(
    ("narrow", "wide", "value", "pointer"),
    [
        (True, False, "", ""),
        ({"type": "null"}, False, None, ""),
        ({"type": ["null", "string"]}, TEXT, None, "/type"),
        (NUMBER, INTEGER, 0.5, "/type"),
        ({"type": "boolean"}, {"enum": [0, 1]}, False, "/enum"),
        ({"const": True}, {"const": 1}, True, "/const"),
        ({"const": 0}, {"const": False}, 0, "/const"),
        ({"enum": [1, [True]]}, {"enum": [1, [1]]}, [True], "/enum"),
        (INTEGER, {"minimum": 1}, 0, "/minimum"),
        (INTEGER, {"exclusiveMinimum": 1}, 1, "/exclusiveMinimum"),
        ({"type": "integer", "maximum": 20}, {"maximum": 10}, 11, "/maximum"),
        ({"type": "number", "maximum": 20}, {"exclusiveMaximum": 10}, 10, "/exclusiveMaximum"),
        ({"type": "number", "minimum": 0.1, "maximum": 0.9}, {"maximum": 0.8}, 0.9, "/maximum"),
        ({"type": "number", "minimum": 10**30}, {"maximum": 0}, 10**30, "/maximum"),
        ({"type": "integer", "minimum": 0, "maximum": 3}, {"enum": [0, 1, 3]}, 2, "/enum"),
        (TEXT, {"minLength": 2}, "a", "/minLength"),
        (TEXT, {"maxLength": 2}, "aaa", "/maxLength"),
        ({"type": "string", "minLength": 9}, {"maxLength": 4}, "a" * 9, "/maxLength"),
        ({"type": "string", "pattern": "^b+$"}, {"minLength": 3}, "b", "/minLength"),
        ({"type": "string", "pattern": "^(bb)+$"}, {"maxLength": 2}, "bbbb", "/maxLength"),
        ({"type": "string", "pattern": "^b*$"}, {"pattern": "^b?$"}, "bb", "/pattern"),
        ({"type": "string", "minLength": 3}, {"pattern": "^a"}, "baa", "/pattern"),
        (TEXT, {"pattern": "^(?!x).+$"}, "", "/pattern"),
        ({"type": "string", "pattern": "^x?y$"}, {"pattern": "^(?!x).+$"}, "xy", "/pattern"),
        ({"type": "string", "pattern": "^(?=x)[a-z]+$"}, {"pattern": "y"}, "x", "/pattern"),
        ({"type": "string", "default": "q7"}, {"pattern": "^(?!q7)"}, "q7", "/pattern"),
        (LIST, {"minItems": 1}, [], "/minItems"),
        (LIST, {"maxItems": 1}, ["", ""], "/maxItems"),
        ({"type": "array", "items": INTEGER}, {"items": {"minimum": 0}}, [-1], "/items/minimum"),
        ({"type": "array", "items": {"enum": [None]}}, {"items": TEXT}, [None], "/items/type"),
        (OBJECT, {"required": ["a"]}, {}, "/required"),
        (opened(a=TEXT), closed(a=TEXT), {"extra": ""}, "/additionalProperties"),
        (opened(a=TEXT), {"additionalProperties": False}, {"a": ""}, "/additionalProperties"),
        (opened(a=TEXT), opened(a=INTEGER), {"a": ""}, "/properties/a/type"),
        (
            {**opened(a=NUMBER, b=TEXT), "required": ["b"]},
            opened(a=INTEGER),
            {"b": "", "a": 0.5},
            "/properties/a/type",
        ),
        (opened(**{"a/b~": TEXT}), opened(**{"a/b~": False}), {"a/b~": ""}, "/properties/a~1b~0"),
        ({"type": "object", "required": ["a"]}, opened(a=TEXT), {"a": 0}, "/properties/a/type"),
        (INTEGER, {"multipleOf": 2}, 1, "/multipleOf"),
        ({"type": "integer", "multipleOf": 5, "maximum": 99}, {"maximum": 50}, 55, "/maximum"),
        (TEXT, {"format": "date"}, "", "/format"),
        ({"type": "string", "pattern": "^q"}, {"format": "uri-reference"}, "q ", "/format"),
        ({"format": "date-time", **TEXT}, {"format": "time"}, "2000-01-01T00:00:00Z", "/format"),
        ({"format": "date", **TEXT}, {"maxLength": 3}, "2000-01-01", "/maxLength"),
        ({"format": "date", **TEXT}, {"pattern": "^20"}, "2100-01-01", "/pattern"),
        (
            {"format": "uri", **TEXT, "maxLength": 2000},
            {"format": "uri", "maxLength": 1000},
            "a" * 1000 + ":",
            "/maxLength",
        ),
        (
            {"format": "email", **TEXT, "pattern": "@corp\\.(com|org)$"},
            {"format": "email", "pattern": "@corp\\.com$"},
            "a@corp.org",
            "/pattern",
        ),
        ({"format": "hostname", **TEXT}, {"minLength": 3}, "a", "/minLength"),
        ({**OBJECT, "properties": {"a": {"format": "date", **TEXT}}, "required": ["a"]},
         {"properties": {"a": {"maxLength": 9}}}, {"a": "2000-01-01"}, "/properties/a/maxLength"),
        ({**NUMBER, "multipleOf": 0.5, "maximum": 3}, {"maximum": 2.8}, 3, "/maximum"),
        (NUMBER, {"multipleOf": 2}, 0.5, "/multipleOf"),
        ({"multipleOf": 6, **NUMBER, "minimum": 7}, {"multipleOf": 4}, 18, "/multipleOf"),
        ({**INTEGER, "multipleOf": 7, "maximum": 9999}, {"maximum": 9990}, 9996, "/maximum"),
        (LIST, {"uniqueItems": True}, ["", ""], "/uniqueItems"),
        ({**LIST, "items": INTEGER, "minItems": 3}, {"uniqueItems": True}, [0] * 3, "/uniqueItems"),
        (
            {**LIST, "items": INTEGER, "uniqueItems": True},
            {"maxItems": 2},
            [0, 1, -1],
            "/maxItems",
        ),
        (
            {**LIST, "items": INTEGER, "uniqueItems": True, "minItems": 2},
            {"items": {"minimum": 4}},
            [3, 0],
            "/items/minimum",
        ),
        ({**OBJECT, "maxProperties": 3}, {"maxProperties": 1}, {"extra": "", "extra2": ""},
         "/maxProperties"),
        (
            {**opened(a=TEXT), "minProperties": 2},
            {**opened(a={"maxLength": 3}), "minProperties": 2},
            {"extra": "", "a": "aaaa"},
            "/properties/a/maxLength",
        ),
        (
            {**opened(a=TEXT), "dependentRequired": {"a": ["b"]}},
            opened(a=INTEGER),
            {"a": "", "b": ""},
            "/properties/a/type",
        ),
        (
            {"patternProperties": {"^x": TEXT}, "additionalProperties": False, **OBJECT},
            {"patternProperties": {"^x": {"maxLength": 3}}},
            {"x": "aaaa"},
            "/patternProperties/^x/maxLength",
        ),
        (
            {**OBJECT, "propertyNames": {"pattern": "^x"}},
            {"maxProperties": 0},
            {"x": ""},
            "/maxProperties",
        ),
        ({**LIST, "contains": {"const": 7}}, {"maxItems": 0}, ["", 7], "/maxItems"),
        ({**LIST, "prefixItems": [TEXT], "items": INTEGER}, {"maxItems": 1}, ["", 0], "/maxItems"),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {**TEXT, "pattern": "^abc"}}},
            {"$ref": "#/$defs/a", "$defs": {"a": {**TEXT, "pattern": "^abcd"}}},
            "abc",
            "/$defs/a/pattern",
        ),
        (
            {"anyOf": [{**TEXT, "pattern": "^q"}, {**OBJECT, "required": ["r"]}]},
            {"not": {"required": ["r"]}},
            "q",
            "/not",
        ),
        (
            {"type": "string", "pattern": "^(?!foo)[a-z]+$", "maxLength": 64},
            {"maxLength": 32},
            "a" * 33,
            "/maxLength",
        ),
        (INTEGER, {"anyOf": [{"minimum": 1}, {"maximum": -1}]}, 0, "/anyOf"),
        (opened(a=TEXT), opened(a=TEXT, b=False), {"b": ""}, "/properties/b"),
        (LIST, {"items": [TEXT]}, [0], "/items/0/type"),
        ({**LIST, "items": [TEXT]}, {"items": [TEXT], "additionalItems": False}, ["", ""],
         "/additionalItems"),
        (OBJECT, {"dependencies": {"a": ["b"]}}, {"a": ""}, "/dependencies"),
        (
            {**TREE, "properties": {**TREE["properties"], "n": NUMBER}},
            {"$ref": "#/$defs/t", "$defs": {"t": {**TREE, "properties": {
                "next": {"$ref": "#/$defs/t"}, "n": INTEGER}}}},
            {"n": 0.5},
            "/$defs/t/properties/n/type",
        ),
        ({**LIST, "items": INTEGER}, {"contains": {"minimum": 5}}, [], "/contains"),
        ({**OBJECT, "maxProperties": 200}, {"maxProperties": 60},
         {"extra" + str(n or ""): "" for n in (0, *range(2, 62))}, "/maxProperties"),
        (
            {**OBJECT, "properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"]},
            {"oneOf": [
                {"properties": {"kind": {"const": "a"}}},
                {"properties": {"kind": {"const": "b"}}, "required": ["x"]},
            ]},
            {"kind": "b"},
            "/oneOf",
        ),
    ],
)  # fmt: skip
def test_escapes(narrow: Any, wide: Any, value: Any, pointer: str) -> None:
    found = include(narrow, wide)
    assert isinstance(found, Escape), found
    assert found.pointer == pointer
    assert value_key(found.value) == value_key(value)
    assert compile_schema(modern(narrow)).is_valid(found.value)
    assert not compile_schema(modern(wide)).is_valid(found.value)


@pytest.mark.parametrize(
    ("narrow", "wide", "keyword", "pointer"),
    [
        (TEXT, {"type": "strng"}, "type", "/type"),
        (TEXT, {"type": "string", "pattern": "("}, "pattern", "/pattern"),
        (NUMBER, {"minimum": "1"}, "minimum", "/minimum"),
        (NUMBER, {"minimum": float("nan")}, "minimum", "/minimum"),
        (NUMBER, {"maximum": True}, "maximum", "/maximum"),
        (TEXT, {"maxLength": -1}, "maxLength", "/maxLength"),
        (OBJECT, {"required": "a"}, "required", "/required"),
        (OBJECT, {"properties": ["a"]}, "properties", "/properties"),
        (OBJECT, {"properties": {"a": 3}}, "properties", "/properties"),
        (LIST, {"items": 3}, "items", "/items"),
        (TEXT, {"not": {"$ref": "#"}}, "", ""),
        (TEXT, {"$ref": "https://example.com/a"}, "$ref", "/$ref"),
        ({"$ref": "https://example.com/a"}, TEXT, "$ref", "/$ref"),
        (TEXT, {"format": "own"}, "format", "/format"),
        ({"type": "string", "pattern": "(a)\\1"}, {"pattern": "aa"}, "pattern", "/pattern"),
        (INTEGER, {"multipleOf": 0}, "multipleOf", "/multipleOf"),
        (LIST, {"uniqueItems": 1}, "uniqueItems", "/uniqueItems"),
        (TEXT, {"$dynamicRef": "#a", "$dynamicAnchor": "a"}, "$dynamicRef", "/$dynamicRef"),
        (TEXT, {"anyOf": [{"format": "own"}, {"maxLength": 1}]}, "format", "/anyOf/0/format"),
        ({"type": "string", "maxLength": 10**9}, {"maxLength": 10**8}, "maxLength", "/maxLength"),
        ({"type": "string", "minLength": 10**9}, {"enum": ["a"]}, "enum", "/enum"),
        (LIST, {"maxItems": 10**8}, "maxItems", "/maxItems"),
        (
            {"type": "string", "pattern": "^(?!foo)[a-z]+$"},
            {"type": "string", "pattern": "^(?!foo|fo{2}|q)[a-z]+$|q"},
            "pattern",
            "/pattern",
        ),
        (
            {"type": "number", "minimum": 10**17, "maximum": 10**18},
            INTEGER,
            "type",
            "/type",
        ),
        # Included: the first item is all that the prefix evaluates.
        (
            {**LIST, "prefixItems": [TEXT], "unevaluatedItems": False},
            {"maxItems": 1},
            "unevaluatedItems",
            "/unevaluatedItems",
        ),
        # Included: a second item would equal the first one.
        (
            {**LIST, "prefixItems": [{"const": 1}], "items": {"const": 1}, "uniqueItems": True},
            {"maxItems": 1},
            "uniqueItems",
            "/uniqueItems",
        ),
        # Included: without other subschemas it means the same as `additionalProperties`.
        (
            {**opened(a=TEXT), "unevaluatedProperties": False},
            closed(a=TEXT),
            "unevaluatedProperties",
            "/unevaluatedProperties",
        ),
        # Included: the property of the branch counts as evaluated.
        (
            {"allOf": [opened(a=TEXT)], "properties": {"b": TEXT}, "unevaluatedProperties": False},
            closed(a=TEXT, b=TEXT),
            "unevaluatedProperties",
            "/unevaluatedProperties",
        ),
    ],
)  # fmt: skip
def test_undecided(narrow: Any, wide: Any, keyword: str, pointer: str) -> None:
    found = include(narrow, wide)
    assert isinstance(found, UndecidedVerdict), found
    assert (found.keyword, found.pointer) == (keyword, pointer)
    assert found.reason


def test_a_property_that_an_open_object_left_open_may_be_described_later() -> None:
    later = opened(a=TEXT, b=INTEGER)
    assert include(opened(a=TEXT), later) is None
    assert include({"items": opened(a=TEXT), **LIST}, {"items": later}) is None
    assert include(opened(a=TEXT), later, strict=True) == Escape({"b": ""}, "/properties/b/type")
    required = {**later, "required": ["b"]}
    assert include(opened(a=TEXT), required) == Escape({}, "/required")
    assert isinstance(include({**opened(), "additionalProperties": TEXT}, later), Escape)


def test_the_same_schema_is_included_whatever_it_says() -> None:
    odd = {"type": "strng", "$ref": "https://example.com/a", "pattern": "(", "oneOf": 3}
    assert include(odd, odd) is None
    assert include(odd, json.loads(json.dumps(odd))) is None
    references = {"properties": {"a": {"$ref": "#"}}}
    assert include(references, json.loads(json.dumps(references))) is None


def nested(depth: int, innermost: Any) -> Any:
    schema = innermost
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize("depth", [65, 5_000])
def test_deep_schemas_are_not_looked_into(depth: int) -> None:
    found = include(nested(depth, TEXT), nested(depth, INTEGER))
    assert found == UndecidedVerdict("", "", "the schema is nested more than 64 levels deep")


def test_schemas_of_usual_depth_are() -> None:
    found = include(nested(30, NUMBER), nested(30, INTEGER))
    assert isinstance(found, Escape)
    assert found.pointer == "/items" * 30 + "/type"


def test_a_schema_that_shares_its_parts_does_not_explode() -> None:
    one: Any = TEXT
    other: Any = {"type": "string", "title": "a"}
    for _ in range(40):
        one = {"properties": {"a": one, "b": one}}
        other = {"properties": {"a": other, "b": other}}
    start = time.process_time()
    assert isinstance(include(one, other), UndecidedVerdict)
    assert time.process_time() - start < 3


def test_many_properties_take_no_longer_than_their_number() -> None:
    names = [f"input-{index}" for index in range(2_000)]
    one = opened(**{name: {"type": "integer", "minimum": 1} for name in names})
    other = opened(**{name: {"type": "integer", "minimum": 0} for name in names})
    start = time.process_time()
    assert include(one, other) is None
    found = include(other, one)
    assert time.process_time() - start < 2
    assert found == Escape({names[0]: 0}, f"/properties/{names[0]}/minimum")


def test_long_lists_of_values_are_compared_by_their_keys() -> None:
    one = {"enum": [f"value-{index}" for index in range(10_000)]}
    other = {"enum": [*reversed(one["enum"]), None]}
    start = time.process_time()
    assert include(one, other) is None
    assert include(other, one) == Escape(None, "/enum")
    assert time.process_time() - start < 1


def many(*options: Any) -> Any:
    return {"allOf": [{"anyOf": [{"const": [n, each]} for each in options]} for n in range(24)]}


HOSTILE: dict[str, tuple[Any, Any]] = {
    "exponential anyOf": (
        {"allOf": [{"anyOf": [{"pattern": f"a{n}"}, {"pattern": f"b{n}"}]} for n in range(24)]},
        {"type": "string", "pattern": "^c"},
    ),
    "oneOf of oneOf": (
        {"oneOf": [{"oneOf": [{"multipleOf": n * m} for m in range(1, 9)]} for n in range(1, 9)]},
        {"oneOf": [{"multipleOf": n} for n in range(1, 40)]},
    ),
    "references to references": (
        {
            "$ref": "#/$defs/d0",
            "$defs": {
                **{f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 4} for n in range(40)},
                "d40": {"minimum": 1},
            },
        },
        {"maximum": 3},
    ),
    "references in a circle": (
        {
            "allOf": [{"$ref": "#/$defs/a"}],
            "$defs": {
                "a": {"anyOf": [{"$ref": "#/$defs/b"}, TEXT]},
                "b": {"anyOf": [{"$ref": "#/$defs/a"}]},
            },
        },
        INTEGER,
    ),
    "a tree of lists": (
        {"type": "array", "items": {"$ref": "#"}, "minItems": 2, "uniqueItems": True},
        {"type": "array", "items": {"type": "array", "maxItems": 3}},
    ),
    "many properties of many kinds": (
        {"patternProperties": {f"^{chr(97 + n)}": {"minimum": n} for n in range(20)}},
        {"patternProperties": {f"{chr(97 + n)}$": {"maximum": n} for n in range(20)}},
    ),
    "many counted items": (
        {"type": "array", "contains": {"minimum": 3}, "minContains": 1500},
        {"type": "array", "contains": {"minimum": 4}, "minContains": 1499},
    ),
    "deep negations": (
        {"not": {"not": {"not": many("a", "b", "c")}}},
        {"not": many("b", "c", "d")},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_are_bounded(name: str) -> None:
    for narrow, wide in (HOSTILE[name], HOSTILE[name][::-1]):
        start = time.process_time()
        include(narrow, wide, strict=True)
        assert time.process_time() - start < 3


@pytest.mark.parametrize("stated", [float("nan"), float("inf"), {"a": float("-inf")}])
def test_what_json_does_not_have_proves_nothing(stated: Any) -> None:
    narrow = {"type": ["number", "object"], "default": stated, "examples": [stated], "allOf": []}
    assert list(stated_values(narrow)) == []
    assert not isinstance(include(narrow, {"type": ["number", "object"]}), Escape)


def test_comparing_plain_schemas_loads_no_second_engine() -> None:
    program = (
        "import sys\n"
        "from skillstudio.schema.inclusion import include, Escape\n"
        "old = {'type': 'object', 'properties': {'a': {'type': 'string', 'pattern': '^a+$'}}}\n"
        "new = {'type': 'object', 'properties': {'a': {'type': 'string', 'pattern': '^a{3}$'}}}\n"
        "assert isinstance(include(old, new), Escape)\n"
        "print('jsonschema_rs' in sys.modules, 'jsonschema' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "True False\n", done.stderr
