"""Whether one schema's values are all another's: what holds for any two schemas."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.schema.engine import ENGINES, compile_schema
from skillstudio.schema.inclusion import Escape, UndecidedVerdict, include
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.references import denies_itself
from skillstudio.schema.sample import samples
from skillstudio.schema.shape import is_number

Keywords = dict[str, st.SearchStrategy[Any]]

NAMES = st.sampled_from("abc")
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, -1.5, "", "a", "ab", "b1", "é", "zz", "2000-01-01"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=4,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
BOUNDS = st.sampled_from([-2, -1, 0, 0.5, 1, 1.5, 2, 3])
FOLLOWED = ["^[a-z]+$", "^a", "b$", "", "^[ab]{0,2}$", "\\d", "a^", "^(a|bc)*$", "^\\w-?"]
NOT_FOLLOWED = ["^(?!a)", "(?=b)", "(.)\\1", "\\bb"]


def promised(inner: st.SearchStrategy[Any]) -> Keywords:
    """The keywords that are always decided."""
    return {
        "type": st.one_of(TYPES, TYPES, st.lists(TYPES, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(VALUES, max_size=3),
        "const": VALUES,
        "minimum": BOUNDS,
        "maximum": BOUNDS,
        "exclusiveMinimum": BOUNDS,
        "exclusiveMaximum": BOUNDS,
        "multipleOf": st.sampled_from([1, 2, 3.0]),
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(FOLLOWED),
        "items": inner,
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "properties": st.dictionaries(NAMES, inner, max_size=2),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "additionalProperties": inner,
    }


def further(inner: st.SearchStrategy[Any]) -> Keywords:
    """Keywords that may not be."""
    return {
        "pattern": st.sampled_from(NOT_FOLLOWED),
        "format": st.sampled_from(["date", "email", "uri", "uuid", "ipv4", "hostname", "own"]),
        "multipleOf": st.sampled_from([0.5, 1.5]),
        "contains": inner,
        "minContains": st.integers(0, 2),
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=2),
        "propertyNames": inner,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True), max_size=2),
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "maxContains": st.integers(0, 2),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=1),
        "unevaluatedProperties": inner,
        "unevaluatedItems": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=2),
        "allOf": st.lists(inner, min_size=1, max_size=2),
        "oneOf": st.lists(inner, min_size=1, max_size=2),
        "examples": st.lists(VALUES, max_size=2),
        "$ref": st.sampled_from(["#", "#/$defs/d"]),
    }


def drawn(keywords: Keywords, most: int = 4) -> st.SearchStrategy[Any]:
    chosen = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=most, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({n: keywords[n] for n in names}))


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return drawn(promised(inner))


def any_schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return drawn({**further(inner), **promised(inner)} | {"pattern": ANY_PATTERN}, 3)


ANY_PATTERN = st.sampled_from([*FOLLOWED, *NOT_FOLLOWED])
PROMISED = st.recursive(schemas(st.booleans()), schemas, max_leaves=3)
UNROOTED = st.recursive(any_schemas(st.booleans()), any_schemas, max_leaves=3)
DEFINED = st.sampled_from([{"type": "string"}, {"minimum": 1}, {"items": {"$ref": "#"}}])
ANY_SCHEMA = st.tuples(UNROOTED, DEFINED).map(lambda both: {**both[0], "$defs": {"d": both[1]}})
Pair = tuple[Any, Any]


def tightened(schema: Any, keywords: Any) -> Any:
    return {**schema, **keywords} if isinstance(schema, dict) else schema


def pairs(
    schemas: st.SearchStrategy[Any], keywords: st.SearchStrategy[Any]
) -> st.SearchStrategy[Pair]:
    """Two schemas that have little in common, or all but a few keywords."""
    near = st.tuples(schemas, keywords).map(lambda both: (both[0], tightened(*both)))
    return st.one_of(st.tuples(schemas, schemas), near, near.map(lambda both: both[::-1]))


PROMISED_PAIRS = pairs(PROMISED, drawn(promised(PROMISED), 2))
ANY_PAIRS = pairs(ANY_SCHEMA, drawn({**further(UNROOTED), **promised(UNROOTED)}, 2))


def accepts(schema: Any, value: Any, engine: str) -> bool | None:
    """None where an engine cannot use the schema."""
    try:
        return compile_schema(schema, engine).is_valid(value)
    except SchemaRefused:
        return None


def hold(
    found: Escape | UndecidedVerdict | None, narrow: Any, wide: Any, values: list[Any]
) -> None:
    """A verdict, against each engine and against values of the narrow schema."""
    if isinstance(found, Escape):
        for engine in ENGINES:
            assert accepts(narrow, found.value, engine) is not False
            assert accepts(wide, found.value, engine) is not True
    elif found is None:
        try:
            old, new = compile_schema(narrow), compile_schema(wide)
            further = list(samples(narrow, 20))
        except SchemaRefused:
            return
        for value in [*values, *further]:
            assert new.is_valid(value) or not old.is_valid(value)


@pytest.mark.slow
@given(PROMISED_PAIRS, st.lists(VALUES, max_size=8))
def test_what_the_promised_keywords_say_is_decided_and_right(pair: Pair, values: list[Any]) -> None:
    found = include(*pair, strict=True)
    assert not isinstance(found, UndecidedVerdict)
    hold(found, *pair, values)
    lenient = include(*pair)
    assert not isinstance(lenient, UndecidedVerdict)
    assert lenient is None or found is not None
    if lenient is not None:
        hold(lenient, *pair, values)


@pytest.mark.slow
@given(ANY_PAIRS, st.lists(VALUES, max_size=8))
def test_no_verdict_is_wrong_whatever_keywords_there_are(pair: Pair, values: list[Any]) -> None:
    hold(include(*pair, strict=True), *pair, values)


def annotated(schema: Any) -> Any:
    """The same schema, written otherwise wherever there is one."""
    if isinstance(schema, list):
        return [annotated(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {"title": "t"} | {
        key: value if key in ("enum", "const", "required") else _parts(key, value)
        for key, value in reversed(schema.items())
    }


def _parts(keyword: str, value: Any) -> Any:
    if keyword == "properties":
        return {name: annotated(part) for name, part in value.items()}
    return annotated(value)


@given(PROMISED)
def test_a_schema_is_included_in_itself_however_it_is_written(schema: Any) -> None:
    assert include(schema, schema) is None
    assert include(schema, json.loads(json.dumps(schema)), strict=True) is None
    assert include(schema, annotated(schema), strict=True) is None
    assert include(annotated(schema), schema, strict=True) is None


@given(ANY_SCHEMA)
def test_nothing_is_included_in_every_schema_and_every_schema_in_all(schema: Any) -> None:
    assert include(schema, json.loads(json.dumps(schema))) is None
    assert include(False, schema) is None
    assert include(schema, True) is None


@given(PROMISED, drawn(promised(PROMISED), 2))
def test_a_further_keyword_narrows(schema: Any, keywords: Any) -> None:
    dependent = {"properties", "additionalProperties"}
    if isinstance(schema, bool) or schema.keys() & keywords.keys() or dependent & keywords.keys():
        return
    assert include({**schema, **keywords}, schema, strict=True) is None
    assert include({**schema, **keywords}, keywords, strict=True) is None


@pytest.mark.slow
@given(PROMISED, PROMISED, PROMISED)
def test_inclusion_carries_over(first: Any, second: Any, third: Any) -> None:
    if include(first, second, strict=True) is None:
        escape = include(first, third, strict=True)
        if include(second, third, strict=True) is None:
            assert escape is None
        elif isinstance(escape, Escape):
            assert compile_schema(second).is_valid(escape.value)


@given(ANY_SCHEMA)
def test_every_schema_is_included_in_itself(schema: Any) -> None:
    found = include(schema, annotated(schema), strict=True)
    assert not isinstance(found, Escape)
    assert not isinstance(include(annotated(schema), schema, strict=True), Escape)


@pytest.mark.slow
@given(ANY_SCHEMA, UNROOTED, UNROOTED)
@example({"type": "integer", "minimum": 2}, {"type": "integer"}, {"type": "number"})
def test_decided_inclusion_carries_over(first: Any, second: Any, third: Any) -> None:
    if include(first, second, strict=True) is None and include(second, third, strict=True) is None:
        assert not isinstance(include(first, third, strict=True), Escape)


@pytest.mark.slow
@given(UNROOTED, UNROOTED)
def test_both_are_included_in_their_union_and_include_what_they_share(one: Any, other: Any) -> None:
    union, shared = {"anyOf": [one, other]}, {"allOf": [one, other]}
    for each in (one, other):
        assert not isinstance(include(each, union, strict=True), Escape)
        assert not isinstance(include(shared, each, strict=True), Escape)
    opposite = {"not": {"allOf": [{"not": one}, {"not": other}]}}
    assert not isinstance(include(union, opposite, strict=True), Escape)
    assert not isinstance(include(opposite, union, strict=True), Escape)


@pytest.mark.slow
@given(ANY_SCHEMA)
def test_what_is_included_in_nothing_has_no_samples(schema: Any) -> None:
    found = include(schema, False)
    try:
        values = list(samples(schema, 5))
    except SchemaRefused:
        return
    if found is None:
        assert values == []
    elif values and not denies_itself(schema):
        assert isinstance(found, Escape)


@given(PROMISED)
def test_samples_are_accepted_and_come_once(schema: Any) -> None:
    validator = compile_schema(schema)
    found = list(islice(samples(schema, 30), 30))
    assert all(map(validator.is_valid, found))
    assert len({json.dumps(_plain(value), sort_keys=True) for value in found}) == len(found)


def _plain(value: Any) -> Any:
    """The same value with each number written as a float, so that 1 is 1.0."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return float(value) if is_number(value) else value
