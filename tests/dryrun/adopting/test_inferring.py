"""The type words of printed values; what they say is read back by the manifest's own reader."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.adopting.fields import infer, widen_type
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.skill_manifest.project import field_schema
from skillstudio.schema.engine import compile_schema

TABLE: list[tuple[Any, str]] = [
    ("text", "string"), (3, "integer"), (3.5, "number"), (True, "boolean"), (None, "json"),
    ({}, "object"), ({"a": 1}, "object"), ([], "array"), (["a", "b"], "array of string"),
    ([1, 2], "array of integer"), ([1, 2.5], "array of number"), ([1, "a"], "array"),
    ([None], "array"), ([[1]], "array"), ([True], "array of boolean"),
    ([{"id": 1, "title": "x"}, {"id": 2, "score": 1}], "array of {id, title, score}"),
    ([{"a key": 1}], "array of object"), ([{}], "array of object"), ([{"a": 1}, 2], "array"),
    ([{chr(97 + n): 1 for n in range(9)}], "array of object"),
    (SENSITIVE, "json"), (f"a {SENSITIVE}", "json"), ([SENSITIVE], "array"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "word"), TABLE)
def test_the_word_for_a_value(value: Any, word: str) -> None:
    assert infer(value) == word


@pytest.mark.parametrize(("value", "word"), [("ok", "ok | error"), ("error", "ok | error"),
                                             ("done", "string"), (1, "integer")])  # fmt: skip
def test_the_field_status_has_its_two_words(value: Any, word: str) -> None:
    assert infer(value, "status") == word


@pytest.mark.parametrize(
    ("text", "value", "word"),
    [
        ("string", 5, "integer"),
        ("integer", 2.5, "number"),
        ("string", None, "string | null"),
        ("array of string", None, "array of string | null"),
        ("string | null", 5, "integer | null"),
        ("ok | error", "partial", "ok | error | partial"),
        ("ok | error", "two words", "string"),
        ("ok | error", 5, "integer"),
        ("ok | error", "AKIAIOSFODNN7" + "EXAMPLE", "string"),
        ("array of integer", ["a"], "array of string"),
    ],
)
def test_a_declared_type_is_widened_by_one_word_or_replaced(
    text: str, value: Any, word: str
) -> None:
    assert widen_type(text, value) == word


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(json)
def test_what_is_said_of_a_value_takes_the_value(value: Any) -> None:
    schema = field_schema(infer(value))
    assert schema is None or compile_schema(schema).errors(value) == []
