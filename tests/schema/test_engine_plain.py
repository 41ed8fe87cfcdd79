"""The engine for plain keywords says what jsonschema-rs says, or leaves the schema to it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.schema.engine import compile_schema
from skillstudio.schema.engine_plain import plain_validator
from skillstudio.schema.inclusion import Escape, include
from skillstudio.schema.outcome import Validator
from skillstudio.schema.sample import stated_values

VALUES: tuple[Any, ...] = (
    None, False, True, 0, 1, 1.0, -1, 2, 2.5, 10**20, -0.0, 1e300,
    "", "a", "ab", "abc", "é", "𝒳", "1", "2026-01-02", "a\n", "word_1",
    [], [0], [1], [1.0], [True], ["a", "b"], [None, 1], [[1]],
    {}, {"a": 1}, {"a": "x"}, {"b": 2}, {"a": 1, "b": [1]}, {"a": {"a": 1}},
)  # fmt: skip
PLAIN: tuple[Any, ...] = (
    True, False, {}, {"type": "string"}, {"type": ["integer", "null"]}, {"type": "number"},
    {"type": "integer"}, {"type": "array"}, {"type": ["object", "boolean"]},
    {"enum": []}, {"enum": [1, "a", None]}, {"enum": [True, [1]]}, {"const": 1.0},
    {"const": {"a": 1}}, {"const": [True]}, {"const": False},
    {"minimum": 1}, {"maximum": 1.5}, {"exclusiveMinimum": 0}, {"exclusiveMaximum": 2},
    {"minimum": 10**20}, {"maximum": -0.0}, {"exclusiveMaximum": 1e300},
    {"minLength": 2}, {"maxLength": 1}, {"minLength": 1.0}, {"minItems": 1}, {"maxItems": 1},
    {"pattern": "^a"}, {"pattern": "b$"}, {"pattern": r"^\d{4}-\d{2}-\d{2}$"},
    {"pattern": r"\w"}, {"pattern": "^.$"}, {"pattern": r"\bb|1"}, {"pattern": r"^\p{L}+$"},
    {"items": {"type": "integer"}}, {"items": False}, {"items": {"items": {"minimum": 1}}},
    {"required": ["a"]}, {"required": ["a", "b"]}, {"required": []},
    {"properties": {"a": {"type": "integer"}}}, {"properties": {"a": False}},
    {"additionalProperties": False}, {"properties": {"a": True}, "additionalProperties": False},
    {"properties": {"a": True}, "additionalProperties": {"type": "integer"}},
    {"title": "t", "description": "d", "$comment": "c", "default": 1, "examples": [1, "a"]},
    {"deprecated": True, "readOnly": False, "writeOnly": True},
    {"type": "object", "properties": {"a": {"minLength": 1, "maximum": 0}}, "required": ["b"]},
)  # fmt: skip
NOT_PLAIN: tuple[Any, ...] = (
    {"format": "date"}, {"multipleOf": 2}, {"uniqueItems": True}, {"allOf": []}, {"not": {}},
    {"$ref": "#"}, {"$schema": "http://json-schema.org/draft-04/schema#"}, {"$id": "a"},
    {"prefixItems": [True]}, {"patternProperties": {}}, {"if": True}, {"x-own": 1},
    {"type": "strng"}, {"type": []}, {"type": ["null", "null"]}, {"type": None},
    {"enum": 1}, {"enum": [float("nan")]}, {"minimum": "1"}, {"minimum": True},
    {"maximum": float("inf")}, {"minLength": -1}, {"minLength": 0.5}, {"maxItems": None},
    {"pattern": "("}, {"pattern": 1}, {"pattern": "(?=a)"}, {"pattern": r"(a)\1"},
    {"pattern": "a{20000}"}, {"items": [True]}, {"items": None}, {"required": ["a", "a"]},
    {"required": "a"}, {"required": [1]}, {"properties": []}, {"properties": {"a": 1}},
    {"properties": {"a": {"format": "date"}}}, {"additionalProperties": "no"},
    {"title": 1}, {"examples": 1}, {"deprecated": "yes"}, None, 1, [],
)  # fmt: skip


def places(validator: Validator, value: Any) -> list[str]:
    """Where in the value and in the schema something is wrong, as often as it is."""
    return sorted(repr((error.instance, error.schema)) for error in validator.errors(value))


@pytest.mark.parametrize("schema", PLAIN, ids=str)
def test_it_says_of_every_value_what_the_real_engine_says(schema: Any) -> None:
    plain, real = plain_validator(schema), compile_schema(schema, "jsonschema-rs")
    assert plain is not None
    for value in VALUES:
        assert plain.is_valid(value) == real.is_valid(value), value
        assert places(plain, value) == places(real, value)


@pytest.mark.parametrize("schema", NOT_PLAIN, ids=str)
def test_it_leaves_what_is_not_plain(schema: Any) -> None:
    assert plain_validator(schema) is None


@pytest.mark.parametrize("stated", [float("nan"), float("inf"), {"a": float("-inf")}])
def test_what_json_does_not_have_proves_nothing(stated: Any) -> None:
    narrow = {"type": ["number", "object"], "default": stated, "examples": [stated], "allOf": []}
    assert list(stated_values(narrow)) == []
    assert not isinstance(include(narrow, {"type": ["number", "object"]}), Escape)


scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, -2.0])
texts = st.text("ab1-é", max_size=4)
names = st.sampled_from(["a", "b", "c"])
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
counts = st.sampled_from([0, 1, 2, 1.0, 3])
types = st.sampled_from(["string", "number", "integer", "boolean", "array", "object", "null"])
patterns = st.sampled_from(["^a", "b$", "^[ab]+$", "^a?b*$", "a|1", "^(ab|a)-?$", r"\d", r"^\W*$"])
malformed = st.sampled_from([None, "a", [], {}, -1, 0.5, ["a", "a"], [{}]])


def schema_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects of plain keywords, with now and then a value that a keyword cannot have."""
    stated: dict[Any, st.SearchStrategy[Any]] = {
        "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
        "enum": st.lists(values, max_size=3),
        "const": values,
        "minimum": scalars, "maximum": scalars,
        "exclusiveMinimum": scalars, "exclusiveMaximum": scalars,
        "minLength": counts, "maxLength": counts, "minItems": counts, "maxItems": counts,
        "pattern": patterns,
        "items": inner,
        "required": st.lists(names, max_size=2),
        "properties": st.dictionaries(names, inner, max_size=2),
        "additionalProperties": inner,
    }  # fmt: skip
    return st.fixed_dictionaries({}, optional=stated) | (
        st.tuples(st.sampled_from(sorted(stated)), malformed).map(lambda pair: {pair[0]: pair[1]})
    )


schemas = st.recursive(st.booleans() | schema_of(st.booleans()), schema_of, max_leaves=4)


@pytest.mark.slow
@given(schemas, st.lists(values, min_size=1, max_size=6))
def test_whatever_it_takes_the_real_engine_takes_and_judges_alike(
    schema: Any, judged: list[Any]
) -> None:
    plain = plain_validator(schema)
    if plain is None:
        return
    real = compile_schema(schema, "jsonschema-rs")
    for value in judged:
        assert plain.is_valid(value) == real.is_valid(value)
        assert plain.is_valid(value) == (not plain.errors(value))


def test_comparing_plain_schemas_loads_no_other_engine() -> None:
    program = (
        "import sys\n"
        "from skillstudio.schema.inclusion import include, Escape\n"
        "old = {'type': 'object', 'properties': {'a': {'type': 'string', 'pattern': '^a+$'}}}\n"
        "new = {'type': 'object', 'properties': {'a': {'type': 'string', 'pattern': '^a{3}$'}}}\n"
        "assert isinstance(include(old, new), Escape)\n"
        "print([each for each in sys.modules if each.startswith('jsonschema')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
