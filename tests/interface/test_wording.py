"""Schemas of sensitive values keep their form, and hold no value."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.interface.wording import mask_value, masked_schema

SECRET = "hunter2"


@pytest.mark.parametrize(
    "schema",
    [
        {"const": SECRET},
        {"enum": [SECRET]},
        {"default": SECRET},
        {"examples": [{"a": SECRET}]},
        {"x-of-its-own": SECRET},
        {"x-of-its-own": {"type": SECRET}},
        {"properties": {"a": {"const": SECRET}}},
        {"properties": {"a": {"x-hint": [SECRET]}}},
        {"allOf": [{"items": {"enum": [SECRET]}}]},
        {"$defs": {"a": {"not": {"const": SECRET}}}},
    ],
)
def test_no_value_is_left(schema: Any) -> None:
    assert SECRET not in str(masked_schema(schema))
    assert masked_schema(schema).keys() == schema.keys()


def test_what_holds_no_value_stays() -> None:
    schema = {"type": "string", "pattern": "^a", "properties": {"const": {"maxLength": 3}}}
    assert masked_schema(schema) == schema


def test_two_values_stay_two() -> None:
    assert mask_value("a") != mask_value("b")
    assert mask_value(mask_value("a")) == mask_value("a")
