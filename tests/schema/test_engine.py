"""Both engines say the same, reach for nothing outside, and always come to an end."""

from __future__ import annotations

import time
from typing import Any

import pytest

from skillstudio.schema.engine import (
    ENGINES,
    MAX_TRANSLATED,
    check_schema,
    compile_schema,
    refuse_costly,
)
from skillstudio.schema.outcome import SchemaError, SchemaRefused
from skillstudio.text.node import join_pointer

ERRORS: list[tuple[Any, Any, list[tuple[str, tuple[Any, ...], tuple[Any, ...], Any]]]] = [
    ({"required": ["a", "b"]}, {}, [
        ("required", (), ("required",), "a"), ("required", (), ("required",), "b")]),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1, "b": 2, "\ud83d": 3}, [
        ("additionalProperties", (), ("additionalProperties",), ["b", "\ud83d"])]),
    ({"additionalProperties": {"type": "null"}}, {"b": 2}, [
        ("type", ("b",), ("additionalProperties", "type"), ["null"])]),
    ({"patternProperties": {"^a": {"type": "null"}}}, {"ab": 2, "b": 3}, [
        ("type", ("ab",), ("patternProperties", "^a", "type"), ["null"])]),
    ({"type": ["null", "string"]}, 1, [("type", (), ("type",), ["string", "null"])]),
    ({"enum": ["a", 1, None]}, "b", [("enum", (), ("enum",), ["a", 1, None])]),
    ({"const": "\ud83d"}, "b", [("const", (), ("const",), "\ud83d")]),
    ({"pattern": "^a"}, "b", [("pattern", (), ("pattern",), "^a")]),
    ({"format": "date"}, "b", [("format", (), ("format",), "date")]),
    ({"minimum": 2}, 1, [("minimum", (), ("minimum",), 2)]),
    ({"maximum": 2}, 10**30, [("maximum", (), ("maximum",), 2)]),
    ({"exclusiveMinimum": 2}, 2, [("exclusiveMinimum", (), ("exclusiveMinimum",), 2)]),
    ({"multipleOf": 2}, 3, [("multipleOf", (), ("multipleOf",), 2)]),
    ({"minLength": 2}, "a", [("minLength", (), ("minLength",), 2)]),
    ({"maxLength": 0}, "a", [("maxLength", (), ("maxLength",), 0)]),
    ({"minItems": 1}, [], [("minItems", (), ("minItems",), 1)]),
    ({"maxProperties": 0}, {"a": 1}, [("maxProperties", (), ("maxProperties",), 0)]),
    ({"uniqueItems": True}, [1, 1], [("uniqueItems", (), ("uniqueItems",), None)]),
    ({"items": {"type": "null"}}, [None, 1], [("type", (1,), ("items", "type"), ["null"])]),
    ({"prefixItems": [True], "items": False}, [1, 2], [("false", (1,), ("items",), None)]),
    ({"properties": {"a": False}}, {"a": 1}, [("false", ("a",), ("properties", "a"), None)]),
    ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, [
        ("propertyNames", (), ("propertyNames", "pattern"), "b")]),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [
        ("dependentRequired", (), ("dependentRequired",), "b")]),
    ({"anyOf": [{"type": "null"}, {"minimum": 3}]}, 1, [("anyOf", (), ("anyOf",), None)]),
    ({"oneOf": [{"type": "null"}, False]}, 1, [("oneOf", (), ("oneOf",), None)]),
    ({"oneOf": [True, True]}, 1, [("oneOf", (), ("oneOf",), True)]),
    ({"not": {}}, 1, [("not", (), ("not",), None)]),
    ({"contains": {"type": "null"}}, [1], [("contains", (), ("contains",), None)]),
    ({"if": {"type": "integer"}, "then": {"minimum": 5}}, 1, [
        ("minimum", (), ("then", "minimum"), 5)]),
    ({"properties": {"a": {"$ref": "#/$defs/q"}}, "$defs": {"q": {"minLength": 2}}}, {"a": "x"}, [
        ("minLength", ("a",), ("$defs", "q", "minLength"), 2)]),
    ({"type": "number"}, float("nan"), [("type", (), ("type",), ["number"])]),
    (False, 1, [("false", (), (), None)]),
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("schema", "value", "expected"), ERRORS)
def test_errors(
    engine: str,
    schema: Any,
    value: Any,
    expected: list[tuple[str, tuple[Any, ...], tuple[Any, ...], Any]],
) -> None:
    found = compile_schema(schema, engine).errors(value)
    assert sorted((error[:4] for error in found), key=repr) == sorted(expected, key=repr)


@pytest.mark.parametrize(("schema", "value", "_"), ERRORS)
def test_both_engines_use_the_same_words(schema: Any, value: Any, _: Any) -> None:
    rs, py = (compile_schema(schema, engine).errors(value) for engine in ENGINES)
    assert sorted(error.message for error in rs) == sorted(error.message for error in py)


@pytest.mark.parametrize("engine", ENGINES)
def test_messages_never_hold_the_value(engine: str) -> None:
    secret = "hunter2-hunter2"
    for keywords in (
        {"type": "null"}, {"enum": [1]}, {"const": 1}, {"pattern": "^x$"}, {"maxLength": 1},
        {"format": "date"}, {"not": {}}, {"anyOf": [False]}, False,
    ):  # fmt: skip
        (error,) = compile_schema(keywords, engine).errors(secret)
        assert secret not in error.message


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}, "/properties/a/$ref"),
        ({"$ref": "https://example.org/schema.json"}, "/$ref"),
        ({"$ref": "file:///etc/passwd"}, "/$ref"),
        ({"$ref": "other.json"}, "/$ref"),
        ({"$ref": "#/$defs/absent"}, "/$ref"),
        ({"$ref": "#absent"}, "/$ref"),
        ({"type": "strin"}, "/type"),
        ({"properties": {"a": {"minimum": "1"}}}, "/properties/a/minimum"),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern"),
        (3, ""),
    ],
)
def test_schemas_that_are_refused(engine: str, schema: Any, pointer: str) -> None:
    with pytest.raises(SchemaRefused) as refused:
        compile_schema(schema, engine)
    assert refused.value.pointer == pointer


def test_the_stand_in_refuses_what_it_cannot_judge() -> None:
    with pytest.raises(SchemaRefused, match="look-ahead") as refused:
        compile_schema({"properties": {"a": {"pattern": "(?=a)b"}}}, "jsonschema")
    assert refused.value.pointer == "/properties/a/pattern"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "(x+x+)+y", "^([a-z]+)*@$"])
def test_no_pattern_hangs_an_engine(engine: str, pattern: str) -> None:
    text = ("x" if "x" in pattern else "a") * 3_000 + "!"
    for schema, value in (
        ({"pattern": pattern}, text),
        ({"patternProperties": {pattern: False}}, {text: 1}),
    ):
        start = time.process_time()
        compile_schema(schema, engine).is_valid(value)
        assert time.process_time() - start < 2


def test_a_pattern_that_backtracks_too_much_is_called_expensive() -> None:
    (error,) = compile_schema({"pattern": "(?=(a|aa)+$)\\1b"}).errors("a" * 60)
    assert (error.keyword, error.params) == ("pattern", {"expensive": True})
    assert error.message == "the pattern is too expensive to match against this value"


@pytest.mark.parametrize("engine", ENGINES)
def test_values_of_every_kind_are_taken(engine: str) -> None:
    validator = compile_schema({"items": {"type": "string"}}, engine)
    values = [10**400, -(10**30), float("nan"), float("-inf"), "\udcff", {"\ud800": 1}, {3: 4}]
    found = validator.errors(values)
    assert sorted(error.instance[0] for error in found) == [0, 1, 2, 3, 5, 6]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_of_references_ends(engine: str) -> None:
    schema = {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        "$ref": "#/$defs/a",
    }
    assert compile_schema(schema, engine).is_valid({"x": [1]})


def test_an_engine_that_is_none() -> None:
    with pytest.raises(ValueError, match="unknown engine"):
        compile_schema({}, "other")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "pattern": "(", "x-own": 1, "unknown": 2}, []),
        ({"patternProperties": {"(": {}}}, []),
        ({"$ref": "http://example.org"}, []),
        (True, []),
        ({"type": "strin"}, [("anyOf", ("type",))]),
        ({"properties": {"a": {"minimum": "1"}}}, [("type", ("properties", "a", "minimum"))]),
        ({"enum": 3}, [("type", ("enum",))]),
        ({"required": ["a", "a"]}, [("uniqueItems", ("required",))]),
        ({"minLength": -1}, [("minimum", ("minLength",))]),
        ({"items": [{}]}, [("type", ("items",))]),
        ({"$ref": "#/absent"}, [("$ref", ("$ref",))]),
        (3, [("type", ())]),
    ],
)
def test_check_schema(
    engine: str, schema: Any, expected: list[tuple[str, tuple[Any, ...]]]
) -> None:
    found: list[SchemaError] = check_schema(schema, engine)
    assert [(error.keyword, error.instance) for error in found] == expected


# Which schemas no engine is given, and where in them the cost lies

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


ITEMS = {"items": {"type": "object", "required": ["a", "b"]}}
FEW = [{} for _ in range(40)]
LISTS: list[tuple[Any, Any]] = [
    # Each of 40 items lacks both keys: 80 errors.
    ({"properties": {"x": ITEMS}}, {"x": FEW}),
    ({"properties": {"x": ITEMS, "y": ITEMS}}, {"x": FEW, "y": FEW}),
    # Only the last items have errors, or no item has.
    ({"properties": {"x": ITEMS}}, {"x": [{"a": 1, "b": 2}] * 30 + FEW}),
    ({"properties": {"x": ITEMS}}, {"x": [{"a": 1, "b": 2}] * 40}),
    # The list as a whole is at fault, too, or a list of lists is.
    ({"properties": {"x": {**ITEMS, "maxItems": 20}}}, {"x": FEW}),
    ({"properties": {"x": {**ITEMS, "uniqueItems": True}}}, {"x": FEW}),
    ({"properties": {"x": {**ITEMS, "minItems": 90}}}, {"x": FEW}),
    ({"properties": {"x": {**ITEMS, "type": "string"}}}, {"x": FEW}),
    ({"properties": {"x": {"items": ITEMS}}}, {"x": [FEW] * 3}),
    ({"properties": {"x": ITEMS}, "not": {"properties": {"x": {"minItems": 30}}}}, {"x": FEW}),
    ({"if": {"properties": {"x": {"maxItems": 20}}}, "else": {"required": ["z"]},
      "properties": {"x": ITEMS}}, {"x": FEW}),
    ({"additionalProperties": False, "properties": {"x": ITEMS}}, {"w": 1, "x": FEW, "z": 1}),
    (ITEMS, FEW),
]  # fmt: skip


@pytest.mark.parametrize("most", [1, 5, 10, 60, 100])
@pytest.mark.parametrize(("schema", "value"), LISTS)
def test_the_first_errors_are_the_first_of_all(schema: Any, value: Any, most: int) -> None:
    validator = compile_schema(schema, "jsonschema-rs")
    assert validator.errors(value, most) == validator.errors(value)[:most]


@pytest.mark.slow
def test_a_list_of_errors_costs_little() -> None:
    """jsonschema-rs makes all errors of a value before it gives the first."""
    schema = {"properties": {"x": ITEMS}}
    validator = compile_schema(schema, "jsonschema-rs")
    long = {"x": [{} for _ in range(30_000)]}
    began = time.process_time()
    whole = validator.errors(long)
    middle = time.process_time()
    assert validator.errors(long, 100) == whole[:100]
    assert (time.process_time() - middle) * 5 < middle - began
