"""Whether one schema accepts only what another accepts, with a value that proves where not.

A schema is a conjunction: a value is accepted where no keyword refuses it. So inclusion is asked
of each keyword of the wide schema alone, type by type, and each answer that is no comes with a
value made for it. Keywords that are not understood are compared by their text, and else by
trying values; where none decides, the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from skillstudio.schema.inclusion_scalars import number_findings, text_findings
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.regex import parse_pattern
from skillstudio.schema.regex.inclusion import Undecidable, states_of, strings
from skillstudio.schema.sample import (
    MAX_ITEMS,
    Sampler,
    Unknown,
    fresh_names,
    stated_values,
    without_enum,
)
from skillstudio.schema.shape import KINDS, Schema, Shape, too_large, value_key
from skillstudio.schema.units import KIND_OF_KEYWORD, Definitions, unit_of
from skillstudio.schema.verdicts import INCLUDED, Escape, Finding, Included, Undecided
from skillstudio.text.node import join_pointer

__all__ = ["INCLUDED", "Escape", "Included", "Schema", "Undecided", "include"]

_MAX_COMPARED = 200_000
_MAX_REFUSED = 16
"""How many values that the validator does not confirm are let pass."""
_TRIED = 100
_TRIED_TEXTS = 2_000
_TRIED_CHARACTERS = 10_000
"""A bound on what the validator has to read: matching can take it long."""
_TRIED_STEPS = 2_000_000
"""The same, by the number of characters times that of a pattern's states."""
_NOT_FOUND = "the values that were tried do not show whether this refuses any"
_REFUSED = "the values that were tried are refused by this"


def include(narrow: Schema, wide: Schema, *, strict: bool = False) -> Included | Escape | Undecided:
    """Whether every value that `narrow` accepts is one that `wide` accepts.

    Unless `strict`, a property that only `wide` describes, and does not require, counts as
    included where `narrow` leaves additional properties open: nobody was told of it before.
    The value of an Escape was confirmed by the validator of both schemas.
    """
    if narrow is wide:
        return INCLUDED
    for schema in (narrow, wide):
        reason = too_large(schema)
        if reason:
            return Undecided("", "", reason)
    return _Comparison(narrow, wide, strict).answer()


class _Comparison:
    """Two schemas; what is within the narrow one is asked of `old`, the rest of `new`."""

    def __init__(self, narrow: Schema, wide: Schema, strict: bool) -> None:
        self._narrow = narrow
        self._wide = wide
        self._strict = strict
        self._old = Sampler(narrow)
        self._new = Sampler(wide)
        self._definitions = Definitions(narrow, wide)
        self._compared = 0

    def answer(self) -> Included | Escape | Undecided:
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
        return undecided or INCLUDED

    def _doubt(self, escape: Escape) -> Undecided | None:
        """What the validator has against a value that was found."""
        try:
            old = self._old.validator(self._narrow)
            if old.is_valid(escape.value):
                if not self._new.validator(self._wide).is_valid(escape.value):
                    return None
                return _undecided(escape.pointer, "the validator accepts what this should refuse")
            places = [_place(error.schema) for error in old.errors(escape.value)]
        except (SchemaRefused, ValueError, OverflowError) as refused:
            return _undecided(escape.pointer, f"the validator cannot tell: {refused}")
        return _undecided(min(places, default=""), _REFUSED)

    def _findings(self, narrow: Schema, wide: Schema, at: str) -> Iterator[Finding]:
        """What is against the inclusion of a schema in another, at a place in the wide one."""
        self._compared += 1
        if self._compared > _MAX_COMPARED:
            yield Undecided("", at, f"the schemas have more than {_MAX_COMPARED} parts")
            return
        if self._new.shape(wide).is_open or self._definitions.same_meaning(narrow, wide):
            return
        one, other = self._old.shape(narrow), self._new.shape(wide)
        for broken in (other.broken or one.broken)[:1]:
            yield _undecided(f"{at}/{broken}", "it has a value that it cannot have")
            return
        if one.allowed is not None:
            yield from self._of_listed(narrow, wide, at)
            return
        against = self._of_keywords(narrow, wide, at)
        if self._old.is_exact(one):
            yield from against
            return
        refused = False
        for finding in against:
            if isinstance(finding, Escape) and not self._accepts(narrow, finding.value):
                refused = True
            else:
                yield finding
        if refused:
            tried = self._tried(narrow, wide, wide, at)
            yield tried or _undecided(f"{at}/{(one.foreign or ['pattern'])[0]}", _REFUSED)

    def _of_keywords(self, narrow: Schema, wide: Schema, at: str) -> Iterator[Finding]:
        one, other = self._old.shape(narrow), self._new.shape(wide)
        yield from self._of_enum(narrow, wide, at)
        kinds = set()
        for kind in KINDS:
            if kind not in one.kinds:
                continue
            try:
                found = self._old.of_kind(one, kind, 1)
                if found:
                    kinds.add(kind)
                if found and kind not in other.kinds:
                    yield Escape(found[0], at if wide is False else f"{at}/type")
                elif found:
                    yield from self._of_kind(kind, narrow, wide, at)
            except Unknown as unknown:
                kinds.add(kind)
                yield _undecided(f"{at}/{unknown.keyword}", unknown.reason)
        units: dict[tuple[str, ...], str] = {}
        for keyword in other.foreign if kinds else ():
            if KIND_OF_KEYWORD.get(keyword, keyword) in (keyword, *kinds):
                units.setdefault(tuple(unit_of(wide, keyword)), keyword)
        for keyword in units.values():
            old_unit, unit = unit_of(narrow, keyword), unit_of(wide, keyword)
            if not self._definitions.same_meaning(old_unit, unit):
                tried = self._tried(narrow, unit, wide, at)
                yield tried or _undecided(f"{at}/{keyword}", _NOT_FOUND)

    def _of_kind(self, kind: str, narrow: Schema, wide: Schema, at: str) -> Iterator[Finding]:
        one, other = self._old.shape(narrow), self._new.shape(wide)
        if kind == "number" and isinstance(wide, dict):
            yield from number_findings(one, other, wide, at)
        elif kind == "string":
            for finding in text_findings(one, other, at):
                if isinstance(finding, Undecided):
                    unit = (
                        {finding.keyword: wide[finding.keyword]} if isinstance(wide, dict) else wide
                    )
                    yield self._tried(narrow, unit, wide, at) or finding
                else:
                    yield finding
        elif kind == "array":
            yield from self._of_arrays(one, other, at)
        elif kind == "object":
            yield from self._of_objects(one, other, at)

    def _of_listed(self, narrow: Schema, wide: Schema, at: str) -> Iterator[Finding]:
        """Each value that the narrow schema lists is tried."""
        other = self._new.shape(wide)
        try:
            values = self._old.values(narrow, _MAX_COMPARED)
            judge = self._new.validator(without_enum(wide))
            for value in values:
                if other.allowed is not None and value_key(value) not in other.allowed:
                    yield Escape(value, f"{at}/{_listing(wide)}")
                elif not judge.is_valid(value):
                    yield Escape(
                        value, at + min(_place(each.schema) for each in judge.errors(value))
                    )
        except (SchemaRefused, Unknown, ValueError, OverflowError) as refused:
            yield _undecided(f"{at}/{_listing(narrow)}", f"its values cannot be tried: {refused}")

    def _of_enum(self, narrow: Schema, wide: Schema, at: str) -> Iterator[Finding]:
        """A value of the narrow schema that the wide one does not list."""
        other = self._new.shape(wide)
        if other.allowed is None:
            return
        try:
            values = self._old.values(narrow, len(other.allowed) + 1, other.properties)
        except Unknown as unknown:
            yield _undecided(f"{at}/{_listing(wide)}", unknown.reason)
            return
        for value in values:
            if value_key(value) not in other.allowed:
                yield Escape(value, f"{at}/{_listing(wide)}")
                return

    def _of_arrays(self, one: Shape, other: Shape, at: str) -> Iterator[Finding]:
        item = self._old.smallest(one.items) if one.most != 0 else []
        most = one.most if item else 0
        if other.fewest > one.fewest:
            yield Escape(item * one.fewest, f"{at}/minItems")
        if other.most is not None and (most is None or most > other.most):
            length = max(one.fewest, other.most + 1)
            if length > MAX_ITEMS:
                raise Unknown("maxItems", f"lists of more than {MAX_ITEMS} items are not made")
            yield Escape(item * length, f"{at}/maxItems")
        if item:
            for finding in self._findings(one.items, other.items, f"{at}/items"):
                if isinstance(finding, Escape):
                    finding = finding._replace(value=[finding.value] * max(1, one.fewest))
                yield finding

    def _of_objects(self, one: Shape, other: Shape, at: str) -> Iterator[Finding]:
        minimal = self._old.minimal(one)
        if minimal is None:
            return
        for name in other.required:
            if name not in one.required:
                yield Escape(minimal, f"{at}/required")
                break
        for name, part in other.properties.items():
            if not self._is_new(name, one, other):
                place = f"{at}/properties{join_pointer([name])}"
                yield from _within(
                    minimal, name, self._findings(one.of_property(name), part, place)
                )
        if other.additional is not True:
            place = f"{at}/additionalProperties"
            for name, part in one.properties.items():
                if name not in other.properties:
                    yield from _within(minimal, name, self._findings(part, other.additional, place))
            taken = {*one.properties, *one.required, *other.properties}
            name = next(fresh_names(taken))
            yield from _within(
                minimal, name, self._findings(one.additional, other.additional, place)
            )

    def _is_new(self, name: str, one: Shape, other: Shape) -> bool:
        """Whether a property is one that the narrow schema left open and nobody must give."""
        known = name in one.properties or name in one.required or name in other.required
        return not self._strict and not known and self._old.shape(one.additional).is_open

    def _accepts(self, narrow: Schema, value: Any) -> bool:
        try:
            return self._old.validator(narrow).is_valid(value)
        except SchemaRefused:
            return True  # The whole schema is asked in the end.

    def _tried(self, narrow: Schema, unit: Schema, wide: Schema, at: str) -> Escape | None:
        """A value of the narrow schema that a part of the wide one refuses, found by trying."""
        try:
            old, new = self._old.validator(narrow), self._new.validator(unit)
        except SchemaRefused:
            return None
        left = self._affordable(narrow, unit)
        candidates = chain(
            stated_values(narrow),
            stated_values(wide),
            islice(self._old.varied(narrow), _TRIED),
            self._texts(self._old.shape(narrow)),
        )
        for value in candidates:
            left -= _size(value)
            if left < 0:
                return None
            if old.is_valid(value) and not new.is_valid(value):
                return Escape(value, at + min(_place(each.schema) for each in new.errors(value)))
        return None

    def _affordable(self, narrow: Schema, unit: Schema) -> int:
        """How many characters may be tried."""
        shapes = self._old.shape(narrow), self._new.shape(unit)
        states = [
            states_of(parse_pattern(each.pattern).root)
            for each in shapes
            if each.pattern is not None
        ]
        return min(_TRIED_CHARACTERS, _TRIED_STEPS // max(states, default=1))

    def _texts(self, shape: Shape) -> Iterator[str]:
        """Texts of a pattern that no automaton can follow to the last."""
        if "string" in shape.kinds and shape.pattern is not None:
            node = parse_pattern(shape.pattern).root
            found = strings(node, shortest=shape.shortest, longest=shape.longest)
            try:
                yield from islice(found, _TRIED_TEXTS)
            except Undecidable:
                return


def _within(minimal: dict[str, Any], name: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    """What was found of a property, told of the object that has it."""
    for finding in findings:
        if isinstance(finding, Escape):
            finding = finding._replace(value={**minimal, name: finding.value})
        yield finding


def _size(value: Any) -> int:
    """The characters and other parts of a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(name) + _size(item) for name, item in value.items())
    return 1 + (sum(map(_size, value)) if isinstance(value, list) else 0)


def _listing(schema: Schema) -> str:
    return "const" if isinstance(schema, dict) and "enum" not in schema else "enum"


def _undecided(pointer: str, reason: str) -> Undecided:
    return Undecided(pointer.rpartition("/")[2], pointer, reason)


def _place(path: tuple[str | int, ...]) -> str:
    return join_pointer([str(token) for token in path])
