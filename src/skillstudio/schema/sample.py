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
    included,
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
_TRIED = 200  # Maximum number of values to try if unsupported keywords may reject some.
_MANY = 100  # A string or list is generated at its maximum length only up to this length.
_DEPTH = 6  # Maximum nesting of references, branches and parts that are varied.
_NAMES = 20
_VARIED_NAMES = 3
_STEPS = 50  # The cost of one more schema, in steps of an automaton.
_BRANCHING = frozenset(
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
    seen: set[Hashable] = set()
    with suppress(Undecidable):
        for value in islice(sampler.varied(schema), limit * 10 + _TRIED):
            sampler.work.spend(size_of(value) + weight)
            key = value_key(value)
            if key not in seen and validator.is_valid(value):
                seen.add(key)
                yield value
                if len(seen) >= limit:
                    return


def stated_values(schema: Schema) -> Iterator[Any]:
    """The default and the examples of a schema that are JSON values."""
    if isinstance(schema, dict):
        examples = schema.get("examples")
        stated = [schema["default"]] if "default" in schema else []
        stated += examples if isinstance(examples, list) else []
        yield from filter(is_json, stated)


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
        self._nesting = 0

    def shape(self, schema: Schema) -> Shape:
        if id(schema) not in self._shapes:
            self._shapes[id(schema)] = (schema, read_shape(schema))
        return self._shapes[id(schema)][1]

    def validator(self, schema: Schema) -> Validator:
        """The validator of a schema in the root. Raises SchemaRefused."""
        known = self._validators.get(id(schema))
        if known is None:
            alone = schema
            if self._definitions and isinstance(schema, dict):
                alone = {**self._definitions, **schema}
            made: Validator | SchemaRefused
            try:
                self.work.spend(_PART_STEPS * self.parts(alone))
                made = compile_schema(alone)
            except SchemaRefused as refused:
                made = refused
            except Undecidable:
                made = SchemaRefused("the schemas are too large to generate values for")
            known = self._validators[id(schema)] = (schema, made)
        if isinstance(known[1], SchemaRefused):
            raise known[1]
        return known[1]

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
        known = self._smallest.get(id(schema))
        if known is None:
            # A schema that refers to itself finds this while it is still being analyzed.
            endless = Unknown("$ref", "every value is infinite")
            self._smallest[id(schema)] = (schema, endless)
            self._nesting += 1
            made: list[Any] | Unknown
            try:
                made = self._find_smallest(schema) if self._nesting <= MAX_DEPTH else endless
            except Unknown as unknown:
                made = unknown
            self._nesting -= 1
            known = self._smallest[id(schema)] = (schema, made)
        if isinstance(known[1], Unknown):
            raise known[1]
        return known[1]

    def _find_smallest(self, schema: Schema) -> list[Any]:
        shape = self.shape(schema)
        if shape.allowed is not None or self.is_exact(shape):
            return list(islice(self.values(schema, 1), 1))
        try:
            validator = self.validator(schema)
            for value in islice(self.varied(schema), _TRIED):
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
        if shape.allowed is not None:
            yield from self._allowed(schema, shape)[:limit]
            return
        for kind in KINDS:
            if kind in shape.kinds:
                for value in self.of_kind(shape, kind, limit, avoid):
                    yield value
                    limit -= 1
                if not limit:
                    return

    def _allowed(self, schema: Schema, shape: Shape) -> list[Any]:
        allowed = list((shape.allowed or {}).values())
        rest = without_enum(schema)
        if not isinstance(rest, dict) or not rest:
            return allowed
        try:
            validator = self.validator(rest)
        except SchemaRefused as refused:
            raise Unknown("enum", str(refused)) from None
        return [value for value in allowed if validator.is_valid(value)]

    def of_kind(
        self, shape: Shape, kind: str, limit: int, avoid: Iterable[str] = ()
    ) -> Iterator[Any]:
        """The result of `values` for one type."""
        if kind == "string":
            return islice(self.texts(shape), limit)
        if kind == "number":
            return self._numbers(shape, limit)
        if kind == "array":
            return self._bounded(self.lists(shape, limit))
        if kind == "object":
            return self._bounded(self._objects(shape, limit, avoid))
        return islice(iter([None] if kind == "null" else [False, True]), limit)

    def _bounded(self, values: Iterator[Any]) -> Iterator[Any]:
        """Composed values, as long as they do not have too many parts together."""
        for value in values:
            try:
                self.work.spend(1 + size_of(_checked(value)) // _PARTS)
            except Undecidable:
                raise Unknown("", "all values together have too many parts") from None
            yield value

    def _numbers(self, shape: Shape, limit: int) -> Iterator[Any]:
        found = 0
        for value in islice(shape.number.values(), limit):
            yield value
            found += 1
        if found < limit and not shape.number.is_finite:
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
                first = included(loose, NO_TEXT, shortest=low, longest=high, work=self.work)
            if first is not None:
                yield first
                others = strings(node, shortest=low, longest=high, work=self.work)
                yield from (other for other in others if other != first)
        except Undecidable as undecidable:
            raise Unknown("pattern", undecidable.reason) from None

    def lists(self, shape: Shape, limit: int) -> Iterator[list[Any]]:
        """Different lists, as in `values`."""
        if shape.most is not None and shape.fewest > shape.most:
            return
        if limit == 1:
            made = self.list_of(shape, shape.fewest)
            if made is not None:
                yield made
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
                several: Iterable[list[Any]] = (_repeated(item, length) for item in items)
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
        made = list(first or [])
        if length <= len(made):
            return made
        if not shape.unique:
            item = made or self.smallest(shape.items)
            return _repeated(item[0], length) if item else None
        known = set(map(value_key, made))
        for value in self._bounded(self.values(shape.items, length)):
            if len(made) < length and value_key(value) not in known:
                made.append(value)
        return _checked(made) if len(made) == length else None

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
        for name in dict.fromkeys((*shape.required, *shape.properties)):
            found = [[value] for value in self.values(shape.of_property(name), limit)]
            choices = found if name in shape.required else [[], *found]
            names.append(name)
            options.append(choices)
            combinations *= len(choices)
            if combinations >= limit:
                break
        for chosen in islice(product(*options), limit):
            made = {name: value for name, value in minimal.items() if name not in names}
            made.update((name, one[0]) for name, one in zip(names, chosen, strict=True) if one)
            yield made
            limit -= 1
        extra = self.smallest(shape.additional) if limit else []
        if extra:
            taken = {*shape.properties, *shape.required, *avoid}
            for name in islice(fresh_names(taken), limit):
                yield {**minimal, name: extra[0]}

    def minimal(self, shape: Shape) -> dict[str, Any] | None:
        """The object with only the required properties; None if there is none."""
        made: dict[str, Any] = {}
        for name in shape.required:
            found = self.smallest(shape.of_property(name))
            if not found:
                return None
            made[name] = found[0]
        return _checked(made)

    # Values near edge cases

    def varied(self, schema: Schema, depth: int = 0) -> Iterator[Any]:
        """Values near the edges of a schema, some of them rejected or repeated.

        Raises Undecidable.
        """
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
        if isinstance(schema, bool) or _BRANCHING.isdisjoint(schema):
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
        ends = [end for end in (shape.longest, known.longest) if end is not None]
        longest = min(ends, default=None)
        some = parse_pattern(known.some).root
        try:
            for shortest in (shape.shortest, longest or 0):
                found = refused_text(shape, NO_TEXT, shortest, longest, self.work, known.some)
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
        for name in islice(self._names(schema, shape, depth), _NAMES):
            part = _part_of(schema, shape, name)
            if part is not shape.additional and len(parts) < len(shape.properties) + _VARIED_NAMES:
                parts[name] = part
            found = self.smallest(part)
            if found:
                yield {**minimal, name: found[0]}
                filled = [{**base, name: found[0]} for base in filled]
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

    def _names(self, schema: dict[str, Any], shape: Shape, depth: int) -> Iterator[str]:
        """Property names that other keywords mention, and unused ones."""
        dependent, patterns = schema.get("dependentRequired"), schema.get("patternProperties")
        names = schema.get("propertyNames")
        turns: list[Iterator[str]] = []
        if isinstance(dependent, dict):
            needed = [group for group in dependent.values() if isinstance(group, list)]
            turns.append(name for group in needed for name in group if isinstance(name, str))
        if isinstance(patterns, dict):
            turns += [_texts_of(pattern) for pattern in patterns]
        if isinstance(names, dict):
            varied = islice(
                self.varied(names, depth + 1), _TRIED
            )  # It may accept no string at all.
            turns.append(name for name in varied if isinstance(name, str))
        turns.append(fresh_names({*shape.properties, *shape.required}))
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


def fresh_names(taken: set[str]) -> Iterator[str]:
    """Property names that are not taken."""
    number = 1
    while True:
        name = "extra" if number == 1 else f"extra{number}"
        if name not in taken:
            yield name
        number += 1


def refused_text(
    one: Shape, wide: Node, low: int, high: int | None, work: Work, form: str = ""
) -> str | None:
    """A string of `one` that does not match `wide`; with `form`, one that matches this pattern.

    Raises Undecidable.
    """
    if high is not None and low > high:
        return None
    node, *within = [parse_pattern(pattern).root for pattern in (one.pattern, form) if pattern] or [
        EMPTY
    ]
    return included(node, wide, within=within, shortest=low, longest=high, work=work)


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


def _parts(stated: Any) -> list[Schema]:
    """The first subschemas of a list."""
    if not isinstance(stated, list):
        return []
    return [part for part in stated if isinstance(part, dict | bool)][:_NAMES]


def _repeated(item: Any, length: int) -> list[Any]:
    _check_length(length)
    if size_of(item) * length > MAX_SIZE:
        raise Unknown("minItems", f"values of more than {MAX_SIZE} parts are not generated")
    return [item] * length


def _checked(value: _Value) -> _Value:
    """The same value. Raises Unknown if it is too large."""
    if size_of(value) > MAX_SIZE:
        raise Unknown("required", f"values of more than {MAX_SIZE} parts are not generated")
    return value


def size_of(value: Any) -> int:
    """The number of characters and other parts; slightly more than MAX_SIZE for a larger value."""
    size, waiting = 0, [value]
    while waiting and size <= MAX_SIZE:
        found = waiting.pop()
        size += 1
        if isinstance(found, str):
            size += len(found)
        elif isinstance(found, dict):
            size += sum(map(len, found))
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
    return size


def _check_length(length: int) -> None:
    """Raise Unknown if a list would have too many items."""
    if length > MAX_ITEMS:
        raise Unknown("minItems", f"lists of more than {MAX_ITEMS} items are not generated")
