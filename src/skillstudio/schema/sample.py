"""Values that a schema accepts: the smallest, all of a small set, or a few that show its edges."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import islice, product
from typing import Any

from skillstudio.schema.engine import compile_schema
from skillstudio.schema.engine_plain import plain_validator
from skillstudio.schema.outcome import SchemaRefused, Validator
from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.regex.inclusion import (
    ANY_TEXT,
    NO_TEXT,
    Undecidable,
    included,
    loosen,
    strings,
)
from skillstudio.schema.shape import (
    KINDS,
    Schema,
    Shape,
    is_json,
    read_shape,
    too_large,
    value_key,
)
from skillstudio.schema.units import definitions_of

MAX_TEXT = 100_000
MAX_ITEMS = 10_000
_TRIED = 200
"""How many values are tried where keywords refuse some that are not understood."""
_MANY = 100
"""A text or a list is only made as long as it may be where that is no longer."""


class Unknown(Exception):
    """Values that were not found, though there may be some."""

    def __init__(self, keyword: str, reason: str) -> None:
        super().__init__(reason)
        self.keyword = keyword
        self.reason = reason


def samples(schema: Schema, limit: int = 20) -> Iterator[Any]:
    """Different values that a schema accepts, its own examples first, then small ones and edges.

    No more than `limit`, and always the same. Raises SchemaRefused for a schema that cannot be
    used.
    """
    reason = too_large(schema)
    if reason:
        raise SchemaRefused(reason)
    validator = compile_schema(schema)
    seen: set[Hashable] = set()
    for value in islice(Sampler(schema).varied(schema), limit * 10 + _TRIED):
        key = value_key(value)
        if key not in seen and validator.is_valid(value):
            seen.add(key)
            yield value
            if len(seen) >= limit:
                return


def sample_text(pattern: str) -> str | None:
    """A shortest text in which a pattern matches; None where it matches in none.

    Raises PatternError, and Undecidable where no automaton can follow the pattern.
    """
    return included(parse_pattern(pattern).root, NO_TEXT)


def stated_values(schema: Schema) -> Iterator[Any]:
    """The default and the examples that a schema gives, as far as JSON has such values."""
    if isinstance(schema, dict):
        examples = schema.get("examples")
        stated = [schema["default"]] if "default" in schema else []
        stated += examples if isinstance(examples, list) else []
        yield from filter(is_json, stated)


class Sampler:
    """Finds values for a schema and the schemas in it; `root` holds what its references name."""

    def __init__(self, root: Schema) -> None:
        self._definitions = definitions_of(root)
        self._shapes: dict[int, tuple[Schema, Shape]] = {}
        self._validators: dict[int, tuple[Schema, Validator | SchemaRefused]] = {}

    def shape(self, schema: Schema) -> Shape:
        known = self._shapes.get(id(schema))
        if known is None:
            known = self._shapes[id(schema)] = (schema, read_shape(schema))
        return known[1]

    def validator(self, schema: Schema) -> Validator:
        """The validator of a schema in the root. Raises SchemaRefused."""
        known = self._validators.get(id(schema))
        if known is None:
            alone = schema
            if self._definitions and isinstance(schema, dict):
                alone = {**self._definitions, **schema}
            made: Validator | SchemaRefused
            try:
                made = plain_validator(alone) or compile_schema(alone)
            except SchemaRefused as refused:
                made = refused
            known = self._validators[id(schema)] = (schema, made)
        if isinstance(known[1], SchemaRefused):
            raise known[1]
        return known[1]

    def is_exact(self, shape: Shape) -> bool:
        """Whether a shape says all that its schema says."""
        return not shape.foreign and not (
            shape.pattern is not None and loosen(parse_pattern(shape.pattern).root)[1]
        )

    def smallest(self, schema: Schema) -> list[Any]:
        """One value that a schema accepts, or none where it accepts none. Raises Unknown."""
        shape = self.shape(schema)
        if shape.allowed is not None or self.is_exact(shape):
            return self.values(schema, 1)
        try:
            validator = self.validator(schema)
        except SchemaRefused as refused:
            raise Unknown(_first_foreign(shape), str(refused)) from None
        for value in islice(self.varied(schema), _TRIED):
            if validator.is_valid(value):
                return [value]
        if not self.values(schema, 1):
            return []
        raise Unknown(_first_foreign(shape), "no value was found that this accepts")

    def values(self, schema: Schema, limit: int, avoid: Iterable[str] = ()) -> list[Any]:
        """Different values, `limit` of them, and fewer only where a schema accepts no more.

        Keywords that are not understood refuse some of these. Properties that a schema does not
        name are named otherwise than `avoid` says. Raises Unknown.
        """
        shape = self.shape(schema)
        if shape.allowed is not None:
            return self._allowed(schema, shape)[:limit]
        found: list[Any] = []
        for kind in KINDS:
            if kind in shape.kinds and len(found) < limit:
                found += self.of_kind(shape, kind, limit - len(found), avoid)
        return found

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

    def of_kind(self, shape: Shape, kind: str, limit: int, avoid: Iterable[str] = ()) -> list[Any]:
        """What `values` gives of one type."""
        if kind == "string":
            return list(islice(self._texts(shape), limit))
        if kind == "number":
            found = list(islice(shape.number.values(), limit))
            if len(found) < limit and not shape.number.is_finite:
                raise Unknown("type", "no float is precise enough for a number between the bounds")
            return found
        if kind == "array":
            return self._arrays(shape, limit)
        if kind == "object":
            return self._objects(shape, limit, avoid)
        return [None] if kind == "null" else [False, True][:limit]

    def _texts(self, shape: Shape) -> Iterator[str]:
        if shape.longest is not None and shape.shortest > shape.longest:
            return
        if shape.shortest > MAX_TEXT:
            raise Unknown("minLength", f"texts of more than {MAX_TEXT} characters are not made")
        try:
            if shape.pattern is None:
                yield from _plain_texts(shape.shortest, shape.longest)
                return
            node, low, high = parse_pattern(shape.pattern).root, shape.shortest, shape.longest
            first = included(loosen(node)[0], NO_TEXT, shortest=low, longest=high)
            if first is not None:
                yield first
                others = strings(node, shortest=low, longest=high)
                yield from (each for each in others if each != first)
        except Undecidable as undecidable:
            raise Unknown("pattern", undecidable.reason) from None

    def _arrays(self, shape: Shape, limit: int) -> list[Any]:
        if shape.most is not None and shape.fewest > shape.most:
            return []
        if shape.fewest > MAX_ITEMS:
            raise Unknown("minItems", f"lists of more than {MAX_ITEMS} items are not made")
        if limit == 1 and shape.fewest == 0:
            return [[]]
        items = self.smallest(shape.items) if limit == 1 else self.values(shape.items, limit)
        found: list[Any] = []
        length = shape.fewest
        while len(found) < limit and (shape.most is None or length <= shape.most):
            if length > MAX_ITEMS:
                raise Unknown("items", f"lists of more than {MAX_ITEMS} items are not made")
            if length and not items:
                break
            if len(items) >= limit and length:
                several: Iterable[list[Any]] = ([each] * length for each in items)
            else:
                several = map(list, product(items, repeat=length))
            found += islice(several, limit - len(found))
            length += 1
        return found

    def _objects(self, shape: Shape, limit: int, avoid: Iterable[str]) -> list[Any]:
        minimal = self.minimal(shape)
        if minimal is None:
            return []
        if limit == 1:
            return [minimal]
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
        result = []
        for chosen in islice(product(*options), limit):
            made = {name: value for name, value in minimal.items() if name not in names}
            made.update((name, one[0]) for name, one in zip(names, chosen, strict=True) if one)
            result.append(made)
        extra = self.smallest(shape.additional) if len(result) < limit else []
        if extra:
            taken = {*shape.properties, *shape.required, *avoid}
            names = list(islice(fresh_names(taken), limit - len(result)))
            result += [{**minimal, name: extra[0]} for name in names]
        return result

    def minimal(self, shape: Shape) -> dict[str, Any] | None:
        """The object with nothing but what is required; None where there is no object."""
        made = {}
        for name in shape.required:
            found = self.smallest(shape.of_property(name))
            if not found:
                return None
            made[name] = found[0]
        return made

    def varied(self, schema: Schema) -> Iterator[Any]:
        """Values that show the edges of a schema. Some may be refused, some come twice."""
        yield from stated_values(schema)
        shape = self.shape(schema)
        if shape.allowed is not None:
            yield from shape.allowed.values()
            return
        open_kinds = [self._varied(shape, kind) for kind in KINDS if kind in shape.kinds]
        while open_kinds:
            for each in tuple(open_kinds):
                try:
                    yield next(each)
                except (StopIteration, Unknown):
                    open_kinds.remove(each)

    def _varied(self, shape: Shape, kind: str) -> Iterator[Any]:
        if kind == "string":
            return self._varied_texts(shape)
        if kind == "number":
            return self._varied_numbers(shape)
        if kind == "array":
            return self._varied_arrays(shape)
        if kind == "object":
            return self._varied_objects(shape)
        return iter([None] if kind == "null" else [False, True])

    def _varied_texts(self, shape: Shape) -> Iterator[str]:
        longest = shape.longest
        if longest is not None and longest <= _MANY and shape.pattern is None:
            yield "a" * longest
        if shape.foreign:
            yield from _TEXTS
        yield from self._texts(shape)

    def _varied_numbers(self, shape: Shape) -> Iterator[Any]:
        interval = shape.number
        edges = (interval.near_low(), interval.near_high(), interval.fraction(), 0, 1, -1)
        yield from (edge for edge in edges if edge is not None and edge in interval)
        yield from interval.values()

    def _varied_arrays(self, shape: Shape) -> Iterator[Any]:
        yield from self._arrays(shape, 1)
        if shape.most is None or shape.most > 0:
            length = max(1, shape.fewest)
            for item in self.varied(shape.items):
                yield [item] * length
                if shape.most is not None and length < shape.most <= _MANY:
                    yield [item] * shape.most

    def _varied_objects(self, shape: Shape) -> Iterator[Any]:
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
        each_varied = [(name, self.varied(part)) for name, part in shape.properties.items()]
        while each_varied:
            for item in tuple(each_varied):
                name, values = item
                try:
                    yield {**minimal, name: next(values)}
                except StopIteration:
                    each_varied.remove(item)


_TEXTS = (
    "2000-01-01", "2000-01-01T00:00:00Z", "00:00:00Z", "a@example.com", "127.0.0.1", "::1",
    "https://example.com/", "/a", "00000000-0000-4000-8000-000000000000", "example.com", "P1D",
)  # fmt: skip
"""One text for each of the usual formats."""


def without_enum(schema: Schema) -> Schema:
    """A schema without the values it lists, its annotations and what they cannot break."""
    if isinstance(schema, bool):
        return schema
    return {
        key: value
        for key, value in schema.items()
        if key not in ("enum", "const", "default", "examples", "title", "description")
    }


def fresh_names(taken: set[str]) -> Iterator[str]:
    """Names for properties that are not among some others."""
    number = 1
    while True:
        name = "extra" if number == 1 else f"extra{number}"
        if name not in taken:
            yield name
        number += 1


def _plain_texts(shortest: int, longest: int | None) -> Iterator[str]:
    """Texts with no pattern, those that read well first."""
    length = shortest
    while longest is None or length <= longest:
        if length == 0:
            yield ""
        else:
            last = strings(ANY_TEXT, whole=True, shortest=1, longest=1)
            yield from ("a" * (length - 1) + character for character in last)
        length += 1


def _first_foreign(shape: Shape) -> str:
    return shape.foreign[0] if shape.foreign else "pattern"
