"""Values for schemas that must accept or reject them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schema.test_inclusion_at_random import ANY_SCHEMA, VALUES

from skillstudio.schema.cases import Literal, Unknown
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.inclusion import include
from skillstudio.schema.outcome import Escape, SchemaRefused
from skillstudio.schema.references import denies_itself
from skillstudio.schema.solver import Solver
from skillstudio.schema.work import Undecidable, Work


@given(ANY_SCHEMA, VALUES, st.booleans())
def test_values_are_accepted_as_the_engines_say(schema: Any, value: Any, holds: bool) -> None:
    try:
        is_valid = compile_schema(schema).is_valid(value)
        accepts = Solver((schema,), Work(100_000)).accepts(Literal(schema, holds, 0), value)
    except (SchemaRefused, Unknown, Undecidable):
        return
    if not denies_itself(schema):
        assert accepts is (is_valid is holds)


def found(schema: Any, holds: bool = True) -> list[Any]:
    return Solver((schema,), Work(100_000)).solve((Literal(schema, holds, 0),))


def test_null_is_a_value_and_no_value_is_none() -> None:
    assert found({"type": "null"}) == [None]
    assert found({"allOf": [{"type": "null"}, {"type": "string"}]}) == []
    assert found({}, holds=False) == []


def test_a_value_that_would_contain_itself_is_none() -> None:
    endless = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    assert found(endless) == []
    assert found({**endless, "type": ["object", "null"]}) == [None]


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_thousands_of_branches_that_list_values_are_one_list(keyword: str) -> None:
    numbers = {keyword: [{"const": number, "title": "A"} for number in range(2_000)]}
    texts = {keyword: [{"enum": [f"{number}", f"-{number}"]} for number in range(2_000)]}
    assert include({"type": ["number", "null"], **texts}, False) is None
    assert include({"type": "string", **numbers}, False) is None


def test_a_value_that_two_branches_of_one_of_list_is_rejected() -> None:
    assert include({"oneOf": [{"const": 1}, {"enum": [1.0]}]}, False) is None
    assert include({"oneOf": [{"const": 1}, {"enum": [1, 2]}]}, {"const": 1}) == Escape(2, "/const")
    assert include({"oneOf": [{"const": 1}, {"const": True}]}, {"type": "boolean"}) == Escape(
        1, "/type"
    )
