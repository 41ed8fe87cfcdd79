"""Compare two interfaces of a skill and name the differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from skillstudio.interface.change import LEVELS, Change, Spot
from skillstudio.interface.difference import (
    Difference,
    below,
    changed_fields,
    compare_values,
    moved_names,
    one_sided,
)
from skillstudio.interface.kinds import RULESETS, ChangeKind, ChangeKinds
from skillstudio.interface.model import ABSENT, Interface, Term, token
from skillstudio.interface.operations import compare_effects, compare_operations
from skillstudio.interface.requirements import (
    compare_environment,
    compare_execution,
    compare_requirements,
)
from skillstudio.interface.schemas import limit_work
from skillstudio.interface.terms import compare_terms
from skillstudio.interface.wording import sentence
from skillstudio.text.versions import parse_dotted

_RANK = {level: rank for rank, level in enumerate(LEVELS)}
_SHARED_ELEMENTS = ("effects", "stdout")
"""Elements that a manifest may declare for all operations at once, as in their pointers."""


def compare(
    old: Interface | None, new: Interface | None, kinds: ChangeKinds, ruleset: str = "default"
) -> tuple[Change, ...]:
    """The changes in order. Raises ValueError for an unknown ruleset, and KindUnknown."""
    if ruleset not in RULESETS:
        raise ValueError(f"unknown ruleset {ruleset}; use one of {', '.join(RULESETS)}")
    changes = (
        _change(difference, kinds, ruleset, old, new)
        for difference in differences(old, new, strict=ruleset == "strict")
    )
    with limit_work():
        return tuple(
            sorted(
                changes,
                key=lambda change: (
                    _RANK[change.level],
                    change.operation,
                    change.pointer,
                    change.kind,
                ),
            )
        )


def differences(
    old: Interface | None, new: Interface | None, strict: bool = False
) -> Iterator[Difference]:
    """All differences, before they are named."""
    if old is None or new is None:
        only, action = (old, "removed") if new is None else (new, "added")
        if only is not None:
            yield one_sided("skill", "skill", action, "", only.name, only.name)
        return
    if old is new:
        return
    sensitive = old.sensitive or new.sensitive
    removed_dialects, come = _gone_and_come(old, new)
    yield from _identity(old, new)
    yield from _dialects(old, new, removed_dialects, come)
    # What a removed dialect declared was removed with it; permissions of a new one are reported.
    permissions = (
        _intersect_terms(old.permissions, new.permissions) if removed_dialects else old.permissions
    )
    yield from compare_terms(permissions, new.permissions, "/permissions", strict, sensitive)
    before = _intersect_terms(old.terms, new.terms) if removed_dialects else old.terms
    after = _intersect_terms(new.terms, old.terms) if come else new.terms
    yield from compare_terms(before, after, "/terms", strict, sensitive)
    if old.declared and new.declared:
        yield from _reported_once(_contract(old, new, strict, sensitive), old, new)
    elif new.declared:
        # The effects of a first contract still need a review.
        effects = (
            compare_effects(operation, (), operation.effects) for operation in new.operations
        )
        yield from _reported_once(chain.from_iterable(effects), old, new)


def _contract(
    old: Interface, new: Interface, strict: bool, sensitive: bool
) -> Iterator[Difference]:
    """Differences of contracts declared on both sides; otherwise nothing can break."""
    yield from compare_operations(old.operations, new.operations, strict, sensitive)
    yield from compare_environment(old, new)
    yield from compare_requirements(old, new)
    yield from compare_execution(old, new)
    before = {promise.name: promise.value for promise in old.promises}
    after = {promise.name: promise.value for promise in new.promises}
    for part in {**before, **after}:
        entries = (before.get(part, ()), after.get(part, ()))
        yield from moved_names("promise", "entry", f"/promises/{token(part)}", *entries, part)
    yield from changed_fields("skill", "", new.name, old, new, "sensitive")


def _identity(old: Interface, new: Interface) -> Iterator[Difference]:
    yield from changed_fields("skill", "", new.name, old, new, "name", "description", "license")
    for dialect, was in old.ids.items():
        is_now = new.ids.get(dialect, was)
        if was != is_now and (was, is_now) != (old.name, new.name):
            at = f"/ids/{token(dialect)}"
            yield Difference("skill", "id", "changed", at, dialect, was, is_now)
    for path in {**old.scripts, **new.scripts}:
        sides = (old.scripts.get(path, ABSENT), new.scripts.get(path, ABSENT))
        if sides[0] != sides[1]:
            action = "changed"
            if ABSENT in sides:
                action = "added" if sides[0] is ABSENT else "removed"
            yield Difference("skill", "script", action, f"/scripts/{token(path)}", path, *sides)
    for key in {**old.metadata, **new.metadata}:
        sides = (old.metadata.get(key, ABSENT), new.metadata.get(key, ABSENT))
        yield from compare_values("skill", "metadata", f"/metadata/{token(key)}", key, *sides)


def _dialects(
    old: Interface, new: Interface, removed_dialects: list[str], come: list[str]
) -> Iterator[Difference]:
    at = "/manifest_versions"
    if old.declared != new.declared:
        action, dialects = ("added", come) if new.declared else ("removed", removed_dialects)
        place = f"{at}/{token(dialects[0])}" if dialects else at
        yield one_sided("version", "contract", action, place, new.name, ", ".join(dialects))
    elif len(removed_dialects) == 1 and len(come) == 1:
        was_at, place = (f"{at}/{token(side[0])}" for side in (removed_dialects, come))
        yield from below(
            place, was_at, compare_values("version", "dialect", "", *come, *removed_dialects, *come)
        )
    elif old.declared:
        yield from moved_names("version", "dialect", at, removed_dialects, come)
    for name, before in old.manifest_versions.items():
        after = new.manifest_versions.get(name, before)
        if before != after:
            numbers = [(parse_dotted(version) or (version,))[0] for version in (before, after)]
            action = "minor-changed" if numbers[0] == numbers[1] else "major-changed"
            yield Difference("version", name, action, f"{at}/{token(name)}", name, before, after)


def _gone_and_come(old: Interface, new: Interface) -> tuple[list[str], list[str]]:
    """The dialects with a contract that only the old side has, and only the new side."""
    before = [dialect for dialect in old.dialects if dialect not in old.bare]
    after = [dialect for dialect in new.dialects if dialect not in new.bare]
    removed_dialects = [dialect for dialect in before if dialect not in after]
    return removed_dialects, [dialect for dialect in after if dialect not in before]


def _intersect_terms(terms: tuple[Term, ...], other_terms: tuple[Term, ...]) -> tuple[Term, ...]:
    keys = {(term.name, term.key) for term in other_terms}
    return tuple(term for term in terms if (term.name, term.key) in keys)


def _change(
    difference: Difference,
    kinds: ChangeKinds,
    ruleset: str,
    old: Interface | None,
    new: Interface | None,
) -> Change:
    kind = _kind(difference, kinds)
    return Change(
        kind=kind.id,
        operation=difference.operation,
        pointer=difference.pointer,
        level=kind.level_in(ruleset),
        review=kind.review,
        routing=kind.routing,
        old=difference.old,
        new=difference.new,
        message=sentence(
            kind.message, difference.name, difference.old, difference.new, difference.detail
        ),
        source=kind.source,
        witness=difference.witness,
        undecided_keyword=difference.undecided_keyword,
        old_spot=Spot(old, difference.old_pointer or difference.pointer) if old else None,
        new_spot=Spot(new, difference.pointer) if new else None,
    )


def _kind(difference: Difference, kinds: ChangeKinds) -> ChangeKind:
    """The kind of a difference; a dialect may have its own kinds for its version."""
    coordinate = (difference.surface, difference.facet, difference.action)
    if difference.surface == "version" and difference.action.endswith("-changed"):
        dialect_kind = kinds.by_coordinate.get(coordinate)
        return dialect_kind or kinds.find("version", "manifest", difference.action)
    return kinds.find(*coordinate)


def highest(changes: Iterable[Change]) -> Change | None:
    """The change with the highest level that is not waived."""
    open_ones = [change for change in changes if not change.waived]
    return min(open_ones, key=lambda change: _RANK[change.level], default=None)


def _reported_once(
    differences: Iterable[Difference], old: Interface, new: Interface
) -> Iterator[Difference]:
    """Report elements shared by all operations once, so that fingerprints stay the same."""
    seen_keys: set[tuple[str, str, str, str]] = set()
    for difference in differences:
        pointer = _shared_pointer(difference, old, new)
        if not pointer:
            yield difference
            continue
        key = (difference.surface, difference.facet, difference.action, pointer)
        if key not in seen_keys:
            seen_keys.add(key)
            yield difference._replace(operation="", pointer=pointer, old_pointer="")


def _shared_pointer(difference: Difference, old: Interface, new: Interface) -> str:
    """The pointer of an element that all operations share; "" if an operation has its own."""
    above = f"/operations/{token(difference.operation)}" if difference.operation else ""
    inside = difference.pointer.removeprefix(above)
    name = inside[1:].partition("/")[0]
    if name not in _SHARED_ELEMENTS:
        return ""
    is_shared = False
    for side, pointer in (
        (old, difference.old_pointer or difference.pointer),
        (new, difference.pointer),
    ):
        place = side.places.get(f"/{name}")
        operation_place = side.places.get(f"{pointer.removesuffix(inside)}/{name}")
        if operation_place is not None and operation_place != place:
            return ""
        is_shared = is_shared or place is not None
    return inside if is_shared else ""
