"""Find a value that satisfies some schemas and violates others, or show that there is none.

The schemas are expanded into cases (`cases`), and a value of each type is looked for case by case.
A part of a value is again such a question. Within the search for a value of some schemas, the same
schemas have no value for a part: a smaller value would have been found without. That ends the
search in schemas that refer to themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice, product
from typing import Any

from skillstudio.schema.cases import (
    KIND_OF_ATOM,
    Atom,
    Cases,
    Literal,
    Rest,
    SchemaCase,
    Term,
    Unknown,
)
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.interval import Interval, Number
from skillstudio.schema.keywords import BOUNDS
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.regex import PatternError, PatternUnsupported, parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, find_witness
from skillstudio.schema.regex.nodes import EMPTY, Alternate, Assertion, Chars, Concat, Node
from skillstudio.schema.sample import MAX_SIZE, fresh_names, size_of
from skillstudio.schema.shape import KINDS, Schema, kind_of, value_key
from skillstudio.schema.work import Undecidable, Work

MAX_DEPTH = 40  # Maximum nesting of parts of a value.
MAX_TRIES = 10_000  # Maximum number of multiples to try.
MAX_LENGTH = 2_000  # Maximum length of a list whose items are counted.
MAX_PATTERNS = 5  # Maximum number of patterns of property names that are distinguished.
MAX_NAMES = 200  # Maximum number of properties of one value.
_VALUE_STEPS = 40
_COUNT_STEPS = 8
_LENGTHY = "a value would have too many parts"
_IMPRECISE = "no floating-point number is precise enough for a value"
_Finding = list[Any]
"""One value, or none: a value may be null."""


class Solver:
    """Finds values for schemas of up to two wholes; with `is_lenient` without the properties that
    only the second one describes and the first one leaves open.
    """

    def __init__(self, wholes: tuple[Schema, ...], work: Work, is_lenient: bool = False) -> None:
        self._cases = Cases(wholes, work)
        self._work = work
        self.is_lenient = is_lenient
        self._answers: dict[Hashable, _Finding | Unknown] = {}
        self._active: dict[Hashable, int] = {}
        self._assumed_depth = MAX_DEPTH
        """The outermost question that the answers since then assume to have no value."""
        self._active_evaluations: set[tuple[int, int]] = set()
        self._keys: dict[int, tuple[list[Any], frozenset[Hashable]]] = {}

    def solve(self, term: Term) -> _Finding:
        """A value of a term. Raises Unknown."""
        try:
            return self.find(term)
        except Undecidable:
            raise Unknown("", "the schemas take too long to compare") from None

    def key(self, term: Term) -> Hashable:
        """Equal for terms that mean the same as they are written."""
        return frozenset(self._cases.key(literal) for literal in term)

    def find(self, term: Term) -> _Finding:
        """A value of a term. Raises Unknown and Undecidable."""
        key = self.key(term)
        cached_answer = self._answers.get(key)
        if isinstance(cached_answer, Unknown):
            raise cached_answer
        if cached_answer is not None:
            return cached_answer
        if key in self._active:
            self._assumed_depth = min(self._assumed_depth, self._active[key])
            return []
        depth = len(self._active)
        if depth >= MAX_DEPTH:
            raise Unknown("$ref", "values are nested too deeply")
        outer, self._assumed_depth = self._assumed_depth, MAX_DEPTH
        self._active[key] = depth
        try:
            answer: _Finding | Unknown = self._search(term)
        except Unknown as unknown:
            answer = unknown
        finally:
            del self._active[key]
        # Without an assumption about an outer question the answer is true everywhere.
        if self._assumed_depth >= depth or (isinstance(answer, list) and answer):
            self._answers[key] = answer
            self._assumed_depth = outer
        else:
            self._assumed_depth = min(outer, self._assumed_depth)
        if isinstance(answer, Unknown):
            raise answer
        return answer

    def _search(self, term: Term) -> _Finding:
        def tries() -> Iterator[Callable[[], _Finding]]:
            for case in self._cases.of(term):
                enum_atoms = [atom for atom in case.atoms if atom.keyword == "enum" and atom.holds]
                if enum_atoms:
                    values = min((atom.value for atom in enum_atoms), key=len)
                    values = [value for value in values if kind_of(value) in case.kinds]
                    yield partial(self._try_values, values, term)
                    continue
                for kind in KINDS:
                    if kind in case.kinds:
                        yield partial(self._of_kind, kind, case, term)

        return _first(tries(), MAX_SIZE)

    def _try_values(self, values: list[Any], term: Term) -> _Finding:
        return _first(partial(self._if_value, value, term) for value in values)

    def _of_kind(self, kind: str, case: SchemaCase, term: Term) -> _Finding:
        if kind == "null":
            return self._try_values([None], term)
        if kind == "boolean":
            return self._try_values([False, True], term)
        excluded_values = [
            value
            for atom in case.atoms
            if atom.keyword == "enum" and not atom.holds
            for value in atom.value
            if kind_of(value) == kind
        ]
        if kind == "number":
            return _number(case.atoms, excluded_values)
        if kind == "string":
            return self._text(case.atoms, excluded_values)
        if excluded_values:
            exclusions = tuple(
                Literal(self._build_const_schema(value), False, 0) for value in excluded_values
            )
            rest = [atom for atom in case.atoms if atom.keyword != "enum"]
            return self._combine_cases(kind, rest, exclusions)
        if kind == "array":
            return _List(self, case.atoms).find()
        return _Object(self, case.atoms).find()

    def _combine_cases(self, kind: str, atoms: list[Atom], further: Term) -> _Finding:
        """A value of atoms that also satisfies schemas."""
        parts = _List if kind == "array" else _Object
        cases = self._cases.of(further, frozenset((kind,)))
        return _first(parts(self, [*atoms, *case.atoms]).find for case in cases)

    def _build_const_schema(self, value: Any) -> Schema:
        """A schema that accepts only one list or object, of keywords for its parts."""

        def make() -> Schema:
            if isinstance(value, list):
                parts = [{"const": part} for part in value]
                counts = {"minItems": len(value), "maxItems": len(value)}
                return {"type": "array", "prefixItems": parts, **counts}
            return {
                "type": "object",
                "properties": {name: {"const": part} for name, part in value.items()},
                "required": list(value),
                "additionalProperties": False,
            }

        return self._cases.derive(value, "const", make)

    def spend(self, steps: int) -> None:
        self._work.spend(steps)

    # Strings

    def _text(self, atoms: list[Atom], excluded_texts: list[str]) -> _Finding:
        low, high = 0, None
        patterns: list[Node] = []
        against: list[Node] = [_exactly(text) for text in excluded_texts]
        formats: list[str] = []
        denied_formats: list[str] = []
        for keyword, value, holds, _, _ in atoms:
            if keyword == ("minLength" if holds else "maxLength"):
                low = max(low, int(value) + (not holds))
            elif keyword == ("maxLength" if holds else "minLength"):
                end = int(value) - (not holds)
                high = end if high is None else min(high, end)
            elif keyword == "pattern":
                (patterns if holds else against).append(_root(value))
            elif keyword == "format":
                (formats if holds else denied_formats).append(value)
        if (high is not None and low > high) or set(formats) & set(denied_formats):
            return []
        try:
            texts = self._string(patterns, against, low, high)
        except Undecidable as undecidable:
            if self._work.remaining_steps < 0:
                raise
            raise Unknown("pattern", undecidable.reason) from None
        if texts and not (
            all(_has_format(texts[0], name) for name in formats)
            and not any(_has_format(texts[0], name) for name in denied_formats)
        ):
            raise Unknown("format", "the set of strings with this format is not exactly known")
        return texts

    def _string(
        self, patterns: list[Node], against: list[Node], low: int, high: int | None
    ) -> _Finding:
        if not patterns and not against:
            if low > MAX_SIZE:
                raise Unknown("minLength", _LENGTHY)
            return ["a" * low]
        node, *within = patterns or [EMPTY]
        wide = Alternate(tuple(against)) if len(against) > 1 else (against or [NO_TEXT])[0]
        witness = find_witness(
            node, wide, within=within, shortest=low, longest=high, work=self._work
        )
        return [] if witness is None else [witness]

    # Whether a value satisfies schemas

    def _keys_of(self, values: list[Any]) -> frozenset[Hashable]:
        """The keys of the values of an enum; kept, because each is compared with many values."""
        entry = self._keys.get(id(values))
        if entry is None:
            self._work.spend(len(values))
            entry = self._keys[id(values)] = (values, frozenset(map(value_key, values)))
        return entry[1]

    def _if_value(self, value: Any, term: Term) -> _Finding:
        return [value] if all(self.accepts(literal, value) for literal in term) else []

    def accepts(self, literal: Literal, value: Any) -> bool:
        """Whether a value satisfies or violates a schema as it should. Raises Unknown."""
        schema, holds, side = literal
        if isinstance(schema, bool):
            return schema is holds
        self._work.spend(_VALUE_STEPS)
        key = (id(schema), id(value))
        if key in self._active_evaluations:
            return holds  # A reference that leads to itself says nothing.
        self._active_evaluations.add(key)
        try:
            is_accepted = self._accepts(Literal(schema, True, side), value)
        finally:
            self._active_evaluations.discard(key)
        return is_accepted is holds

    def _accepts(self, literal: Literal, value: Any) -> bool:
        for case in self._cases.of((literal,), frozenset((kind_of(value),))):
            if all(self._satisfies(value, atom) for atom in case.atoms):
                return True
        return False

    def _satisfies(self, value: Any, atom: Atom) -> bool:
        """Whether a value satisfies one atom of a case for its type."""
        keyword, argument, holds, _, inner = atom
        if keyword == "enum":
            return (value_key(value) in self._keys_of(argument)) is holds
        if kind_of(value) != KIND_OF_ATOM[keyword]:
            return True
        if inner is None:
            return _is_within(value, keyword, argument) is holds
        if keyword == "property":
            if argument not in value:
                return holds
            return self.accepts(inner, value[argument])
        if keyword == "rest":
            names = [name for name in value if is_in(name, argument)]
            return _all_or_any(holds, (self.accepts(inner, value[name]) for name in names))
        if keyword == "name":
            return _all_or_any(holds, (self.accepts(inner, name) for name in value))
        if keyword == "item":
            return self.accepts(inner, value[argument]) if argument < len(value) else holds
        if keyword == "items":
            return _all_or_any(holds, (self.accepts(inner, item) for item in value[argument:]))
        _, low, high = argument
        count = sum(self.accepts(inner, item) for item in value)
        return low <= count and (high is None or count <= high)


def _first(tries: Iterable[Callable[[], _Finding]], most: float = math.inf) -> _Finding:
    """The first value found, of at most `most` parts. If none is, raises the first Unknown."""
    doubt: Unknown | None = None
    for attempt in tries:
        try:
            values = attempt()
            if values and size_of(values[0]) > most:
                raise Unknown("", _LENGTHY)
            if values:
                return values
        except Unknown as unknown:
            doubt = doubt or unknown
    if doubt is not None:
        raise doubt
    return []


def _all_or_any(holds: bool, verdicts: Iterable[bool]) -> bool:
    return all(verdicts) if holds else any(verdicts)


def _is_within(value: Any, keyword: str, argument: Any) -> bool:
    """Whether a value satisfies a keyword without subschemas that applies to its type."""
    if keyword in BOUNDS:
        is_low, is_open = "inimum" in keyword, keyword.startswith("exclusive")
        return value in (Interval().at_least if is_low else Interval().at_most)(argument, is_open)
    if keyword == "integer":
        return bool(value == value // 1)
    if keyword == "multipleOf":
        return Fraction(str(value)) % Fraction(str(argument)) == 0
    if keyword == "pattern":
        return _is_match(argument, value)
    if keyword == "format":
        return _has_format(value, argument)
    if keyword == "required":
        return argument in value
    if keyword == "uniqueItems":
        return len(set(map(value_key, value))) == len(value)
    size = len(value)
    return bool(size >= argument if keyword.startswith("min") else size <= argument)


def is_in(name: str, rest: Rest) -> bool:
    """Whether a property belongs to the rest."""
    if name in rest.names or any(_is_match(pattern, name) for pattern in rest.without):
        return False
    return rest.pattern is None or _is_match(rest.pattern, name)


def _is_match(pattern: str, text: str) -> bool:
    try:
        return parse_pattern(pattern).search(text)
    except (PatternError, PatternUnsupported) as error:
        raise Unknown("pattern", f"the pattern is not supported: {error}") from None


@lru_cache(maxsize=256)
def _has_format(text: str, name: str) -> bool:
    try:
        return compile_schema({"format": name}).is_valid(text)
    except SchemaRefused as refusal:
        raise Unknown("format", str(refusal)) from None


def _root(pattern: str) -> Node:
    try:
        return parse_pattern(pattern).root
    except PatternError as error:
        raise Unknown("pattern", str(error)) from None


def _exactly(text: str) -> Node:
    """The pattern of a single string."""
    characters = (Chars(((ord(character), ord(character)),)) for character in text)
    return Concat((Assertion("^"), *characters, Assertion("$")))


# Numbers


def _number(atoms: list[Atom], excluded_values: list[Any]) -> _Finding:
    interval = Interval()
    steps: list[Fraction] = []
    against: list[Fraction] = []
    for keyword, value, holds, _, _ in atoms:
        if keyword in BOUNDS:
            is_low = ("inimum" in keyword) is holds
            is_open = keyword.startswith("exclusive") is holds
            interval = (interval.at_least if is_low else interval.at_most)(value, is_open)
        elif keyword in ("integer", "multipleOf"):
            step = Fraction(1) if keyword == "integer" else Fraction(str(value))
            (steps if holds else against).append(step)
    avoided_values = set(excluded_values)
    if steps:
        return _multiple(interval, _least_multiple(steps), against, avoided_values)
    if interval.is_empty:
        return []
    candidates = [interval.near_low(), interval.near_high(), interval.fraction()]
    for value in (
        *candidates,
        *islice(interval.values(), len(avoided_values) + 20),
        *_near(interval),
    ):
        if value is None or value not in interval or value in avoided_values:
            continue
        if not any(Fraction(str(value)) % divisor == 0 for divisor in against):
            return [value]
    if interval.is_point:
        return []
    raise Unknown("multipleOf" if against else "type", _IMPRECISE)


def _near(interval: Interval) -> Iterator[Number]:
    """Uneven numbers near the bounds."""
    for end in (interval.low, interval.high, 0):
        if end is not None:
            for part in (0.37, 0.0123, 0.1 / 3):
                yield from (end + part, end - part)


def _multiple(
    interval: Interval, step: Fraction, against: list[Fraction], avoided_values: set[Any]
) -> _Finding:
    """A multiple in an interval that is not one of other numbers."""
    if any(step % divisor == 0 for divisor in against):
        return []
    period = int(_least_multiple([step, *against]) / step)
    tries = period * (len(avoided_values) + 1) + 2
    if tries > MAX_TRIES:
        raise Unknown("multipleOf", "too many multiples would have to be tried")
    low = None if interval.low is None else Fraction(str(interval.low))
    high = None if interval.high is None else Fraction(str(interval.high))
    first = math.ceil(low / step) if low is not None else None
    last = math.floor(high / step) if high is not None else None
    is_imprecise = False
    for index in range(tries):
        if first is not None:
            at = first + index
        elif last is not None:
            at = last - index
        else:
            at = (index + 1) // 2 * (1 if index % 2 else -1)
        if last is not None and at > last:
            break
        exact = at * step
        number: Number = int(exact) if exact.denominator == 1 else float(exact)
        if (exact == low and interval.low_open) or (exact == high and interval.high_open):
            continue
        if any(exact % divisor == 0 for divisor in against) or number in avoided_values:
            continue
        if Fraction(str(number)) == exact:
            return [number]
        is_imprecise = True
    if is_imprecise:
        raise Unknown("multipleOf", _IMPRECISE)
    return []


def _least_multiple(numbers: list[Fraction]) -> Fraction:
    """The least common multiple."""
    multiple = numbers[0]
    for number in numbers[1:]:
        multiple = Fraction(
            math.lcm(
                multiple.numerator * number.denominator, number.numerator * multiple.denominator
            ),
            multiple.denominator * number.denominator,
        )
    return multiple


# Lists


class _List:
    """The search for a list of one case."""

    def __init__(self, solver: Solver, atoms: list[Atom]) -> None:
        self._solver = solver
        self._fewest, self._most = 0, math.inf
        self._is_unique = self._has_equal = False
        self._at: dict[int, list[Literal]] = {}
        self._from: list[tuple[int, Literal]] = []
        self._counts: list[tuple[int, Literal, int, float]] = []
        """From which index on, items of what, and how many at least and at most."""
        for keyword, value, holds, _, inner in atoms:
            if keyword == ("minItems" if holds else "maxItems"):
                self._fewest = max(self._fewest, int(value) + (not holds))
            elif keyword == ("maxItems" if holds else "minItems"):
                self._most = min(self._most, int(value) - (not holds))
            elif keyword == "uniqueItems" and holds:
                self._is_unique = True
            elif keyword == "uniqueItems":
                self._has_equal = True
                self._fewest = max(self._fewest, 2)
            elif inner is None:
                continue
            elif keyword == "item":
                self._at.setdefault(value, []).append(inner)
                self._fewest = max(self._fewest, 0 if holds else value + 1)
            elif keyword == "items" and holds:
                self._from.append((value, inner))
            elif keyword == "items":
                self._counts.append((value, inner, 1, math.inf))
            elif keyword == "count":
                start, low, high = value
                self._counts.append((start, inner, low, math.inf if high is None else high))
        starts = [*(start for start, _ in self._from), *(count[0] for count in self._counts)]
        self._prefix = max([0, *(index + 1 for index in self._at), *starts])
        self._doubt: Unknown | None = None

    def find(self) -> _Finding:
        if self._fewest > self._most or (self._is_unique and self._has_equal):
            return []
        if len(self._counts) > 4:
            raise Unknown("contains", "too many parts of a list depend on each other")
        values = self._find_by_counts()
        if not values and self._doubt is not None:
            raise self._doubt
        if values:
            is_unique = _is_within(values[0], "uniqueItems", True)
            if (self._is_unique and not is_unique) or (self._has_equal and is_unique):
                raise Unknown("uniqueItems", "too many parts of a list depend on each other")
        return values

    def _term(self, index: int) -> Term:
        """The schemas of an item."""
        item_literals = self._at.get(index, ()) if index < self._prefix else ()
        return (*item_literals, *(literal for start, literal in self._from if index >= start))

    def _signs(self, index: int) -> Iterator[tuple[tuple[int, ...], Term]]:
        """The ways in which an item may count, each with the schemas of such an item."""
        term = self._term(index)
        count_flags = [start <= index for start, *_ in self._counts]
        for signs in product(*((1, 0) if counts else (0,) for counts in count_flags)):
            yield (
                signs,
                (
                    *term,
                    *(
                        literal if sign else literal.negate()
                        for sign, literal, counts in zip(
                            signs, (count[1] for count in self._counts), count_flags, strict=True
                        )
                        if counts
                    ),
                ),
            )

    def _possible(self, index: int) -> list[tuple[tuple[int, ...], Term]]:
        """The ways for which there is an item."""
        ways = []
        for signs, term in self._signs(index):
            try:
                if self._solver.find(term):
                    ways.append((signs, term))
            except Unknown as unknown:
                self._doubt = self._doubt or unknown
        return ways

    def _find_by_counts(self) -> _Finding:
        """A list whose items count as needed: by the reachable counts for each length."""
        lows = [low for _, _, low, _ in self._counts]
        highs = [high for _, _, _, high in self._counts]
        # From there on, more items of a kind make no difference.
        caps = [
            low if high == math.inf else int(high) + 1
            for low, high in zip(lows, highs, strict=True)
        ]
        start = (0,) * len(caps)
        levels: list[dict[tuple[int, ...], tuple[tuple[int, ...], Term]]] = [{start: (start, ())}]
        rest = None
        settled_levels: set[frozenset[tuple[int, ...]]] = set()
        while True:
            length = len(levels) - 1
            level = levels[-1]
            if length >= self._fewest:
                for counts in level:
                    if all(low <= count for low, count in zip(lows, counts, strict=True)):
                        values = self._build_list(levels, counts)
                        if values:
                            return values
            if length >= self._most:
                return []
            if length > MAX_LENGTH:
                raise Unknown("minItems", _LENGTHY)
            if length >= max(self._fewest, self._prefix):
                level_counts = frozenset(level)
                if level_counts in settled_levels:
                    return []
                settled_levels.add(level_counts)
            if length >= self._prefix:
                rest = rest if rest is not None else self._possible(length)
            next_level: dict[tuple[int, ...], tuple[tuple[int, ...], Term]] = {}
            for signs, term in rest if rest is not None else self._possible(length):
                for counts in level:
                    self._solver.spend(_COUNT_STEPS)
                    after = tuple(
                        min(count + sign, cap)
                        for count, sign, cap in zip(counts, signs, caps, strict=True)
                    )
                    if all(count <= high for count, high in zip(after, highs, strict=True)):
                        next_level.setdefault(after, (counts, term))
            if not next_level:
                return []
            levels.append(next_level)

    def _build_list(
        self,
        levels: list[dict[tuple[int, ...], tuple[tuple[int, ...], Term]]],
        counts: tuple[int, ...],
    ) -> _Finding:
        """The list that leads to counts."""
        terms: list[Term] = []
        for level in reversed(levels[1:]):
            counts, term = level[counts]
            terms.append(term)
        items: list[Any] = []
        for term in reversed(terms):
            try:
                values = self._solver.find(term)
            except Unknown as unknown:
                self._doubt = self._doubt or unknown
                return []
            if not values:
                return []
            items.append(values[0])
        return [items]


# Objects


class _Object:
    """The search for an object of one case."""

    def __init__(self, solver: Solver, atoms: list[Atom]) -> None:
        self._solver = solver
        self._fewest, self._most = 0, math.inf
        self._required_names: dict[str, None] = {}
        self._denied_names: set[str] = set()
        self._of_name: dict[str, list[Literal]] = {}
        self._rests: list[tuple[Rest, Literal]] = []
        self._names: list[Literal] = []
        self._wanted_properties: list[tuple[Rest | None, Literal]] = []
        """Some property of the rest with such a value, or without a rest with such a name."""
        self._doubt: Unknown | None = None
        for keyword, value, holds, _, inner in atoms:
            if keyword == ("minProperties" if holds else "maxProperties"):
                self._fewest = max(self._fewest, int(value) + (not holds))
            elif keyword == ("maxProperties" if holds else "minProperties"):
                self._most = min(self._most, int(value) - (not holds))
            elif keyword == "required" and holds:
                self._required_names[value] = None
            elif keyword == "required":
                self._denied_names.add(value)
            elif inner is None:
                continue
            elif keyword == "property":
                self._of_name.setdefault(value, []).append(inner)
                if not holds:
                    self._required_names[value] = None
            elif keyword == "rest" and holds:
                self._rests.append((value, inner))
            elif keyword == "rest":
                self._wanted_properties.append((value, inner))
            elif keyword == "name" and holds:
                self._names.append(inner)
            elif keyword == "name":
                self._wanted_properties.append((None, inner))
        if solver.is_lenient:
            self._denied_names |= self._new(atoms)
        stated_names = {name for rest, _ in self._rests for name in rest.names}
        stated_names.update(
            name for rest, _ in self._wanted_properties if rest for name in rest.names
        )
        stated_names.update(self._of_name, self._required_names)
        self._stated_names = [
            name for name in sorted(stated_names) if name not in self._denied_names
        ]
        patterns = [rest.pattern for rest in self._all_rests() if rest.pattern is not None]
        patterns += [pattern for rest in self._all_rests() for pattern in rest.without]
        self._patterns = list(dict.fromkeys(patterns))

    def _all_rests(self) -> Iterator[Rest]:
        yield from (rest for rest, _ in self._rests)
        yield from (rest for rest, _ in self._wanted_properties if rest is not None)

    def _new(self, atoms: list[Atom]) -> set[str]:
        """Properties that only the second whole describes, and that the first one leaves open."""
        known_names: set[str] = set()
        new: set[str] = set()
        for keyword, value, holds, side, inner in atoms:
            is_first = side == 0
            is_needed = keyword == "required" and holds
            if is_needed or (is_first and keyword in ("required", "property")):
                known_names.add(value)
            elif keyword == "property" and inner is not None and inner.schema is not False:
                new.add(value)
            is_rest = is_first and keyword == "rest" and value.pattern is None
            if is_rest and inner is not None and inner.schema not in (True, {}):
                return set()
        rests = [atom.value for atom in atoms if atom.keyword == "rest" and atom.side == 0]
        pattern_rests = [rest for rest in rests if rest.pattern is not None]
        return {
            name
            for name in new - known_names
            if not any(is_in(name, rest) for rest in pattern_rests)
        }

    def find(self) -> _Finding:
        if self._fewest > self._most or self._denied_names & self._required_names.keys():
            return []
        chosen_terms: dict[str, tuple[Literal, ...]] = dict.fromkeys(self._required_names, ())
        if len(chosen_terms) > self._most or not all(map(self._is_allowed, chosen_terms)):
            return self._nothing()
        for placement in self._place_properties(chosen_terms, self._wanted_properties):
            values = self._build_object(placement)
            if values:
                return values
        return self._nothing()

    def _nothing(self) -> _Finding:
        if self._doubt is not None:
            raise self._doubt
        return []

    def _is_allowed(self, name: str) -> bool:
        """Whether the schemas for names accept one."""
        if name in self._denied_names:
            return False
        try:
            return all(self._solver.accepts(literal, name) for literal in self._names)
        except Unknown as unknown:
            self._doubt = self._doubt or unknown
            return False

    def _term(self, name: str) -> Term:
        """The schemas of a property's value."""
        rests = (literal for rest, literal in self._rests if is_in(name, rest))
        return (*self._of_name.get(name, ()), *rests)

    def _value(self, name: str, further: Term = ()) -> _Finding:
        try:
            return self._solver.find((*self._term(name), *further))
        except Unknown as unknown:
            self._doubt = self._doubt or unknown
            return []

    def _place_properties(
        self, chosen_terms: dict[str, Term], wanted_properties: list[tuple[Rest | None, Literal]]
    ) -> Iterator[dict[str, Term]]:
        """The ways to give each wanted property a name, with the schemas of their values."""
        if not wanted_properties:
            yield chosen_terms
            return
        (rest, literal), *other_properties = wanted_properties
        for name in self._candidates(chosen_terms, rest, literal):
            self._solver.spend(_VALUE_STEPS)
            if rest is not None and not is_in(name, rest):
                continue
            further = chosen_terms.get(name, ())
            if rest is not None:
                further = (*further, literal)
            if self._value(name, further):
                placement = {**chosen_terms, name: further}
                if len(placement) <= self._most:
                    yield from self._place_properties(placement, other_properties)

    def _candidates(
        self, chosen_terms: dict[str, Term], rest: Rest | None, literal: Literal
    ) -> Iterator[str]:
        """Names for a wanted property: known ones, and a new one of each sort."""
        for name in dict.fromkeys((*chosen_terms, *self._stated_names)):
            is_fit = rest is not None or self._solver.accepts(literal, name)
            if is_fit and (name in chosen_terms or self._is_allowed(name)):
                yield name
        yield from self._fresh(chosen_terms, (literal,) if rest is None else ())

    def _fresh(self, taken_names: Iterable[str], further: Term = ()) -> Iterator[str]:
        """An unused name of each sort that the patterns distinguish."""
        used = {*taken_names, *self._stated_names, *self._denied_names}
        if not self._names and not further and not self._patterns:
            yield next(fresh_names(used))
            return
        if len(self._patterns) > MAX_PATTERNS:
            self._doubt = self._doubt or Unknown("patternProperties", "there are too many patterns")
            return
        unused_name = Literal({"enum": sorted(used)}, False, 0)
        text = Literal({"type": "string"}, True, 0)
        for signs in product((False, True), repeat=len(self._patterns)):
            sort = (
                Literal({"pattern": pattern}, sign, 0)
                for sign, pattern in zip(signs, self._patterns, strict=True)
            )
            try:
                names = self._solver.find((text, unused_name, *sort, *self._names, *further))
            except Unknown as unknown:
                self._doubt = self._doubt or unknown
                continue
            yield from names

    def _build_object(self, chosen_terms: dict[str, Term]) -> _Finding:
        """An object with the chosen properties, and with more if it needs them."""
        instance: dict[str, Any] = {}
        for name, further in chosen_terms.items():
            values = self._value(name, further)
            if not values:
                return []
            instance[name] = values[0]
        for name in self._stated_names:
            if len(instance) < self._fewest and name not in instance and self._is_allowed(name):
                values = self._value(name)
                if values:
                    instance[name] = values[0]
        while len(instance) < self._fewest:
            if len(instance) >= MAX_NAMES:
                raise Unknown("minProperties", "too many properties are needed")
            for name in self._fresh(instance):
                values = self._value(name)
                if values:
                    instance[name] = values[0]
                    break
            else:
                return []
        return [instance]
