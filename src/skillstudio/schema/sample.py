"""Generate sample values of a schema: its examples, small values and edge cases."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any

from skillstudio.schema.engine import compile_schema
from skillstudio.schema.format_texts import FORMAT_TEXTS, FormatTexts
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.references import follow
from skillstudio.schema.regex import PatternError, PatternUnsupported, parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, Undecidable, included, strings
from skillstudio.schema.regex.nodes import EMPTY
from skillstudio.schema.shape import (
    KINDS,
    Schema,
    Shape,
    is_json,
    is_number,
    too_large,
    value_key,
)
from skillstudio.schema.values import PARTS_OF_STEP, Unknown, Values, fresh_names, size_of

_TRIED = 200
_MANY = 100
"""A string or list is generated at its maximum length only up to this length."""
_DEPTH = 6
"""Maximum nesting of references, branches and parts that are varied."""
_NAMES = 20
_VARIED_NAMES = 3
_STEPS = 50
"""The cost of one more schema, in steps of an automaton."""


def samples(schema: Schema, limit: int = 20) -> Iterator[Any]:
    """Different values that a schema accepts, its examples first, then small ones and edge
    cases.

    At most `limit`, and always the same. Raises SchemaRefused for an unusable schema.
    """
    reason = too_large(schema)
    if reason:
        raise SchemaRefused(reason)
    validator = compile_schema(schema)
    seen: set[Hashable] = set()
    for value in islice(_found(schema), limit * 10 + _TRIED):
        key = value_key(value)
        if key not in seen and validator.is_valid(value):
            seen.add(key)
            yield value
            if len(seen) >= limit:
                return


def _found(schema: Schema) -> Iterator[Any]:
    sampler = Sampler(schema)
    weight = sampler.parts(schema) // PARTS_OF_STEP
    try:
        for value in sampler.varied(schema):
            sampler.work.spend(size_of(value) + weight)
            yield value
    except Undecidable:
        return


def sample_text(pattern: str) -> str | None:
    """A shortest text in which a pattern matches; None if there is none.

    Raises PatternError, and Undecidable if automata do not support the pattern.
    """
    return included(parse_pattern(pattern).root, NO_TEXT)


def stated_values(schema: Schema) -> Iterator[Any]:
    """The default and the examples of a schema that are JSON values."""
    if isinstance(schema, dict):
        examples = schema.get("examples")
        stated = [schema["default"]] if "default" in schema else []
        stated += examples if isinstance(examples, list) else []
        yield from filter(is_json, stated)


class Sampler(Values):
    """Generates values of a schema near different edge cases."""

    def varied(self, schema: Schema, depth: int = 0) -> Iterator[Any]:
        self.work.spend(_STEPS)
        yield from stated_values(schema)
        shape = self.shape(schema)
        if shape.allowed is not None:
            yield from shape.allowed.values()
        elif depth < _DEPTH:
            turns = [
                self._varied(schema, shape, kind, depth) for kind in KINDS if kind in shape.kinds
            ]
            turns += [self.varied(branch, depth + 1) for branch in self._branches(schema)]
            yield from _in_turn(turns)

    def _branches(self, schema: Schema) -> Iterator[Schema]:
        """The alternative and combined subschemas, each joined with the rest."""
        if isinstance(schema, bool):
            return
        inner: list[Any] = []
        for keyword in ("$ref", "$dynamicRef"):
            reference = schema.get(keyword)
            if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
                inner.append(follow(self.root, reference))
        for keyword in ("allOf", "anyOf", "oneOf"):
            parts = [each for each in _parts(schema.get(keyword)) if isinstance(each, dict)]
            if keyword == "allOf":
                inner.append({key: each[key] for each in parts for key in each})
            inner += parts
        inner += [schema.get(keyword) for keyword in ("then", "else")]
        rest = {key: value for key, value in schema.items() if key not in _BRANCHING}
        for branch in inner:
            if isinstance(branch, dict) and branch:
                yield {**rest, **branch}

    def _varied(self, schema: Schema, shape: Shape, kind: str, depth: int) -> Iterator[Any]:
        stated = schema if isinstance(schema, dict) else {}
        if kind == "string":
            return self._varied_texts(shape)
        if kind == "number":
            return self._varied_numbers(stated, shape)
        if kind == "array":
            return self._varied_arrays(stated, shape, depth)
        if kind == "object":
            return self._varied_objects(stated, shape, depth)
        return iter([None] if kind == "null" else [False, True])

    def _varied_texts(self, shape: Shape) -> Iterator[str]:
        longest = shape.longest
        if longest is not None and longest <= _MANY and shape.pattern is None:
            yield "a" * longest
        if shape.format in FORMAT_TEXTS:
            yield from self._texts_of_format(shape, FORMAT_TEXTS[shape.format])
        elif shape.foreign:
            yield from _TEXTS
        if shape.pattern is not None or longest is not None or shape.shortest > _MANY:
            yield from self.texts(shape)
        else:
            lengthy = ("a" * length for length in range(shape.shortest + 1, _MANY))
            yield from _in_turn([self.texts(shape), lengthy])

    def _texts_of_format(self, shape: Shape, known: FormatTexts) -> Iterator[str]:
        """The shortest and longest of a format and a pattern, and more without the pattern."""
        node = EMPTY if shape.pattern is None else parse_pattern(shape.pattern).root
        ends = [end for end in (shape.longest, known.longest) if end is not None]
        longest = min(ends, default=None)
        some = parse_pattern(known.some).root
        try:
            for shortest in (shape.shortest, longest or 0):
                found = included(
                    node, NO_TEXT, within=some, shortest=shortest, longest=longest, work=self.work
                )
                if found is not None:
                    yield found
            texts = strings(some, shortest=shape.shortest, longest=longest, work=self.work)
            yield from islice(texts, _TRIED)
        except Undecidable as undecidable:
            raise Unknown("pattern", undecidable.reason) from None

    def _varied_numbers(self, schema: dict[str, Any], shape: Shape) -> Iterator[Any]:
        interval = shape.number
        edges = [interval.near_low(), interval.near_high(), interval.fraction(), 0, 1, -1]
        step: Any = schema.get("multipleOf")
        if is_number(step) and step > 0:
            near: list[Any] = [each for each in edges[:2] if each is not None]
            edges += [(each // step + index) * step for each in near for index in (0, 1, -1)]
        yield from (edge for edge in edges if edge is not None and edge in interval)
        yield from interval.values()

    def _varied_arrays(self, schema: dict[str, Any], shape: Shape, depth: int) -> Iterator[Any]:
        yield from self.lists(shape, 1)
        if shape.most == 0:
            return
        length = max(1, shape.fewest)
        most = shape.most if shape.most is not None and length < shape.most <= _MANY else 0
        items = [self.varied(shape.items, depth + 1)]
        contained, parts = schema.get("contains"), schema.get("prefixItems")
        if isinstance(contained, dict):
            items.append(self.varied(contained, depth + 1))
        first: list[Any] = []
        for part in _parts(parts):
            first += self.smallest(part)
        if first:
            yield first
        for item in _in_turn(items):
            if first:
                yield [*first, item]
            for size in (length, most):
                made = self.list_of(shape, size, [item]) if size else None
                if made is not None:
                    yield made

    def _varied_objects(self, schema: dict[str, Any], shape: Shape, depth: int) -> Iterator[Any]:
        minimal = self.minimal(shape)
        if minimal is None:
            return
        yield minimal
        full = dict(minimal)
        for name, part in shape.properties.items():
            found = [full[name]] if name in full else self.smallest(part)
            if found:
                full[name] = found[0]
        yield full
        filled = [minimal, full]
        parts = dict(shape.properties)
        for name in islice(self._names(schema, shape), _NAMES):
            part = _part_of(schema, shape, name)
            if part is not shape.additional and len(parts) < len(shape.properties) + _VARIED_NAMES:
                parts[name] = part
            found = self.smallest(part)
            if found:
                yield {**minimal, name: found[0]}
                filled = [{**each, name: found[0]} for each in filled]
                yield from filled
        turns = [
            self._with(name, part, (minimal, full, *filled), depth) for name, part in parts.items()
        ]
        yield from _in_turn(turns)

    def _with(
        self, name: str, part: Schema, bases: tuple[dict[str, Any], ...], depth: int
    ) -> Iterator[Any]:
        """Objects that differ in one property."""
        for value in self.varied(part, depth + 1):
            yield from ({**base, name: value} for base in bases)

    def _names(self, schema: dict[str, Any], shape: Shape) -> Iterator[str]:
        """Property names that other keywords mention, and unused ones."""
        dependent, patterns = schema.get("dependentRequired"), schema.get("patternProperties")
        names = schema.get("propertyNames")
        turns: list[Iterator[str]] = []
        if isinstance(dependent, dict):
            needed = [each for each in dependent.values() if isinstance(each, list)]
            turns.append(name for each in needed for name in each if isinstance(name, str))
        if isinstance(patterns, dict):
            turns += [_texts_of(pattern) for pattern in patterns]
        if isinstance(names, dict):
            turns.append(name for name in self.varied(names) if isinstance(name, str))
        turns.append(fresh_names({*shape.properties, *shape.required}))
        yield from _in_turn(turns)


_BRANCHING = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "default", "examples")
)
_TEXTS = (
    "2000-01-01", "2000-01-01T00:00:00Z", "00:00:00Z", "a@example.com", "127.0.0.1", "::1",
    "https://example.com/", "/a", "00000000-0000-4000-8000-000000000000", "example.com", "P1D",
)  # fmt: skip
"""One string for each of the common formats."""


def _in_turn(turns: list[Iterator[Any]]) -> Iterator[Any]:
    """Take one value of each iterator in turn, until all are exhausted."""
    while turns:
        for each in tuple(turns):
            try:
                yield next(each)
            except (StopIteration, Unknown):
                turns.remove(each)


def _part_of(schema: dict[str, Any], shape: Shape, name: str) -> Schema:
    """The schema of a property's value, including patternProperties."""
    patterns = schema.get("patternProperties")
    for pattern, part in patterns.items() if isinstance(patterns, dict) else ():
        if isinstance(part, dict | bool) and _is_matched(pattern, name):
            return part
    return shape.of_property(name)


def _is_matched(pattern: str, name: str) -> bool:
    try:
        return parse_pattern(pattern).search(name)
    except (PatternError, PatternUnsupported):
        return False


def _texts_of(pattern: str) -> Iterator[str]:
    """Strings of a pattern; none if it is invalid or not supported."""
    try:
        yield from strings(parse_pattern(pattern).root)
    except (PatternError, Undecidable):
        return


def _parts(stated: Any) -> list[Schema]:
    """The first subschema of a list, if there is one."""
    if not isinstance(stated, list):
        return []
    return [each for each in stated if isinstance(each, dict | bool)][:_NAMES]
