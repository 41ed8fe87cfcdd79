"""Decide whether one schema accepts only what another accepts, with a counterexample if not.

A schema is a conjunction, so each keyword of the wide schema is checked separately, type by type,
and each failure has a counterexample. Unsupported keywords are compared by their text, and else
with sample values; if neither decides, the result is Undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from typing import Any

from skillstudio.schema.cases import Literal, Unknown
from skillstudio.schema.drafts import modern, place_as_written
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.format_texts import FORMAT_TEXTS
from skillstudio.schema.interval import Number
from skillstudio.schema.keywords import BOUNDS, GROUPS, patterns_of, walk_schema
from skillstudio.schema.outcome import (
    Escape,
    InclusionVerdict,
    SchemaError,
    SchemaRefused,
    UndecidedVerdict,
)
from skillstudio.schema.references import REFERENCES, definitions_of, denies_itself
from skillstudio.schema.regex import PatternError, parse_pattern
from skillstudio.schema.regex.inclusion import NO_TEXT, states_of, strings
from skillstudio.schema.regex.nodes import Node
from skillstudio.schema.sample import (
    MAX_SIZE,
    MAX_TEXT,
    MAX_WORK,
    PARTS_OF_STEP,
    Sampler,
    fresh_names,
    refused_text,
    size_of,
    stated_values,
    without_enum,
)
from skillstudio.schema.shape import (
    KINDS,
    Schema,
    Shape,
    is_number,
    same,
    too_large,
    value_key,
    walk_value,
)
from skillstudio.schema.work import Undecidable, Work
from skillstudio.text.node import join_pointer

__all__ = ["Escape", "Schema", "UndecidedVerdict", "include"]

_MAX_COMPARED = 200_000
_MAX_REFUSED = 16  # Maximum number of counterexamples that the validator may contradict.
_SAMPLE_REJECTION = "this rejects all sample values"
_TRIED_VALUES = 200
_TRIED_TEXTS = 2_000
_COMPLETED_VALUES = (
    20  # Maximum number of values to combine with a rejected one, and of rejected ones.
)
_TRIED_CHARACTERS = 10_000
"""Maximum number of characters for the validator, because matching can take long."""
_TRIED_STEPS = 2_000_000  # The same limit, in characters times states of a pattern.
_VALUE_STEPS = 20
_ERROR_STEPS = 50
"""The cost of checking a value, and of finding the failing part, in steps of an automaton."""
_MAX_CHECKED_TWICE = 20_000  # Larger values are checked by one engine, because it takes long.
_CANNOT = "the validator cannot decide"
_DISAGREE = "the validation engines disagree about a value"
_IMPRECISE = "no floating-point number is precise enough for a counterexample"
_NOT_FOUND = "sample values do not show whether this rejects any value"
_TOGETHER = {keyword: group for group in GROUPS for keyword in group}
_WHOLE = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords that depend on every other keyword."""
_KIND_OF_KEYWORD = {
    "multipleOf": "number",
    "format": "string",
    **dict.fromkeys((*_TOGETHER["contains"], "prefixItems", "unevaluatedItems"), "array"),
    **dict.fromkeys(("minProperties", "maxProperties", "patternProperties"), "object"),
    **dict.fromkeys(("propertyNames", "dependentRequired", "dependentSchemas"), "object"),
    "unevaluatedProperties": "object",
}
"""The only type of value that a keyword can reject."""
_REFERENCES = (*REFERENCES, "$recursiveRef")


def include(
    narrow: Schema, wide: Schema, *, strict: bool = False, work: Work | None = None
) -> InclusionVerdict | None:
    """Why `wide` does not accept every value that `narrow` accepts; None if it does.

    Unless `strict`, an optional property that only `wide` describes counts as included if `narrow`
    allows additional properties, because it was not part of the contract before. An engine has
    confirmed the value of an Escape, and both have, unless shapes cover all keywords. `work` limits
    several comparisons together; each comparison also has its own limit.
    """
    if narrow is wide:
        return None
    for schema in (narrow, wide):
        reason = too_large(schema)
        if reason:
            return UndecidedVerdict("", "", reason)
    written_schema = wide
    narrow, wide = modern(narrow), modern(wide)
    trivial = narrow is False or wide is True or wide == {} or same(narrow, wide)
    if not trivial and (denies_itself(narrow) or denies_itself(wide)):
        return UndecidedVerdict("", "", "a schema refers to itself within its own negation")
    comparison = _Comparison(narrow, wide, strict, Work(MAX_WORK, work))
    verdict = comparison.answer()
    if isinstance(verdict, UndecidedVerdict):
        verdict = comparison.solve(verdict, Work(MAX_WORK, work))
    if verdict is not None and wide is not written_schema:
        verdict = verdict._replace(pointer=place_as_written(written_schema, verdict.pointer))
    return verdict


class _Comparison:
    """Two schemas; `_old` answers for the narrow one, `_new` for the wide one."""

    def __init__(self, narrow: Schema, wide: Schema, strict: bool, work: Work) -> None:
        self._narrow = narrow
        self._wide = wide
        self._strict = strict
        self._work = work
        self._old = Sampler(narrow, work)
        self._new = Sampler(wide, work)
        self._comparison_count = 0

    def answer(self) -> InclusionVerdict | None:
        first_doubt: UndecidedVerdict | None = None
        refused_count = 0
        for finding in self._findings(self._narrow, self._wide, ""):
            doubt = self._doubt(finding) if isinstance(finding, Escape) else finding
            if doubt is None:
                return finding
            first_doubt = first_doubt or doubt
            refused_count += isinstance(finding, Escape)
            if refused_count >= _MAX_REFUSED:
                break
        return first_doubt

    def solve(self, verdict: UndecidedVerdict, work: Work) -> InclusionVerdict | None:
        """The answer of the solver for an undecided comparison."""
        from skillstudio.schema.solver import Solver  # Loaded only where it is needed.

        self._work = work
        term = (Literal(self._narrow, True, 0), Literal(self._wide, False, 1))
        try:
            for whole in (self._narrow, self._wide):
                compile_schema(whole)
            counterexamples = Solver((self._narrow, self._wide), work, not self._strict).solve(term)
        except (SchemaRefused, RecursionError):
            return verdict
        except Unknown as unknown:
            return self._at_fault(unknown) or verdict._replace(reason=unknown.reason)
        if not counterexamples:
            return None
        escape = Escape(counterexamples[0], "")
        doubt = self._doubt(escape)
        if doubt is not None:
            return doubt
        errors = self._new.validator(self._wide).errors(counterexamples[0])
        return escape._replace(pointer=self._place("", errors))

    def _at_fault(self, unknown: Unknown) -> UndecidedVerdict | None:
        """The first place of the keyword that the solver cannot decide."""
        for path, part in chain(walk_schema(self._wide), walk_schema(self._narrow)):
            if unknown.keyword in part:
                return _undecided_at(join_pointer((*path, unknown.keyword)), unknown.reason)
        return None

    def _findings(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        """Reasons why one schema is not included in another, at a place in the wide one."""
        self._comparison_count += 1
        if self._comparison_count > _MAX_COMPARED:
            yield UndecidedVerdict("", at, f"the schemas have more than {_MAX_COMPARED} parts")
            return
        if self._new.shape(wide).is_open or self._same_meaning(narrow, wide):
            return
        shape, other = self._old.shape(narrow), self._new.shape(wide)
        for keyword in (other.invalid_keywords or shape.invalid_keywords)[:1]:
            yield _undecided_at(f"{at}/{keyword}", "the keyword has an invalid value")
            return
        if shape.allowed_values is not None:
            yield from self._of_listed(narrow, wide, at)
            return
        against = self._of_keywords(narrow, wide, at)
        if self._old.is_exact(shape):
            yield from against
            return
        refused_values: list[Any] = []
        for finding in against:
            if isinstance(finding, Escape) and not self._accepts(narrow, finding.value):
                refused_values.append(finding.value)
            else:
                yield finding
        if refused_values:
            escape = self._try_values(
                narrow, wide, wide, at, self._complete_values(narrow, refused_values)
            )
            yield escape or _undecided_at(
                f"{at}/{(shape.foreign or ['pattern'])[0]}", _SAMPLE_REJECTION
            )

    def _of_keywords(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        shape, other = self._old.shape(narrow), self._new.shape(wide)
        yield from self._of_enum(narrow, wide, at)
        kinds = set()
        for kind in KINDS:
            if kind not in shape.kinds:
                continue
            try:
                values = list(self._old.of_kind(shape, kind, 1))
                if values and kind not in other.kinds:
                    yield Escape(values[0], at if wide is False else f"{at}/type")
            except Unknown as unknown:
                values = [None]
                if kind not in other.kinds:
                    yield _undecided_at(f"{at}/{unknown.keyword}", unknown.reason)
            if values:
                kinds.add(kind)
                if kind in other.kinds:
                    yield from self._of_kind(kind, narrow, wide, at)
        units: dict[tuple[str, ...], str] = {}
        for keyword in other.foreign if kinds else ():
            if _KIND_OF_KEYWORD.get(keyword, keyword) in (keyword, *kinds):
                units.setdefault(tuple(_unit_of(wide, keyword)), keyword)
        for keyword in units.values():
            old_unit, unit = _unit_of(narrow, keyword), _unit_of(wide, keyword)
            if self._same_meaning(old_unit, unit) or _is_looser(old_unit, unit):
                continue
            finding: InclusionVerdict | None = _undecided_at(f"{at}/{keyword}", _NOT_FOUND)
            if keyword == "format":
                finding = _format_verdict(shape, other, at, self._work)
            if isinstance(finding, UndecidedVerdict):
                finding = self._try_values(narrow, unit, wide, at) or finding
            if finding is not None:
                yield finding

    def _of_kind(
        self, kind: str, narrow: Schema, wide: Schema, at: str
    ) -> Iterator[InclusionVerdict]:
        shape, other = self._old.shape(narrow), self._new.shape(wide)
        if kind == "number" and isinstance(wide, dict):
            yield from _number_verdicts(shape, other, wide, at)
        elif kind == "string":
            for finding, candidates in _text_verdicts(shape, other, at, self._work):
                escape: Escape | None = None
                if isinstance(finding, UndecidedVerdict):
                    unit = _unit_of(wide, finding.keyword)
                    escape = self._try_values(narrow, unit, wide, at, candidates)
                yield escape or finding
        elif kind == "array":
            yield from self._of_arrays(shape, other, at)
        elif kind == "object":
            yield from self._of_objects(shape, other, at)

    def _of_listed(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        """Check each value that the narrow schema lists."""
        other = self._new.shape(wide)
        try:
            values = self._old.values(narrow, _MAX_COMPARED)
            judge = self._new.validator(without_enum(wide))
            for value in values:
                if (
                    other.allowed_values is not None
                    and value_key(value) not in other.allowed_values
                ):
                    yield Escape(value, f"{at}/{_listing(wide)}")
                elif not judge.is_valid(value):
                    yield Escape(value, self._place(at, judge.errors(value)))
        except (SchemaRefused, Unknown, ValueError, OverflowError) as refusal:
            yield _undecided_at(
                f"{at}/{_listing(narrow)}", f"its values cannot be checked: {refusal}"
            )

    def _of_enum(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        """A value of the narrow schema that the wide one does not list."""
        other = self._new.shape(wide)
        if other.allowed_values is None:
            return
        try:
            for value in self._old.values(narrow, len(other.allowed_values) + 1, other.properties):
                if value_key(value) not in other.allowed_values:
                    yield Escape(value, f"{at}/{_listing(wide)}")
                    return
        except Unknown as unknown:
            yield _undecided_at(f"{at}/{_listing(wide)}", unknown.reason)

    def _of_arrays(self, shape: Shape, other: Shape, at: str) -> Iterator[InclusionVerdict]:
        most = shape.most
        with suppress(Unknown):  # There may be items; none is needed where nothing is against them.
            if most != 0 and not self._old.smallest(shape.items):
                most = 0
        if other.fewest > shape.fewest:
            yield from self._list(shape, shape.fewest, f"{at}/minItems")
        if other.most is not None and (most is None or most > other.most):
            yield from self._list(shape, max(shape.fewest, other.most + 1), f"{at}/maxItems")
        if other.unique and not shape.unique and (most is None or most > 1):
            yield from self._list(shape, max(2, shape.fewest), f"{at}/uniqueItems")
        for finding in self._findings(shape.items, other.items, f"{at}/items") if most != 0 else ():
            if isinstance(finding, Escape):
                length = max(1, shape.fewest)
                yield from self._list(shape, length, finding.pointer, [finding.value])
            else:
                yield finding

    def _list(
        self, shape: Shape, length: int, pointer: str, first: list[Any] | None = None
    ) -> Iterator[InclusionVerdict]:
        try:
            value = self._old.list_of(shape, length, first)
        except Unknown as unknown:
            yield _undecided_at(pointer, unknown.reason)
        else:
            if value is not None:
                yield Escape(value, pointer)

    def _of_objects(self, shape: Shape, other: Shape, at: str) -> Iterator[InclusionVerdict]:
        doubt: Unknown | None = None
        try:
            minimal = self._old.minimal(shape)
        except Unknown as unknown:
            minimal, doubt = {}, unknown
        if minimal is not None:
            for finding in self._of_members(minimal, shape, other, at):
                if doubt is not None and isinstance(finding, Escape):
                    yield _undecided_at(f"{at}/{doubt.keyword}", doubt.reason)
                else:
                    yield finding

    def _of_members(
        self, minimal: dict[str, Any], shape: Shape, other: Shape, at: str
    ) -> Iterator[InclusionVerdict]:
        for name in other.required_names:
            if name not in shape.required_names:
                yield Escape(minimal, f"{at}/required")
                break
        members = [
            (name, shape.of_property(name), part, f"{at}/properties{join_pointer([name])}")
            for name, part in other.properties.items()
            if part is False or not self._is_new(name, shape, other)
        ]
        if other.additional is not True:
            rest = {
                name: part
                for name, part in shape.properties.items()
                if name not in other.properties
            }
            taken_names = {*shape.properties, *shape.required_names, *other.properties}
            rest[next(fresh_names(taken_names))] = shape.additional
            place = f"{at}/additionalProperties"
            members += [(name, part, other.additional, place) for name, part in rest.items()]
        for name, part, against, place in members:
            for finding in self._findings(part, against, place):
                if isinstance(finding, Escape):
                    finding = finding._replace(value={**minimal, name: finding.value})
                yield finding

    def _is_new(self, name: str, shape: Shape, other: Shape) -> bool:
        """Whether the property is optional and the narrow schema left it open."""
        is_known = (
            name in shape.properties or name in shape.required_names or name in other.required_names
        )
        return not self._strict and not is_known and self._old.shape(shape.additional).is_open

    # Meaning of parts that are written the same

    @cached_property
    def _are_whole_same(self) -> bool:
        return same(self._narrow, self._wide)

    @cached_property
    def _are_definitions_same(self) -> bool:
        old, new = definitions_of(self._narrow), definitions_of(self._wide)
        return same(old, new) and all(map(_is_local, _references(new)))

    def _same_meaning(self, narrow: Any, wide: Any) -> bool:
        """Whether two parts are written the same, and their references lead to equal parts."""
        if not same(narrow, wide):
            return False
        references = list(_references(wide))
        if not references or self._are_whole_same:
            return True
        return all(map(_is_local, references)) and self._are_definitions_same

    # Confirmation with the validators

    def _doubt(self, escape: Escape) -> UndecidedVerdict | None:
        """The validators' objection to a counterexample."""
        value, pointer = escape
        if size_of(value) > MAX_SIZE:
            return _undecided_at(pointer, f"a sample value has more than {MAX_SIZE} parts")
        try:
            old, new = self._old.validator(self._narrow), self._new.validator(self._wide)
            if not old.is_valid(value):
                self._work.spend(_ERROR_STEPS * self._old.parts(self._narrow))
                place = min(join_pointer(error.schema) for error in old.errors(value))
                return _undecided_at(place, _SAMPLE_REJECTION)
            if new.is_valid(value):
                return _undecided_at(pointer, _DISAGREE)
            if size_of(value) <= _MAX_CHECKED_TWICE and not (
                _other_engine_accepts(self._old, self._narrow, value) is not False
                and _other_engine_accepts(self._new, self._wide, value) is not True
            ):
                return _undecided_at(pointer, _DISAGREE)
            if self._is_given_up(value):
                return _undecided_at(pointer, "the validator takes too long to match a pattern")
        except SchemaRefused as refusal:
            return _undecided_at(refusal.pointer or pointer, f"{_CANNOT}: {refusal}")
        except (ValueError, OverflowError) as refusal:
            return _undecided_at(pointer, f"{_CANNOT}: {refusal}")
        except Undecidable:
            return _undecided_at(pointer, _SAMPLE_REJECTION)
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
        for path, part in chain(walk_schema(self._narrow), walk_schema(self._wide)):
            yield from (pattern for _, pattern in patterns_of(path, part) if _is_hard(pattern))

    def _accepts(self, narrow: Schema, value: Any) -> bool:
        """Whether a part of the narrow schema accepts the value, according to its validator."""
        try:
            return self._old.validator(narrow).is_valid(value)
        except SchemaRefused:
            return True  # The whole schema is asked in the end.

    def _complete_values(self, narrow: Schema, refused_values: list[Any]) -> Iterator[Any]:
        """Rejected objects and lists, completed with other parts."""
        for value in refused_values[:_COMPLETED_VALUES]:
            for other in islice(self._old.vary(narrow), _COMPLETED_VALUES):
                if isinstance(value, dict) and isinstance(other, dict):
                    yield {**other, **value}
                elif isinstance(value, list) and isinstance(other, list):
                    yield [*value, *other]

    def _try_values(
        self, narrow: Schema, unit: Schema, wide: Schema, at: str, first: Iterable[Any] = ()
    ) -> Escape | None:
        """A value of the narrow schema that a part of the wide one rejects, found by trial."""
        candidates = chain(
            first,
            stated_values(narrow),
            stated_values(wide),
            islice(self._old.vary(narrow), _TRIED_VALUES),
            self._hard_texts(self._old.shape(narrow)),
        )
        try:
            old, new = self._old.validator(narrow), self._new.validator(unit)
            parts = self._old.parts(narrow) + self._new.parts(unit)
            budget = self._affordable(narrow, unit)
            for value in candidates:
                size = size_of(value)
                self._work.spend(_VALUE_STEPS + size + parts // PARTS_OF_STEP)
                budget -= size
                if budget < 0:
                    return None
                if old.is_valid(value) and not new.is_valid(value):
                    self._work.spend(_ERROR_STEPS * parts)
                    return Escape(value, self._place(at, new.errors(value)))
        except (SchemaRefused, Undecidable, Unknown, ValueError, OverflowError):
            return None
        return None

    def _place(self, at: str, errors: list[SchemaError]) -> str:
        """The first place that rejects a value; for a definition, its place in the whole."""
        first = min((error.schema for error in errors), key=join_pointer)
        is_defined = first[:1] and first[0] in definitions_of(self._wide)
        return ("" if is_defined else at) + join_pointer(first)

    def _affordable(self, narrow: Schema, unit: Schema) -> int:
        """The number of characters that may be tried. Raises Undecidable."""
        shapes = self._old.shape(narrow), self._new.shape(unit)
        states = [
            states_of(parse_pattern(shape.pattern).root)
            for shape in shapes
            if shape.pattern is not None
        ]
        self._work.spend(sum(states))
        return min(_TRIED_CHARACTERS, _TRIED_STEPS // max(states, default=1))

    def _hard_texts(self, shape: Shape) -> Iterator[str]:
        if "string" in shape.kinds and shape.pattern is not None:
            texts = strings(
                parse_pattern(shape.pattern).root,
                shortest=shape.shortest,
                longest=shape.longest,
                work=self._work,
            )
            yield from islice(texts, _TRIED_TEXTS)


def _other_engine_accepts(sampler: Sampler, schema: Schema, value: Any) -> bool | None:
    """What the engine that did not validate says; None if it is not asked or cannot say.

    It is not asked if shapes cover all keywords, because loading it takes 80 ms.
    """
    if sampler.is_covered(schema):
        return None
    from skillstudio.schema.engine_py import PyValidator

    if isinstance(sampler.validator(schema), PyValidator):
        return None
    try:
        return PyValidator(schema).is_valid(value)
    except (SchemaRefused, RecursionError):
        return None


def _unit_of(schema: Schema, keyword: str) -> dict[str, Any]:
    """A keyword of a schema with the keywords that it depends on."""
    if isinstance(schema, bool):
        return {}
    if keyword in _WHOLE and keyword in schema:
        return schema
    unit = {key: schema[key] for key in _TOGETHER.get(keyword, (keyword,)) if key in schema}
    if keyword == "patternProperties" and schema.get("additionalProperties", True) is not True:
        unit["additionalProperties"] = schema["additionalProperties"]
        unit["properties"] = dict.fromkeys(schema.get("properties", {}), True)
    return unit


def _is_looser(narrow: dict[str, Any], wide: dict[str, Any]) -> bool:
    """Whether one bound of the number of properties is no tighter than another."""
    if narrow.keys() != wide.keys() or len(wide) != 1:
        return False
    ((keyword, bound),) = wide.items()
    narrow_bound = narrow[keyword]
    if keyword not in ("minProperties", "maxProperties") or not (
        is_number(narrow_bound) and is_number(bound)
    ):
        return False
    return bool(bound <= narrow_bound if keyword == "minProperties" else bound >= narrow_bound)


def _is_local(reference: Any) -> bool:
    """Whether a reference leads to a definition of the whole schema."""
    return isinstance(reference, str) and reference.startswith(("#/$defs/", "#/definitions/"))


def _references(part: Any) -> Iterator[Any]:
    for inner_value in walk_value(part):
        if isinstance(inner_value, dict):
            yield from (inner_value[key] for key in _REFERENCES if key in inner_value)


def _listing(schema: Schema) -> str:
    return "const" if isinstance(schema, dict) and "enum" not in schema else "enum"


def _number_verdicts(
    shape: Shape, other: Shape, wide: dict[str, Any], at: str
) -> Iterator[InclusionVerdict]:
    """Numbers of `shape`, which has some, that `other` rejects."""
    numbers = shape.number
    if other.number.integer:
        yield from _not_in_step(shape, other, wide, at)
    for keyword in (bound for bound in BOUNDS if bound in wide):
        is_open = not keyword.startswith("exclusive")
        is_low = keyword in ("minimum", "exclusiveMinimum")
        interval = (numbers.at_most if is_low else numbers.at_least)(wide[keyword], is_open)
        if not interval.is_empty:
            yield _number(interval.near_high() if is_low else interval.near_low(), keyword, at)


def _not_in_step(
    shape: Shape, other: Shape, wide: dict[str, Any], at: str
) -> Iterator[InclusionVerdict]:
    """A number that is not an integer or multiple: one of two neighbors, if there is one."""
    declared_type = wide.get("type")
    whole = (
        "type"
        if "integer" in (declared_type if isinstance(declared_type, list) else [declared_type])
        else ""
    )
    if not shape.number.integer and not shape.number.is_point:
        yield _number(shape.number.fraction(), whole or "multipleOf", at)
        return
    for number in islice(shape.number.values(), 2):
        if number not in other.number._replace(low=None, high=None):
            is_whole = number == number // 1
            yield _number(number, "multipleOf" if is_whole else whole or "multipleOf", at)
            return


def _number(number: Number | None, keyword: str, at: str) -> InclusionVerdict:
    if number is None:
        return _undecided_at(f"{at}/{keyword}", _IMPRECISE)
    return Escape(number, f"{at}/{keyword}")


def _usual_text(shape: Shape, wide: Node, low: int, high: int | None, work: Work) -> str | None:
    """The same among strings that the format of `shape` is known to accept."""
    format_texts = FORMAT_TEXTS.get(shape.format)
    if format_texts is None:
        return None
    ends = [end for end in (high, format_texts.longest) if end is not None]
    return refused_text(shape, wide, low, min(ends, default=None), work, format_texts.some)


def _every_text(shape: Shape) -> str:
    """A pattern that all strings of the format of `shape` match; "" if there is none."""
    format_texts = FORMAT_TEXTS.get(shape.format)
    return format_texts.every if format_texts else ""


_TextVerdict = tuple[InclusionVerdict, list[str]]
"""An obstacle, and strings that may be counterexamples if it is undecided."""


def _text_verdicts(shape: Shape, other: Shape, at: str, work: Work) -> Iterator[_TextVerdict]:
    """Strings of `shape`, which has some, that `other` rejects."""
    if other.pattern is not None and other.pattern != shape.pattern:
        wide = parse_pattern(other.pattern).root
        yield from _find_escapes(shape, wide, shape.shortest, shape.longest, f"{at}/pattern", work)
    if other.shortest > shape.shortest:
        longest = other.shortest - 1
        if shape.longest is not None:
            longest = min(longest, shape.longest)
        yield from _of_length(shape, shape.shortest, longest, f"{at}/minLength", work)
    if other.longest is not None and (shape.longest is None or shape.longest > other.longest):
        shortest = max(shape.shortest, other.longest + 1)
        yield from _of_length(shape, shortest, shape.longest, f"{at}/maxLength", work)


def _of_length(
    shape: Shape, shortest: int, longest: int | None, place: str, work: Work
) -> Iterator[_TextVerdict]:
    if shape.pattern is not None or shape.format in FORMAT_TEXTS:
        yield from _find_escapes(shape, NO_TEXT, shortest, longest, place, work)
        return
    length = longest if place.endswith("minLength") and longest is not None else shortest
    if length > MAX_TEXT:
        reason = f"strings of more than {MAX_TEXT} characters are not generated"
        yield _undecided_at(place, reason), []
    else:
        yield Escape("a" * length, place), []


def _find_escapes(
    shape: Shape, wide: Node, low: int, high: int | None, place: str, work: Work
) -> Iterator[_TextVerdict]:
    """A rejected string; with a format, one that the format is known to accept."""
    try:
        text = refused_text(shape, wide, low, high, work, _every_text(shape))
        if text is not None:
            usual = _usual_text(shape, wide, low, high, work)
            yield Escape(text if usual is None else usual, place), []
    except Undecidable as undecidable:
        candidates = [candidate for candidate in (undecidable.candidate,) if candidate is not None]
        yield _undecided_at(place, undecidable.reason), candidates


def _format_verdict(shape: Shape, other: Shape, at: str, work: Work) -> InclusionVerdict | None:
    """A string of `shape`, which has some, that the format of `other` rejects; else None."""
    reason = "the set of strings with this format is not exactly known"
    verdict = _undecided_at(f"{at}/format", reason)
    format_texts = FORMAT_TEXTS.get(other.format)
    if format_texts is None:
        return verdict
    low, high = shape.shortest, shape.longest
    try:
        if format_texts.longest is None or (high or MAX_TEXT) <= format_texts.longest:
            some = parse_pattern(format_texts.some).root
            if refused_text(shape, some, low, high, work, _every_text(shape)) is None:
                return None
        if format_texts.every:
            find_text = _usual_text if shape.format else refused_text
            text = find_text(shape, parse_pattern(format_texts.every).root, low, high, work)
            return verdict if text is None else Escape(text, verdict.pointer)
    except Undecidable as undecidable:
        return verdict._replace(reason=undecidable.reason)
    return verdict


def _undecided_at(pointer: str, reason: str) -> UndecidedVerdict:
    return UndecidedVerdict(pointer.rpartition("/")[2], pointer, reason)


def _is_hard(pattern: str) -> bool:
    try:
        return not parse_pattern(pattern).is_supported
    except PatternError:
        return True


def _texts_in(value: Any) -> Iterator[str]:
    """All strings of a value, including property names."""
    for inner_value in walk_value(value):
        if isinstance(inner_value, str):
            yield inner_value
        elif isinstance(inner_value, dict):
            yield from inner_value
