"""Which schemas deny themselves, so that nobody can say what they accept."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.schema.inclusion import UndecidedVerdict, include
from skillstudio.schema.references import denies_itself

SELF = {"$ref": "#"}
A = {"$ref": "#/$defs/a"}


def defined(a: Any, **more: Any) -> dict[str, Any]:
    return {**A, "$defs": {"a": a, **more}}


DENYING = [
    {"not": SELF},
    {"$ref": "#", "not": SELF},
    {"type": "string", "not": SELF},
    {"allOf": [{"not": SELF}]},
    {"anyOf": [{"type": "string"}, {"not": SELF}]},
    {"if": SELF, "then": False},
    {"oneOf": [SELF, {"type": "string"}]},
    {"not": {"not": {"not": SELF}}},
    {"dependentSchemas": {"a": {"not": SELF}}},
    {"not": {"$dynamicRef": "#"}},
    {"$dynamicAnchor": "x", "not": {"$dynamicRef": "#x"}},
    {"$anchor": "x", "not": {"$ref": "#x"}},
    {"$id": "urn:x", "not": {"$ref": "urn:x"}},
    {"$id": "urn:x", "not": {"$ref": "urn:x#"}},
    defined({"not": A}),
    defined({"$ref": "#/$defs/b"}, b={"$ref": "#/$defs/c"}, c={"not": A}),
    {"properties": {"a": A}, "$defs": {"a": {"not": A}}},
    {"items": {"anyOf": [{"type": "null"}, {"not": {"$ref": "#/items"}}]}},
]
SOUND = [
    True,
    {},
    {"not": {"type": "string"}},
    SELF,
    {"if": SELF},
    {"allOf": [SELF]},
    {"anyOf": [SELF, {"type": "string"}]},
    {"properties": {"a": {"not": SELF}}},
    {"items": {"not": SELF}},
    {"contains": {"oneOf": [SELF, {"type": "string"}]}},
    {"propertyNames": {"not": SELF}},
    defined({"properties": {"b": A}, "not": {"type": "array"}}),
    {"not": A, "$defs": {"a": {"type": "string"}}},
    {"not": A, "allOf": [A], "$defs": {"a": {"type": "string"}}},
    {"type": "string", "$defs": {"a": {"not": A}}},
    {"not": {"$ref": "#/nowhere"}},
    {"not": {"$ref": 5}},
    {"const": {"not": SELF}},
]


@pytest.mark.parametrize("schema", DENYING)
def test_a_schema_that_denies_itself_is_compared_with_nothing(schema: Any) -> None:
    assert denies_itself(schema)
    for other in ({"type": "string"}, {"type": "string", "not": {"const": "a"}}):
        assert isinstance(include(schema, other), UndecidedVerdict)
        assert isinstance(include(other, schema), UndecidedVerdict)
    assert isinstance(include(True, schema), UndecidedVerdict)
    assert isinstance(include(schema, False), UndecidedVerdict)


@pytest.mark.parametrize("schema", DENYING)
def test_it_is_within_itself_and_everything_and_around_nothing(schema: Any) -> None:
    assert include(schema, True) is None
    assert include(schema, {}) is None
    assert include(schema, {**schema}) is None
    assert include(False, schema) is None


@pytest.mark.parametrize("schema", SOUND)
def test_other_schemas_have_a_meaning(schema: Any) -> None:
    assert not denies_itself(schema)


def test_a_deep_chain_of_references_takes_no_recursion() -> None:
    steps = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}]} for at in range(5_000)}
    for last, denies in (({"type": "string"}, False), ({"not": {"$ref": "#"}}, True)):
        schema = {"$ref": "#/$defs/d0", "$defs": {**steps, "d5000": last}}
        assert denies_itself(schema) is denies
