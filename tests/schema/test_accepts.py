"""What is surely valid without an engine is valid with one, and most manifests need none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import dialect, dialects, schema_of, validator_of
from skillstudio.schema.accepts import QuickValidator, accepts
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused

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
OWN = [
    {"pattern": "^([a-z0-9]+(-[a-z0-9]+)*)?$"}, {"pattern": "^[0-9]+(\\.[0-9]+){0,2}$"},
    {"pattern": "^a|b$"}, {"pattern": "^a$|b$"}, {"uniqueItems": True}, {"enum": ["a", "b", 1]},
    {"$ref": "#/$defs/one", "$defs": {"one": {"type": "string"}}}, {"$ref": "#/$defs/none"},
    {"$ref": "#"}, {"x-string": True}, {"type": "number", "minimum": 1},
    {"$ref": "#/$defs/one", "$defs": {"one": {"properties": {"a": {"$ref": "#/$defs/one"}}}}},
    {"const": "a"},
    {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
]  # fmt: skip
MORE = ["a-b", "a-", "-", "a-b\n", "1.2.3", "1.2.3\n", "x", "b\n", ["a", "a"], [1, 1.0], [[], []]]
GIVEN = st.recursive(
    st.sampled_from([*VALUES, *MORE]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abn"), inner),
    max_leaves=5,
)


@pytest.mark.parametrize("schema", [*PLAIN, *NOT_PLAIN, *OWN], ids=str)
def test_what_is_accepted_is_valid(schema: Any) -> None:
    try:
        engine = compile_schema(schema)
    except SchemaRefused:
        return
    for value in (*VALUES, *MORE):
        assert engine.is_valid(value) or not accepts(schema, value)


@pytest.mark.slow
@given(st.sampled_from([each.id for each in dialects()]), st.data())
def test_errors_are_those_of_an_engine(id: str, data: st.DataObject) -> None:
    schema = schema_of(next(each for each in dialects() if each.id == id))
    names = st.sampled_from([*schema["properties"], "zeta", "Alpha", "é", ""])
    value = data.draw(GIVEN | st.dictionaries(names, GIVEN, max_size=4))
    quick = QuickValidator(schema, lambda: compile_schema(schema))
    assert quick.errors(value) == compile_schema(schema).errors(value)


def test_unknown_keys_need_no_engine() -> None:
    agent_skills = dialect("agent-skills")
    assert agent_skills is not None
    schema = schema_of(agent_skills)
    value = {"zeta": 1, "name": "tea", "é": [], "description": "Makes tea.", "Alpha": {}}
    errors = QuickValidator(schema, lambda: pytest.fail("an engine is made")).errors(value)
    assert [each.params for each in errors] == [["zeta", "é", "Alpha"]]
    assert errors == compile_schema(schema).errors(value)


EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_skill_without_further_keys_needs_no_engine() -> None:
    for manifest in locate(DiskTree(EXAMPLES / "commit-notes")).skill.manifests:
        schema = schema_of(manifest.dialect, manifest.part)
        assert accepts(schema, manifest.document.value), manifest.dialect.id


def test_a_wrong_value_gets_the_messages_of_an_engine() -> None:
    agent_skills = dialect("agent-skills")
    assert agent_skills is not None
    value = {"name": "A", "description": ""}
    errors = validator_of(agent_skills).errors(value)
    assert errors == compile_schema(schema_of(agent_skills)).errors(value)
    assert [each.keyword for each in errors] == ["pattern", "minLength"]
