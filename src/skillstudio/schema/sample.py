"""Generate values of a schema: its examples, the smallest ones, edge cases, or all of a small set.

They are made from the schema's shape, so that unsupported keywords may reject some of them; that
there is no value is always exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from itertools import islice, permutations, product
from typing import Any, TypeVar

from skillstudio.schema.cases import Unknown
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.format_texts import FORMAT_TEXTS, FormatTexts
from skillstudio.schema.outcome import SchemaRefused, Validator
from skillstudio.schema.references import definitions_of, follow
from skillstudio.schema.regex import PatternError, is_match, parse_pattern
from skillstudio.schema.regex.inclusion import (
    ANY_TEXT,
    NO_TEXT,
    find_witness,
    loosen,
    shortest_text,
    strings,
)
from skillstudio.schema.regex.nodes import EMPTY, Node
from skillstudio.schema.shape import (
    KINDS,
    MAX_DEPTH,
    Schema,
    Shape,
    is_json,
    is_number,
    parts_of,
    read_shape,
    too_large,
    value_key,
)
from skillstudio.schema.work import Undecidable, Work

_Value = TypeVar("_Value")
MAX_ITEMS = 10_000
MAX_SIZE = 200_000
"""Maximum number of characters and parts of one value, which the validator has to read."""
MAX_TEXT = 100_000
MAX_WORK = 360_000  # Maximum number of steps for one schema or pair; about 100 to 200 ms.
_PART_STEPS = 10  # The cost of compiling a part of a schema, in steps of an automaton.
PARTS_OF_STEP = 10  # The number of schema parts checked against a value in one step.
_PARTS = 4  # The number of value parts in one step.
_TRIED_VALUES = 200  # Maximum number of values to try if unsupported keywords may reject some.
_MANY = 100  # A string or list is generated at its maximum length only up to this length.
_DEPTH = 6  # Maximum nesting of references, branches and parts that are varied.
_NAMES = 20
_VARIED_NAMES = 3
_STEPS = 50  # The cost of one more schema, in steps of an automaton.
_BRANCHING_KEYWORDS = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "default", "examples")
)
_TEXTS = (
    "2000-01-01", "2000-01-01T00:00:00Z", "00:00:00Z", "a@example.com", "127.0.0.1", "::1",
    "https://example.com/", "/a", "00000000-0000-4000-8000-000000000000", "example.com", "P1D",
)  # fmt: skip
"""One string for each of the common formats."""


def samples(
    schema: Schema,
    limit: int = 20,
    validator: Validator | None = None,
    work: Work | None = None,
) -> Iterator[Any]:
    """At most `limit` different values that a schema accepts, its examples first, always the same.

    `validator` is the schema's, if it is compiled; `work` limits several schemas together. Raises
    SchemaRefused for an unusable schema.
    """
    reason = too_large(schema)
    if reason:
        raise SchemaRefused(reason)
    validator = validator or compile_schema(schema)
    sampler = Sampler(schema, Work(MAX_WORK, work))
    weight = sampler.parts(schema) // PARTS_OF_STEP
    seen_keys: set[Hashable] = set()
    with suppress(Undecidable):
        for value in islice(sampler.vary(schema), limit * 10 + _TRIED_VALUES):
            sampler.work.spend(size_of(value) + weight)
            key = value_key(value)
            if key not in seen_keys and validator.is_valid(value):
                seen_keys.add(key)
                yield value
                if len(seen_keys) >= limit:
                    return


def stated_values(schema: Schema) -> Iterator[Any]:
    """The default and the examples of a schema that are JSON values."""
    if isinstance(schema, dict):
        examples = schema.get("examples")
        values = [schema["default"]] if "default" in schema else []
        values += examples if isinstance(examples, list) else []
        yield from filter(is_json, values)


class Sampler:
    """Generates values of a schema and its subschemas; `root` has the definitions."""

    def __init__(self, root: Schema, work: Work | None = None) -> None:
        self.root = root
        self.work = work or Work(MAX_WORK)
        self._definitions = definitions_of(root)
        self._shapes: dict[int, tuple[Schema, Shape]] = {}
        self._validators: dict[int, tuple[Schema, Validator | SchemaRefused]] = {}
        self._parts: dict[int, tuple[Schema, int]] = {}
        self._smallest: dict[int, tuple[Schema, list[Any] | Unknown]] = {}
        self._nesting_level = 0

    def shape(self, schema: Schema) -> Shape:
        if id(schema) not in self._shapes:
            self._shapes[id(schema)] = (schema, read_shape(schema))
        return self._shapes[id(schema)][1]

    def validator(self, schema: Schema) -> Validator:
        """The validator of a schema in the root. Raises SchemaRefused."""
        entry = self._validators.get(id(schema))
        if entry is None:
            alone = schema
            if self._definitions and isinstance(schema, dict):
                alone = {**self._definitions, **schema}
            result: Validator | SchemaRefused
            try:
                self.work.spend(_PART_STEPS * self.parts(alone))
                result = compile_schema(alone)
            except SchemaRefused as refusal:
                result = refusal
            except Undecidable:
                result = SchemaRefused("the schemas are too large to generate values for")
            entry = self._validators[id(schema)] = (schema, result)
        if isinstance(entry[1], SchemaRefused):
            raise entry[1]
        return entry[1]

    def parts(self, schema: Schema) -> int:
        """The size of a schema without its definitions."""
        if id(schema) not in self._parts:
            self._parts[id(schema)] = (schema, parts_of(schema))
        return self._parts[id(schema)][1]

    def is_exact(self, shape: Shape) -> bool:
        """Whether a shape covers all keywords of its schema."""
        if shape.foreign or shape.pattern is None:
            return not shape.foreign
        return not loosen(parse_pattern(shape.pattern).root)[1]

    def is_covered(self, schema: Schema) -> bool:
        """Whether shapes cover all keywords of a schema and of its parts."""
        if isinstance(schema, bool):
            return True
        shape = self.shape(schema)
        inner = (shape.items, shape.additional, *shape.properties.values())
        return self.is_exact(shape) and all(map(self.is_covered, inner))

    def smallest(self, schema: Schema) -> list[Any]:
        """One value that a schema accepts, or none if it accepts none. Raises Unknown."""
        entry = self._smallest.get(id(schema))
        if entry is None:
            # A schema that refers to itself finds this while it is still being analyzed.
            endless = Unknown("$ref", "every value is infinite")
            self._smallest[id(schema)] = (schema, endless)
            self._nesting_level += 1
            result: list[Any] | Unknown
            try:
                result = (
                    self._find_smallest(schema) if self._nesting_level <= MAX_DEPTH else endless
                )
            except Unknown as unknown:
                result = unknown
            self._nesting_level -= 1
            entry = self._smallest[id(schema)] = (schema, result)
        if isinstance(entry[1], Unknown):
            raise entry[1]
        return entry[1]

    def _find_smallest(self, schema: Schema) -> list[Any]:
        shape = self.shape(schema)
        if shape.allowed_values is not None or self.is_exact(shape):
            return list(islice(self.values(schema, 1), 1))
        try:
            validator = self.validator(schema)
            for value in islice(self.vary(schema), _TRIED_VALUES):
                if validator.is_valid(value):
                    return [value]
            if next(self.values(schema, 1), self) is self:
                return []
            reason = "no accepted value was found"
        except (SchemaRefused, Undecidable) as error:
            reason = str(error)
        raise Unknown((shape.foreign or ["pattern"])[0], reason)

    def values(self, schema: Schema, limit: int, avoid: Iterable[str] = ()) -> Iterator[Any]:
        """`limit` different values, fewer only if a schema accepts no more. Raises Unknown.

        Unsupported keywords may reject some. Free property names are not in `avoid`.
        """
        shape = self.shape(schema)
        if shape.allowed_values is not None:
            yield from self._filter_enum(schema, shape)[:limit]
            return
        for kind in KINDS:
            if kind in shape.kinds:
                for value in self.of_kind(shape, kind, limit, avoid):
                    yield value
                    limit -= 1
                if not limit:
                    return

    def _filter_enum(self, schema: Schema, shape: Shape) -> list[Any]:
        allowed_values = list((shape.allowed_values or {}).values())
        rest = without_enum(schema)
        if not isinstance(rest, dict) or not rest:
            return allowed_values
        try:
            validator = self.validator(rest)
        except SchemaRefused as refusal:
            raise Unknown("enum", str(refusal)) from None
        return [value for value in allowed_values if validator.is_valid(value)]

    def of_kind(
        self, shape: Shape, kind: str, limit: int, avoid: Iterable[str] = ()
    ) -> Iterator[Any]:
        """The result of `values` for one type."""
        if kind == "string":
            return islice(self.texts(shape), limit)
        if kind == "number":
            return self._numbers(shape, limit)
        if kind == "array":
            return self._limit_parts(self.lists(shape, limit))
        if kind == "object":
            return self._limit_parts(self._objects(shape, limit, avoid))
        return islice(iter([None] if kind == "null" else [False, True]), limit)

    def _limit_parts(self, values: Iterator[Any]) -> Iterator[Any]:
        """Composed values, as long as they do not have too many parts together."""
        for value in values:
            try:
                self.work.spend(1 + size_of(_check_size(value)) // _PARTS)
            except Undecidable:
                raise Unknown("", "all values together have too many parts") from None
            yield value

    def _numbers(self, shape: Shape, limit: int) -> Iterator[Any]:
        count = 0
        for value in islice(shape.number.values(), limit):
            yield value
            count += 1
        if count < limit and not shape.number.is_finite:
            raise Unknown(
                "type", "no floating-point number is precise enough for a value between the bounds"
            )

    def texts(self, shape: Shape) -> Iterator[str]:
        """Every string that the length and the pattern allow. Raises Unknown."""
        if shape.longest is not None and shape.shortest > shape.longest:
            return
        if shape.shortest > MAX_TEXT:
            raise Unknown(
                "minLength", f"strings of more than {MAX_TEXT} characters are not generated"
            )
        try:
            if shape.pattern is None:
                yield from _plain_texts(shape.shortest, shape.longest)
                return
            node, low, high = parse_pattern(shape.pattern).root, shape.shortest, shape.longest
            first = shortest_text(node)
            if first is None or len(first) < low or (high is not None and len(first) > high):
                loose = loosen(node)[0]
                first = find_witness(loose, NO_TEXT, shortest=low, longest=high, work=self.work)
            if first is not None:
                yield first
                texts = strings(node, shortest=low, longest=high, work=self.work)
                yield from (other for other in texts if other != first)
        except Undecidable as undecidable:
            raise Unknown("pattern", undecidable.reason) from None

    def lists(self, shape: Shape, limit: int) -> Iterator[list[Any]]:
        """Different lists, as in `values`."""
        if shape.most is not None and shape.fewest > shape.most:
            return
        if limit == 1:
            instance = self.list_of(shape, shape.fewest)
            if instance is not None:
                yield instance
            return
        if shape.unique:
            yield from self._sets(shape, limit)
            return
        items = list(self.values(shape.items, limit))
        length = shape.fewest
        while limit > 0 and (shape.most is None or length <= shape.most):
            _check_length(length)
            if length and not items:
                return
            if len(items) >= limit and length:
                several: Iterable[list[Any]] = (_repeat_item(item, length) for item in items)
            else:
                several = map(list, product(items, repeat=length))
            for value in islice(several, limit):
                yield value
                limit -= 1
            length += 1

    def _sets(self, shape: Shape, limit: int) -> Iterator[list[Any]]:
        _check_length(shape.fewest)
        items = list(self.values(shape.items, max(limit, shape.fewest)))
        longest = len(items) if shape.most is None else min(len(items), shape.most)
        for length in range(shape.fewest, longest + 1):
            for value in islice(permutations(items, length), limit):
                yield list(value)
                limit -= 1
            if limit <= 0:
                return

    def list_of(
        self, shape: Shape, length: int, first: list[Any] | None = None
    ) -> list[Any] | None:
        """A list of that length that starts with `first`; None if there is none. Raises Unknown."""
        _check_length(length)
        instance = list(first or [])
        if length <= len(instance):
            return instance
        if not shape.unique:
            item = instance or self.smallest(shape.items)
            return _repeat_item(item[0], length) if item else None
        known_keys = set(map(value_key, instance))
        for value in self._limit_parts(self.values(shape.items, length)):
            if len(instance) < length and value_key(value) not in known_keys:
                instance.append(value)
        return _check_size(instance) if len(instance) == length else None

    def _objects(self, shape: Shape, limit: int, avoid: Iterable[str]) -> Iterator[dict[str, Any]]:
        minimal = self.minimal(shape)
        if minimal is None:
            return
        if limit == 1:
            yield minimal
            return
        names: list[str] = []
        options: list[list[Any]] = []
        combinations = 1
        for name in dict.fromkeys((*shape.required_names, *shape.properties)):
            value_choices = [[value] for value in self.values(shape.of_property(name), limit)]
            choices = value_choices if name in shape.required_names else [[], *value_choices]
            names.append(name)
            options.append(choices)
            combinations *= len(choices)
            if combinations >= limit:
                break
        for combination in islice(product(*options), limit):
            instance = {name: value for name, value in minimal.items() if name not in names}
            instance.update(
                (name, choice[0]) for name, choice in zip(names, combination, strict=True) if choice
            )
            yield instance
            limit -= 1
        extra = self.smallest(shape.additional) if limit else []
        if extra:
            taken_names = {*shape.properties, *shape.required_names, *avoid}
            for name in islice(fresh_names(taken_names), limit):
                yield {**minimal, name: extra[0]}

    def minimal(self, shape: Shape) -> dict[str, Any] | None:
        """The object with only the required properties; None if there is none."""
        instance: dict[str, Any] = {}
        for name in shape.required_names:
            values = self.smallest(shape.of_property(name))
            if not values:
                return None
            instance[name] = values[0]
        return _check_size(instance)

    # Values near edge cases

    def vary(self, schema: Schema, depth: int = 0) -> Iterator[Any]:
        """Values near the edges of a schema, some of them rejected or repeated.

        Raises Undecidable.
        """
        self.work.spend(_STEPS)
        yield from stated_values(schema)
        shape = self.shape(schema)
        if shape.allowed_values is not None:
            yield from shape.allowed_values.values()
        elif depth < _DEPTH:
            turns = [
                self._vary_kind(schema, shape, kind, depth) for kind in KINDS if kind in shape.kinds
            ]
            turns += [self.vary(branch, depth + 1) for branch in self._branches(schema)]
            yield from _in_turn(turns)

    def _branches(self, schema: Schema) -> Iterator[Schema]:
        """The alternative and combined subschemas, each joined with the rest."""
        if isinstance(schema, bool) or _BRANCHING_KEYWORDS.isdisjoint(schema):
            return
        inner: list[Any] = []
        for keyword in ("$ref", "$dynamicRef"):
            reference = schema.get(keyword)
            if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
                inner.append(follow(self.root, reference))
        for keyword in ("allOf", "anyOf", "oneOf"):
            parts = [part for part in _parts(schema.get(keyword)) if isinstance(part, dict)]
            if keyword == "allOf":
                inner.append({key: part[key] for part in parts for key in part})
            inner += parts
        inner += [schema.get(keyword) for keyword in ("then", "else")]
        rest = {key: value for key, value in schema.items() if key not in _BRANCHING_KEYWORDS}
        for branch in inner:
            if isinstance(branch, dict) and branch:
                yield {**rest, **branch}

    def _vary_kind(self, schema: Schema, shape: Shape, kind: str, depth: int) -> Iterator[Any]:
        keywords = schema if isinstance(schema, dict) else {}
        if kind == "string":
            return self._varied_texts(shape)
        if kind == "number":
            return self._varied_numbers(keywords, shape)
        if kind == "array":
            return self._varied_arrays(keywords, shape, depth)
        if kind == "object":
            return self._varied_objects(keywords, shape, depth)
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

    def _texts_of_format(self, shape: Shape, format_texts: FormatTexts) -> Iterator[str]:
        """The shortest and longest of a format and a pattern, and more without the pattern."""
        ends = [end for end in (shape.longest, format_texts.longest) if end is not None]
        longest = min(ends, default=None)
        some = parse_pattern(format_texts.some).root
        try:
            for shortest in (shape.shortest, longest or 0):
                text = refused_text(shape, NO_TEXT, shortest, longest, self.work, format_texts.some)
                if text is not None:
                    yield text
            texts = strings(some, shortest=shape.shortest, longest=longest, work=self.work)
            yield from islice(texts, _TRIED_VALUES)
        except Undecidable as undecidable:
            raise Unknown("pattern", undecidable.reason) from None

    def _varied_numbers(self, schema: dict[str, Any], shape: Shape) -> Iterator[Any]:
        interval = shape.number
        edges = [interval.near_low(), interval.near_high(), interval.fraction(), 0, 1, -1]
        step: Any = schema.get("multipleOf")
        if is_number(step) and step > 0:
            near: list[Any] = [edge for edge in edges[:2] if edge is not None]
            edges += [(edge // step + index) * step for edge in near for index in (0, 1, -1)]
        yield from (edge for edge in edges if edge is not None and edge in interval)
        yield from interval.values()

    def _varied_arrays(self, schema: dict[str, Any], shape: Shape, depth: int) -> Iterator[Any]:
        yield from self.lists(shape, 1)
        if shape.most == 0:
            return
        length = max(1, shape.fewest)
        most = shape.most if shape.most is not None and length < shape.most <= _MANY else 0
        items = [self.vary(shape.items, depth + 1)]
        contained_schema, parts = schema.get("contains"), schema.get("prefixItems")
        if isinstance(contained_schema, dict):
            items.append(self.vary(contained_schema, depth + 1))
        first: list[Any] = []
        for part in _parts(parts):
            first += self.smallest(part)
        if first:
            yield first
        for item in _in_turn(items):
            if first:
                yield [*first, item]
            for size in (length, most):
                instance = self.list_of(shape, size, [item]) if size else None
                if instance is not None:
                    yield instance

    def _varied_objects(self, schema: dict[str, Any], shape: Shape, depth: int) -> Iterator[Any]:
        minimal = self.minimal(shape)
        if minimal is None:
            return
        yield minimal
        full = dict(minimal)
        for name, part in shape.properties.items():
            values = [full[name]] if name in full else self.smallest(part)
            if values:
                full[name] = values[0]
        yield full
        filled_objects = [minimal, full]
        parts = dict(shape.properties)
        for name in islice(self._names(schema, shape, depth), _NAMES):
            part = _part_of(schema, shape, name)
            if part is not shape.additional and len(parts) < len(shape.properties) + _VARIED_NAMES:
                parts[name] = part
            values = self.smallest(part)
            if values:
                yield {**minimal, name: values[0]}
                filled_objects = [{**base, name: values[0]} for base in filled_objects]
                yield from filled_objects
        turns = [
            self._with(name, part, (minimal, full, *filled_objects), depth)
            for name, part in parts.items()
        ]
        yield from _in_turn(turns)

    def _with(
        self, name: str, part: Schema, bases: tuple[dict[str, Any], ...], depth: int
    ) -> Iterator[Any]:
        """Objects that differ in one property."""
        for value in self.vary(part, depth + 1):
            yield from ({**base, name: value} for base in bases)

    def _names(self, schema: dict[str, Any], shape: Shape, depth: int) -> Iterator[str]:
        """Property names that other keywords mention, and unused ones."""
        dependent, patterns = schema.get("dependentRequired"), schema.get("patternProperties")
        names = schema.get("propertyNames")
        turns: list[Iterator[str]] = []
        if isinstance(dependent, dict):
            name_groups = [group for group in dependent.values() if isinstance(group, list)]
            turns.append(name for group in name_groups for name in group if isinstance(name, str))
        if isinstance(patterns, dict):
            turns += [_texts_of(pattern) for pattern in patterns]
        if isinstance(names, dict):
            varied_names = islice(
                self.vary(names, depth + 1), _TRIED_VALUES
            )  # It may accept no string at all.
            turns.append(name for name in varied_names if isinstance(name, str))
        turns.append(fresh_names({*shape.properties, *shape.required_names}))
        yield from _in_turn(turns)


def without_enum(schema: Schema) -> Schema:
    """A schema without its enum, its annotations and the keywords that the enum satisfies."""
    if isinstance(schema, bool):
        return schema
    return {
        key: value
        for key, value in schema.items()
        if key not in ("enum", "const", "default", "examples", "title", "description")
    }


def fresh_names(taken_names: set[str]) -> Iterator[str]:
    """Property names that are not taken."""
    number = 1
    while True:
        name = "extra" if number == 1 else f"extra{number}"
        if name not in taken_names:
            yield name
        number += 1


def refused_text(
    shape: Shape, wide: Node, low: int, high: int | None, work: Work, form: str = ""
) -> str | None:
    """A string of `shape` that does not match `wide`; with `form`, one that matches this pattern.

    Raises Undecidable.
    """
    if high is not None and low > high:
        return None
    node, *within = [
        parse_pattern(pattern).root for pattern in (shape.pattern, form) if pattern
    ] or [EMPTY]
    return find_witness(node, wide, within=within, shortest=low, longest=high, work=work)


def _plain_texts(shortest: int, longest: int | None) -> Iterator[str]:
    """Strings for a schema without a pattern, readable ones first."""
    length = shortest
    while longest is None or length <= longest:
        if length == 0:
            yield ""
        else:
            last = strings(ANY_TEXT, whole=True, shortest=1, longest=1)
            yield from ("a" * (length - 1) + character for character in last)
        length += 1


def _in_turn(turns: list[Iterator[Any]]) -> Iterator[Any]:
    """Take one value of each iterator in turn, until all are exhausted."""
    while turns:
        for iterator in tuple(turns):
            try:
                yield next(iterator)
            except (StopIteration, Unknown):
                turns.remove(iterator)


def _part_of(schema: dict[str, Any], shape: Shape, name: str) -> Schema:
    """The schema of a property's value, including patternProperties."""
    patterns = schema.get("patternProperties")
    for pattern, part in patterns.items() if isinstance(patterns, dict) else ():
        if isinstance(part, dict | bool) and is_match(pattern, name):
            return part
    return shape.of_property(name)


def _texts_of(pattern: str) -> Iterator[str]:
    """Strings of a pattern; none if it is invalid or not supported."""
    try:
        yield from strings(parse_pattern(pattern).root)
    except (PatternError, Undecidable):
        return


def _parts(subschemas: Any) -> list[Schema]:
    """The first subschemas of a list."""
    if not isinstance(subschemas, list):
        return []
    return [part for part in subschemas if isinstance(part, dict | bool)][:_NAMES]


def _repeat_item(item: Any, length: int) -> list[Any]:
    _check_length(length)
    if size_of(item) * length > MAX_SIZE:
        raise Unknown("minItems", f"values of more than {MAX_SIZE} parts are not generated")
    return [item] * length


def _check_size(value: _Value) -> _Value:
    """The same value. Raises Unknown if it is too large."""
    if size_of(value) > MAX_SIZE:
        raise Unknown("required", f"values of more than {MAX_SIZE} parts are not generated")
    return value


def size_of(value: Any) -> int:
    """The number of characters and other parts; slightly more than MAX_SIZE for a larger value."""
    size, stack = 0, [value]
    while stack and size <= MAX_SIZE:
        part = stack.pop()
        size += 1
        if isinstance(part, str):
            size += len(part)
        elif isinstance(part, dict):
            size += sum(map(len, part))
            stack += part.values()
        elif isinstance(part, list):
            stack += part
    return size


def _check_length(length: int) -> None:
    """Raise Unknown if a list would have too many items."""
    if length > MAX_ITEMS:
        raise Unknown("minItems", f"lists of more than {MAX_ITEMS} items are not generated")
