"""Check values with the validators of two schemas, to confirm or find counterexamples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from skillstudio.schema.engine import compile_schema
from skillstudio.schema.keywords import walk_schema
from skillstudio.schema.outcome import Escape, SchemaError, SchemaRefused, Undecided
from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.regex.inclusion import Undecidable, states_of, strings
from skillstudio.schema.sample import Sampler, stated_values
from skillstudio.schema.shape import Schema, Shape
from skillstudio.schema.units import definitions_of
from skillstudio.schema.values import MAX_SIZE, PARTS_OF_STEP, Unknown, size_of
from skillstudio.text.node import join_pointer

REFUSED = "this rejects all sample values"
_TRIED = 200
_TRIED_TEXTS = 2_000
_COMPLETED = 20
"""Maximum number of values to combine with a rejected one, and of rejected ones."""
_TRIED_CHARACTERS = 10_000
"""Maximum number of characters for the validator, because matching can take long."""
_TRIED_STEPS = 2_000_000
"""The same limit, in characters times states of a pattern."""
_VALUE_STEPS = 20
_ERROR_STEPS = 50
"""The cost of checking a value and of finding the failing part of a schema, in steps of an
automaton."""


class Trial:
    """Two schemas; `old` and `new` have their validators."""

    def __init__(self, narrow: Schema, wide: Schema, old: Sampler, new: Sampler) -> None:
        self._narrow = narrow
        self._wide = wide
        self._old = old
        self._new = new
        self._work = old.work

    def doubt(self, escape: Escape) -> Undecided | None:
        """The validators' objection to a counterexample."""
        value, pointer = escape
        if size_of(value) > MAX_SIZE:
            return undecided_at(pointer, f"a sample value has more than {MAX_SIZE} parts")
        try:
            old, new = self._old.validator(self._narrow), self._new.validator(self._wide)
            if not old.is_valid(value):
                self._work.spend(_ERROR_STEPS * self._old.parts(self._narrow))
                place = min(join_pointer(each.schema) for each in old.errors(value))
                return undecided_at(place, REFUSED)
            if new.is_valid(value):
                return undecided_at(pointer, "the validator accepts a value it should reject")
            if self._is_given_up(value):
                return undecided_at(pointer, "the validator takes too long to match a pattern")
        except (SchemaRefused, ValueError, OverflowError) as refused:
            return undecided_at(pointer, f"the validator cannot decide: {refused}")
        except Undecidable:
            return undecided_at(pointer, REFUSED)
        return None

    def _is_given_up(self, value: Any) -> bool:
        """Whether a pattern takes the engine so long with a string that it gives up."""
        for pattern in self._hard_patterns():
            judge = compile_schema({"pattern": pattern})
            for text in _texts_in(value):
                self._work.spend(_VALUE_STEPS)
                if any(error.params == {"expensive": True} for error in judge.errors(text)):
                    return True
        return False

    def _hard_patterns(self) -> Iterator[str]:
        """Patterns of both schemas that automata do not support."""
        for schema in (self._narrow, self._wide):
            for _, part in walk_schema(schema):
                if isinstance(part, dict):
                    named = part.get("patternProperties")
                    yield from filter(_is_hard, (part.get("pattern"), *(named or ())))

    def accepts(self, narrow: Schema, value: Any) -> bool:
        """Whether a part of the narrow schema accepts the value, according to its validator."""
        try:
            return self._old.validator(narrow).is_valid(value)
        except SchemaRefused:
            return True  # The whole schema is asked in the end.

    def completed(self, narrow: Schema, refused: list[Any]) -> Iterator[Any]:
        """Rejected objects and lists, completed with other parts."""
        for value in refused[:_COMPLETED]:
            for other in islice(self._old.varied(narrow), _COMPLETED):
                if isinstance(value, dict) and isinstance(other, dict):
                    yield {**other, **value}
                elif isinstance(value, list) and isinstance(other, list):
                    yield [*value, *other]

    def tried(
        self, narrow: Schema, unit: Schema, wide: Schema, at: str, first: Iterable[Any] = ()
    ) -> Escape | None:
        """A value of the narrow schema that a part of the wide one rejects, found by trial."""
        candidates = chain(
            first,
            stated_values(narrow),
            stated_values(wide),
            islice(self._old.varied(narrow), _TRIED),
            self._texts(self._old.shape(narrow)),
        )
        try:
            old, new = self._old.validator(narrow), self._new.validator(unit)
            parts = self._old.parts(narrow) + self._new.parts(unit)
            left = self._affordable(narrow, unit)
            for value in candidates:
                size = size_of(value)
                self._work.spend(_VALUE_STEPS + size + parts // PARTS_OF_STEP)
                left -= size
                if left < 0:
                    return None
                if old.is_valid(value) and not new.is_valid(value):
                    self._work.spend(_ERROR_STEPS * parts)
                    return Escape(value, self.place(at, new.errors(value)))
        except (SchemaRefused, Undecidable, Unknown, ValueError, OverflowError):
            return None
        return None

    def place(self, at: str, errors: list[SchemaError]) -> str:
        """The first place that rejects a value; for a definition, its place in the whole."""
        first = min((each.schema for each in errors), key=join_pointer)
        is_defined = first[:1] and first[0] in definitions_of(self._wide)
        return ("" if is_defined else at) + join_pointer(first)

    def _affordable(self, narrow: Schema, unit: Schema) -> int:
        """The number of characters that may be tried. Raises Undecidable."""
        shapes = self._old.shape(narrow), self._new.shape(unit)
        states = [
            states_of(parse_pattern(each.pattern).root)
            for each in shapes
            if each.pattern is not None
        ]
        self._work.spend(sum(states))
        return min(_TRIED_CHARACTERS, _TRIED_STEPS // max(states, default=1))

    def _texts(self, shape: Shape) -> Iterator[str]:
        """Strings of a pattern that automata only partly support."""
        if "string" in shape.kinds and shape.pattern is not None:
            found = strings(
                parse_pattern(shape.pattern).root,
                shortest=shape.shortest,
                longest=shape.longest,
                work=self._work,
            )
            yield from islice(found, _TRIED_TEXTS)


def undecided_at(pointer: str, reason: str) -> Undecided:
    return Undecided(pointer.rpartition("/")[2], pointer, reason)


def _is_hard(pattern: Any) -> bool:
    try:
        return isinstance(pattern, str) and not parse_pattern(pattern).supported
    except PatternError:
        return True


def _texts_in(value: Any) -> Iterator[str]:
    """All strings of a value, including property names."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            waiting += [*found, *found.values()]
        elif isinstance(found, list):
            waiting += found
