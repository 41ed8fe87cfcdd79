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
    Undecided,
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
    nested,
    same,
    too_large,
    value_key,
)
from skillstudio.schema.work import Undecidable, Work
from skillstudio.text.node import join_pointer

__all__ = ["Escape", "Schema", "Undecided", "include"]

_MAX_COMPARED = 200_000
_MAX_REFUSED = 16  # Maximum number of counterexamples that the validator may contradict.
_REFUSED = "this rejects all sample values"
_TRIED = 200
_TRIED_TEXTS = 2_000
_COMPLETED = 20  # Maximum number of values to combine with a rejected one, and of rejected ones.
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
            return Undecided("", "", reason)
    written = wide
    narrow, wide = modern(narrow), modern(wide)
    trivial = narrow is False or wide is True or wide == {} or same(narrow, wide)
    if not trivial and (denies_itself(narrow) or denies_itself(wide)):
        return Undecided("", "", "a schema refers to itself within its own negation")
    comparison = _Comparison(narrow, wide, strict, Work(MAX_WORK, work))
    found = comparison.answer()
    if isinstance(found, Undecided):
        found = comparison.solved(found, Work(MAX_WORK, work))
    if found is not None and wide is not written:
        found = found._replace(pointer=place_as_written(written, found.pointer))
    return found


class _Comparison:
    """Two schemas; `_old` answers for the narrow one, `_new` for the wide one."""

    def __init__(self, narrow: Schema, wide: Schema, strict: bool, work: Work) -> None:
        self._narrow = narrow
        self._wide = wide
        self._strict = strict
        self._work = work
        self._old = Sampler(narrow, work)
        self._new = Sampler(wide, work)
        self._compared = 0

    def answer(self) -> InclusionVerdict | None:
        undecided: Undecided | None = None
        refused = 0
        for finding in self._findings(self._narrow, self._wide, ""):
            doubt = self._doubt(finding) if isinstance(finding, Escape) else finding
            if doubt is None:
                return finding
            undecided = undecided or doubt
            refused += isinstance(finding, Escape)
            if refused >= _MAX_REFUSED:
                break
        return undecided

    def solved(self, undecided: Undecided, work: Work) -> InclusionVerdict | None:
        """The answer of the solver for an undecided comparison."""
        from skillstudio.schema.solver import Solver  # Loaded only where it is needed.

        self._work = work
        term = (Literal(self._narrow, True, 0), Literal(self._wide, False, 1))
        try:
            for whole in (self._narrow, self._wide):
                compile_schema(whole)
            found = Solver((self._narrow, self._wide), work, not self._strict).solve(term)
        except (SchemaRefused, RecursionError):
            return undecided
        except Unknown as unknown:
            return self._at_fault(unknown) or undecided._replace(reason=unknown.reason)
        if not found:
            return None
        escape = Escape(found[0], "")
        doubt = self._doubt(escape)
        if doubt is not None:
            return doubt
        errors = self._new.validator(self._wide).errors(found[0])
        return escape._replace(pointer=self._place("", errors))

    def _at_fault(self, unknown: Unknown) -> Undecided | None:
        """The first place of the keyword that the solver cannot decide."""
        for path, part in chain(walk_schema(self._wide), walk_schema(self._narrow)):
            if unknown.keyword in part:
                return _undecided_at(join_pointer((*path, unknown.keyword)), unknown.reason)
        return None

    def _findings(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        """Reasons why one schema is not included in another, at a place in the wide one."""
        self._compared += 1
        if self._compared > _MAX_COMPARED:
            yield Undecided("", at, f"the schemas have more than {_MAX_COMPARED} parts")
            return
        if self._new.shape(wide).is_open or self._same_meaning(narrow, wide):
            return
        one, other = self._old.shape(narrow), self._new.shape(wide)
        for broken in (other.broken or one.broken)[:1]:
            yield _undecided_at(f"{at}/{broken}", "the keyword has an invalid value")
            return
        if one.allowed is not None:
            yield from self._of_listed(narrow, wide, at)
            return
        against = self._of_keywords(narrow, wide, at)
        if self._old.is_exact(one):
            yield from against
            return
        refused: list[Any] = []
        for finding in against:
            if isinstance(finding, Escape) and not self._accepts(narrow, finding.value):
                refused.append(finding.value)
            else:
                yield finding
        if refused:
            tried = self._tried(narrow, wide, wide, at, self._completed(narrow, refused))
            yield tried or _undecided_at(f"{at}/{(one.foreign or ['pattern'])[0]}", _REFUSED)

    def _of_keywords(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        one, other = self._old.shape(narrow), self._new.shape(wide)
        yield from self._of_enum(narrow, wide, at)
        kinds = set()
        for kind in KINDS:
            if kind not in one.kinds:
                continue
            try:
                found = list(self._old.of_kind(one, kind, 1))
                if found and kind not in other.kinds:
                    yield Escape(found[0], at if wide is False else f"{at}/type")
            except Unknown as unknown:
                found = [None]
                if kind not in other.kinds:
                    yield _undecided_at(f"{at}/{unknown.keyword}", unknown.reason)
            if found:
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
                finding = _format_verdict(one, other, at, self._work)
            if isinstance(finding, Undecided):
                finding = self._tried(narrow, unit, wide, at) or finding
            if finding is not None:
                yield finding

    def _of_kind(
        self, kind: str, narrow: Schema, wide: Schema, at: str
    ) -> Iterator[InclusionVerdict]:
        one, other = self._old.shape(narrow), self._new.shape(wide)
        if kind == "number" and isinstance(wide, dict):
            yield from _number_verdicts(one, other, wide, at)
        elif kind == "string":
            for finding, candidates in _text_verdicts(one, other, at, self._work):
                tried: Escape | None = None
                if isinstance(finding, Undecided):
                    unit = _unit_of(wide, finding.keyword)
                    tried = self._tried(narrow, unit, wide, at, candidates)
                yield tried or finding
        elif kind == "array":
            yield from self._of_arrays(one, other, at)
        elif kind == "object":
            yield from self._of_objects(one, other, at)

    def _of_listed(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        """Check each value that the narrow schema lists."""
        other = self._new.shape(wide)
        try:
            values = self._old.values(narrow, _MAX_COMPARED)
            judge = self._new.validator(without_enum(wide))
            for value in values:
                if other.allowed is not None and value_key(value) not in other.allowed:
                    yield Escape(value, f"{at}/{_listing(wide)}")
                elif not judge.is_valid(value):
                    yield Escape(value, self._place(at, judge.errors(value)))
        except (SchemaRefused, Unknown, ValueError, OverflowError) as refused:
            yield _undecided_at(
                f"{at}/{_listing(narrow)}", f"its values cannot be checked: {refused}"
            )

    def _of_enum(self, narrow: Schema, wide: Schema, at: str) -> Iterator[InclusionVerdict]:
        """A value of the narrow schema that the wide one does not list."""
        other = self._new.shape(wide)
        if other.allowed is None:
            return
        try:
            for value in self._old.values(narrow, len(other.allowed) + 1, other.properties):
                if value_key(value) not in other.allowed:
                    yield Escape(value, f"{at}/{_listing(wide)}")
                    return
        except Unknown as unknown:
            yield _undecided_at(f"{at}/{_listing(wide)}", unknown.reason)

    def _of_arrays(self, one: Shape, other: Shape, at: str) -> Iterator[InclusionVerdict]:
        most = one.most
        with suppress(Unknown):  # There may be items; none is needed where nothing is against them.
            if most != 0 and not self._old.smallest(one.items):
                most = 0
        if other.fewest > one.fewest:
            yield from self._list(one, one.fewest, f"{at}/minItems")
        if other.most is not None and (most is None or most > other.most):
            yield from self._list(one, max(one.fewest, other.most + 1), f"{at}/maxItems")
        if other.unique and not one.unique and (most is None or most > 1):
            yield from self._list(one, max(2, one.fewest), f"{at}/uniqueItems")
        for finding in self._findings(one.items, other.items, f"{at}/items") if most != 0 else ():
            if isinstance(finding, Escape):
                length = max(1, one.fewest)
                yield from self._list(one, length, finding.pointer, [finding.value])
            else:
                yield finding

    def _list(
        self, one: Shape, length: int, pointer: str, first: list[Any] | None = None
    ) -> Iterator[InclusionVerdict]:
        try:
            made = self._old.list_of(one, length, first)
        except Unknown as unknown:
            yield _undecided_at(pointer, unknown.reason)
        else:
            if made is not None:
                yield Escape(made, pointer)

    def _of_objects(self, one: Shape, other: Shape, at: str) -> Iterator[InclusionVerdict]:
        doubt: Unknown | None = None
        try:
            minimal = self._old.minimal(one)
        except Unknown as unknown:
            minimal, doubt = {}, unknown
        if minimal is not None:
            for finding in self._of_members(minimal, one, other, at):
                if doubt is not None and isinstance(finding, Escape):
                    yield _undecided_at(f"{at}/{doubt.keyword}", doubt.reason)
                else:
                    yield finding

    def _of_members(
        self, minimal: dict[str, Any], one: Shape, other: Shape, at: str
    ) -> Iterator[InclusionVerdict]:
        for name in other.required:
            if name not in one.required:
                yield Escape(minimal, f"{at}/required")
                break
        members = [
            (name, one.of_property(name), part, f"{at}/properties{join_pointer([name])}")
            for name, part in other.properties.items()
            if part is False or not self._is_new(name, one, other)
        ]
        if other.additional is not True:
            rest = {
                name: part for name, part in one.properties.items() if name not in other.properties
            }
            taken = {*one.properties, *one.required, *other.properties}
            rest[next(fresh_names(taken))] = one.additional
            place = f"{at}/additionalProperties"
            members += [(name, part, other.additional, place) for name, part in rest.items()]
        for name, part, against, place in members:
            for finding in self._findings(part, against, place):
                if isinstance(finding, Escape):
                    finding = finding._replace(value={**minimal, name: finding.value})
                yield finding

    def _is_new(self, name: str, one: Shape, other: Shape) -> bool:
        """Whether the property is optional and the narrow schema left it open."""
        known = name in one.properties or name in one.required or name in other.required
        return not self._strict and not known and self._old.shape(one.additional).is_open

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

    def _doubt(self, escape: Escape) -> Undecided | None:
        """The validators' objection to a counterexample."""
        value, pointer = escape
        if size_of(value) > MAX_SIZE:
            return _undecided_at(pointer, f"a sample value has more than {MAX_SIZE} parts")
        try:
            old, new = self._old.validator(self._narrow), self._new.validator(self._wide)
            if not old.is_valid(value):
                self._work.spend(_ERROR_STEPS * self._old.parts(self._narrow))
                place = min(join_pointer(error.schema) for error in old.errors(value))
                return _undecided_at(place, _REFUSED)
            if new.is_valid(value):
                return _undecided_at(pointer, _DISAGREE)
            if size_of(value) <= _MAX_CHECKED_TWICE and not (
                _other_engine_accepts(self._old, self._narrow, value) is not False
                and _other_engine_accepts(self._new, self._wide, value) is not True
            ):
                return _undecided_at(pointer, _DISAGREE)
            if self._is_given_up(value):
                return _undecided_at(pointer, "the validator takes too long to match a pattern")
        except SchemaRefused as refused:
            return _undecided_at(refused.pointer or pointer, f"{_CANNOT}: {refused}")
        except (ValueError, OverflowError) as refused:
            return _undecided_at(pointer, f"{_CANNOT}: {refused}")
        except Undecidable:
            return _undecided_at(pointer, _REFUSED)
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

    def _completed(self, narrow: Schema, refused: list[Any]) -> Iterator[Any]:
        """Rejected objects and lists, completed with other parts."""
        for value in refused[:_COMPLETED]:
            for other in islice(self._old.varied(narrow), _COMPLETED):
                if isinstance(value, dict) and isinstance(other, dict):
                    yield {**other, **value}
                elif isinstance(value, list) and isinstance(other, list):
                    yield [*value, *other]

    def _tried(
        self, narrow: Schema, unit: Schema, wide: Schema, at: str, first: Iterable[Any] = ()
    ) -> Escape | None:
        """A value of the narrow schema that a part of the wide one rejects, found by trial."""
        candidates = chain(
            first,
            stated_values(narrow),
            stated_values(wide),
            islice(self._old.varied(narrow), _TRIED),
            self._hard_texts(self._old.shape(narrow)),
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
            found = strings(
                parse_pattern(shape.pattern).root,
                shortest=shape.shortest,
                longest=shape.longest,
                work=self._work,
            )
            yield from islice(found, _TRIED_TEXTS)


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
    stated = narrow[keyword]
    if keyword not in ("minProperties", "maxProperties") or not (
        is_number(stated) and is_number(bound)
    ):
        return False
    return bool(bound <= stated if keyword == "minProperties" else bound >= stated)


def _is_local(reference: Any) -> bool:
    """Whether a reference leads to a definition of the whole schema."""
    return isinstance(reference, str) and reference.startswith(("#/$defs/", "#/definitions/"))


def _references(part: Any) -> Iterator[Any]:
    for found in nested(part):
        if isinstance(found, dict):
            yield from (found[key] for key in _REFERENCES if key in found)


def _listing(schema: Schema) -> str:
    return "const" if isinstance(schema, dict) and "enum" not in schema else "enum"


def _number_verdicts(
    one: Shape, other: Shape, wide: dict[str, Any], at: str
) -> Iterator[InclusionVerdict]:
    """Numbers of `one`, which has some, that `other` rejects."""
    numbers = one.number
    if other.number.integer:
        yield from _not_in_step(one, other, wide, at)
    for keyword in (bound for bound in BOUNDS if bound in wide):
        is_open = not keyword.startswith("exclusive")
        is_low = keyword in ("minimum", "exclusiveMinimum")
        refused = (numbers.at_most if is_low else numbers.at_least)(wide[keyword], is_open)
        if not refused.is_empty:
            yield _number(refused.near_high() if is_low else refused.near_low(), keyword, at)


def _not_in_step(
    one: Shape, other: Shape, wide: dict[str, Any], at: str
) -> Iterator[InclusionVerdict]:
    """A number that is not an integer or multiple: one of two neighbors, if there is one."""
    stated = wide.get("type")
    whole = "type" if "integer" in (stated if isinstance(stated, list) else [stated]) else ""
    if not one.number.integer and not one.number.is_point:
        yield _number(one.number.fraction(), whole or "multipleOf", at)
        return
    for found in islice(one.number.values(), 2):
        if found not in other.number._replace(low=None, high=None):
            is_whole = found == found // 1
            yield _number(found, "multipleOf" if is_whole else whole or "multipleOf", at)
            return


def _number(found: Number | None, keyword: str, at: str) -> InclusionVerdict:
    if found is None:
        return _undecided_at(f"{at}/{keyword}", _IMPRECISE)
    return Escape(found, f"{at}/{keyword}")


def _usual_text(one: Shape, wide: Node, low: int, high: int | None, work: Work) -> str | None:
    """The same among strings that the format of `one` is known to accept."""
    known = FORMAT_TEXTS.get(one.format)
    if known is None:
        return None
    ends = [end for end in (high, known.longest) if end is not None]
    return refused_text(one, wide, low, min(ends, default=None), work, known.some)


def _every_text(one: Shape) -> str:
    """A pattern that all strings of the format of `one` match; "" if there is none."""
    known = FORMAT_TEXTS.get(one.format)
    return known.every if known else ""


_TextVerdict = tuple[InclusionVerdict, list[str]]
"""An obstacle, and strings that may be counterexamples if it is undecided."""


def _text_verdicts(one: Shape, other: Shape, at: str, work: Work) -> Iterator[_TextVerdict]:
    """Strings of `one`, which has some, that `other` rejects."""
    if other.pattern is not None and other.pattern != one.pattern:
        wide = parse_pattern(other.pattern).root
        yield from _escaping(one, wide, one.shortest, one.longest, f"{at}/pattern", work)
    if other.shortest > one.shortest:
        longest = other.shortest - 1
        if one.longest is not None:
            longest = min(longest, one.longest)
        yield from _of_length(one, one.shortest, longest, f"{at}/minLength", work)
    if other.longest is not None and (one.longest is None or one.longest > other.longest):
        shortest = max(one.shortest, other.longest + 1)
        yield from _of_length(one, shortest, one.longest, f"{at}/maxLength", work)


def _of_length(
    one: Shape, shortest: int, longest: int | None, place: str, work: Work
) -> Iterator[_TextVerdict]:
    if one.pattern is not None or one.format in FORMAT_TEXTS:
        yield from _escaping(one, NO_TEXT, shortest, longest, place, work)
        return
    length = longest if place.endswith("minLength") and longest is not None else shortest
    if length > MAX_TEXT:
        reason = f"strings of more than {MAX_TEXT} characters are not generated"
        yield _undecided_at(place, reason), []
    else:
        yield Escape("a" * length, place), []


def _escaping(
    one: Shape, wide: Node, low: int, high: int | None, place: str, work: Work
) -> Iterator[_TextVerdict]:
    """A rejected string; with a format, one that the format is known to accept."""
    try:
        found = refused_text(one, wide, low, high, work, _every_text(one))
        if found is not None:
            usual = _usual_text(one, wide, low, high, work)
            yield Escape(found if usual is None else usual, place), []
    except Undecidable as undecidable:
        candidates = [candidate for candidate in (undecidable.candidate,) if candidate is not None]
        yield _undecided_at(place, undecidable.reason), candidates


def _format_verdict(one: Shape, other: Shape, at: str, work: Work) -> InclusionVerdict | None:
    """A string of `one`, which has some, that the format of `other` rejects; else None."""
    reason = "the set of strings with this format is not exactly known"
    undecided = _undecided_at(f"{at}/format", reason)
    known = FORMAT_TEXTS.get(other.format)
    if known is None:
        return undecided
    low, high = one.shortest, one.longest
    try:
        if known.longest is None or (high or MAX_TEXT) <= known.longest:
            some = parse_pattern(known.some).root
            if refused_text(one, some, low, high, work, _every_text(one)) is None:
                return None
        if known.every:
            refused = _usual_text if one.format else refused_text
            found = refused(one, parse_pattern(known.every).root, low, high, work)
            return undecided if found is None else Escape(found, undecided.pointer)
    except Undecidable as undecidable:
        return undecided._replace(reason=undecidable.reason)
    return undecided


def _undecided_at(pointer: str, reason: str) -> Undecided:
    return Undecided(pointer.rpartition("/")[2], pointer, reason)


def _is_hard(pattern: str) -> bool:
    try:
        return not parse_pattern(pattern).supported
    except PatternError:
        return True


def _texts_in(value: Any) -> Iterator[str]:
    """All strings of a value, including property names."""
    for found in nested(value):
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            yield from found
