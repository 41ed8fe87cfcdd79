"""Values that a schema accepts."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from skillstudio.schema.engine import compile_schema
from skillstudio.schema.interval import Interval, Number
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, find_witness
from skillstudio.schema.sample import samples
from skillstudio.schema.work import Undecidable


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        (False, []),
        (True, ["", 0, False, None, [], {}]),
        ({"type": "boolean"}, [False, True]),
        ({"enum": [3, "a", None], "type": ["string", "null"]}, ["a", None]),
        ({"type": "integer", "minimum": 1, "maximum": 3}, [1, 3, 2]),
        ({"type": "integer", "examples": [7, "no"], "default": 5}, [5, 7]),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, [0.1, 0.9]),
        ({"type": "integer", "multipleOf": 5, "minimum": 1}, [5, 10, 15]),
        ({"type": "string", "minLength": 1, "maxLength": 3}, ["aaa", "a", "b"]),
        ({"type": "string", "pattern": "^\\d{4}-\\d{2}$"}, ["0000-00", "0000-01"]),
        ({"type": "string", "pattern": "^(?!a)[ab]$"}, ["b"]),
        ({"type": "string", "format": "date"}, ["2000-01-01"]),
        ({"type": "array", "items": {"const": 1}, "maxItems": 2}, [[], [1], [1, 1]]),
        (
            {
                "type": "object",
                "properties": {"a": {"const": 1}, "b": {"const": 2}},
                "required": ["b"],
            },
            [{"b": 2}, {"b": 2, "a": 1}],
        ),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"const": 0}}}, [0]),
    ],
)
def test_samples(schema: Any, first: list[Any]) -> None:
    validator = compile_schema(schema)
    found = list(samples(schema, 30))
    assert found[: len(first)] == first
    assert all(map(validator.is_valid, found))
    assert found == list(samples(schema, 30))
    assert len(found) <= 30


def test_a_schema_that_cannot_be_used_has_no_samples() -> None:
    with pytest.raises(SchemaRefused):
        list(samples({"type": "strng"}))
    deep: Any = True
    for _ in range(500):
        deep = {"items": deep}
    with pytest.raises(SchemaRefused, match="nested"):
        list(samples(deep))


def test_huge_limits_are_not_filled() -> None:
    assert list(samples({"type": "string", "minLength": 10**9}, 3)) == []
    assert list(samples({"type": "array", "minItems": 10**9}, 3)) == []
    assert list(samples({"type": "array", "maxItems": 10**9}, 2)) == [[], [""]]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("", ""), ("b+", "b"), ("^[A-Z]{2}\\d$", "AA0"), ("a^", None), ("^(x|yz)$", "x")],
)
def test_a_text_of_a_pattern(pattern: str, text: str | None) -> None:
    assert find_witness(parse_pattern(pattern).root, NO_TEXT) == text


def test_a_text_of_a_pattern_that_is_none_or_cannot_be_followed() -> None:
    with pytest.raises(PatternError):
        find_witness(parse_pattern("(").root, NO_TEXT)
    with pytest.raises(Undecidable, match="look-ahead"):
        find_witness(parse_pattern("^(?=a)b").root, NO_TEXT)


@pytest.mark.parametrize(
    ("interval", "low", "high", "fraction"),
    [
        (Interval(), 0, 0, 0.5),
        (Interval(integer=True), 0, 0, None),
        (Interval(low=5), 5, 5, 5.5),
        (Interval(high=-5), -5, -5, -5.5),
        (Interval(0, True, 1, True), 0.1, 0.9, 0.1),
        (Interval(0, True, 1, True, integer=True), None, None, None),
        (Interval(0.25, False, 0.25), 0.25, 0.25, 0.25),
        (Interval(1, False, 1.0), 1, 1, None),
        (Interval(2, False, 1), None, None, None),
        (Interval(0.11, True, 0.12, True), 0.111, 0.119, 0.111),
        (Interval(0.1, True, 0.10000000000000002, True), None, None, None),
        (Interval(10**400, False, 10**401), 10**400, 10**401, None),
        (Interval(1e308, False, None), int(1e308), int(1e308), None),
        (Interval(-1, True, 0.5, False), 0, 0, 0.5),
    ],
)
def test_numbers_of_an_interval(
    interval: Interval, low: Number | None, high: Number | None, fraction: float | None
) -> None:
    assert interval.near_low() == low
    assert interval.near_high() == high
    assert interval.fraction() == fraction
    for number in (low, high, fraction):
        assert number is None or number in interval


@pytest.mark.parametrize(
    ("interval", "is_empty", "is_point", "is_finite"),
    [
        (Interval(), False, False, False),
        (Interval(1, False, 1), False, True, True),
        (Interval(1, True, 1), True, False, True),
        (Interval(0.5, False, 1.5, integer=True), False, True, True),
        (Interval(0.5, False, 0.7, integer=True), True, False, True),
        (Interval(0, False, 9, integer=True), False, False, True),
        (Interval(0, False, 9), False, False, False),
        (Interval(0, integer=True), False, False, False),
    ],
)
def test_sizes_of_intervals(
    interval: Interval, is_empty: bool, is_point: bool, is_finite: bool
) -> None:
    assert interval.is_empty is is_empty
    assert interval.is_point is is_point
    assert interval.is_finite is is_finite
    values = list(islice(interval.values(), 50))
    assert len(values) == len(set(values))
    assert all(value in interval for value in values)
    assert (values == []) is is_empty
    assert (len(values) == 1) is is_point
