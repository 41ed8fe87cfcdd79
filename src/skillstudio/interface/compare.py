"""Compare two interfaces of a skill and name the differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.interface.budget import bounded
from skillstudio.interface.change import LEVELS, Change
from skillstudio.interface.difference import InterfaceDifference
from skillstudio.interface.identity import (
    compare_identity,
    compare_promises,
    compare_systems,
    gone_and_come,
)
from skillstudio.interface.kinds import RULESETS, ChangeKind, ChangeKinds
from skillstudio.interface.model import Interface, Operation, Term, token
from skillstudio.interface.operations import compare_operations
from skillstudio.interface.requirements import (
    compare_environment,
    compare_execution,
    compare_requirements,
)
from skillstudio.interface.terms import compare_terms
from skillstudio.interface.wording import sentence

_RANK = {level: rank for rank, level in enumerate(LEVELS)}
_SHARED = ("effects", "stdout")
"""Elements that a manifest may declare for all operations at once, as in their pointers."""


def compare(
    old: Interface | None, new: Interface | None, kinds: ChangeKinds, ruleset: str = "default"
) -> tuple[Change, ...]:
    """List the changes between two versions, by level, then by operation and place.

    None means that the side has no skill. Raises ValueError for an unknown ruleset and KindUnknown
    if no kind matches a difference.
    """
    if ruleset not in RULESETS:
        raise ValueError(f"unknown ruleset {ruleset}; use one of {', '.join(RULESETS)}")
    found = (
        _change(difference, kinds, ruleset, old, new)
        for difference in differences(old, new, strict=ruleset == "strict")
    )
    with bounded():
        return tuple(
            sorted(
                found,
                key=lambda each: (_RANK[each.level], each.operation, each.pointer, each.kind),
            )
        )


def differences(
    old: Interface | None, new: Interface | None, strict: bool = False
) -> Iterator[InterfaceDifference]:
    """All differences, before they are named."""
    if old is None or new is None:
        if old is not None:
            yield InterfaceDifference("skill", "skill", "removed", "", old.name, old.name)
        elif new is not None:
            yield InterfaceDifference("skill", "skill", "added", "", new.name, new=new.name)
        return
    if old is new:
        return
    sensitive = old.sensitive or new.sensitive
    yield from compare_identity(old, new)
    yield from compare_systems(old, new)
    permissions = _permissions(old, new)
    yield from compare_terms(*permissions, "/permissions", strict, sensitive)
    yield from compare_terms(*_terms(old, new), "/terms", strict, sensitive)
    if old.declared and new.declared:
        yield from _reported_once(_contract(old, new, strict, sensitive), old, new)
    elif new.declared:
        yield from _reported_once(_effects(new), old, new)


def _contract(
    old: Interface, new: Interface, strict: bool, sensitive: bool
) -> Iterator[InterfaceDifference]:
    """Differences of contracts declared on both sides; otherwise nothing can break."""
    yield from compare_operations(old.operations, new.operations, strict, sensitive)
    yield from compare_environment(old.env, new.env)
    yield from compare_requirements(old.requirements, new.requirements)
    yield from compare_execution(old, new)
    yield from compare_promises(old.promises, new.promises)
    if old.sensitive != new.sensitive:
        action = "on" if new.sensitive else "off"
        flags = (old.sensitive, new.sensitive)
        yield InterfaceDifference("skill", "sensitive", action, "/sensitive", new.name, *flags)


def _effects(new: Interface) -> Iterator[InterfaceDifference]:
    """The effects of a first contract, which still need a review."""
    for operation in new.operations:
        bare = Operation(operation.name)
        able = Operation(operation.name, effects=operation.effects)
        yield from compare_operations((bare,), (able,), False, False)


def _permissions(old: Interface, new: Interface) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The permissions of both sides, without those of a dialect that was removed."""
    gone, _ = gone_and_come(old, new)
    if not gone:
        return old.permissions, new.permissions
    kept = {(each.name, each.key) for each in new.permissions}
    return tuple(each for each in old.permissions if (each.name, each.key) in kept), new.permissions


def _terms(old: Interface, new: Interface) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The terms that both sides can declare.

    A term of a dialect that only one side has was added or removed with that dialect.
    """
    gone, come = gone_and_come(old, new)
    before, after = old.terms, new.terms
    if gone:
        kept = {(each.name, each.key) for each in new.terms}
        before = tuple(each for each in before if (each.name, each.key) in kept)
    if come:
        known = {(each.name, each.key) for each in old.terms}
        after = tuple(each for each in after if (each.name, each.key) in known)
    return before, after


def _change(
    difference: InterfaceDifference,
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
        old_place=old.place(difference.old_pointer or difference.pointer) if old else None,
        new_place=new.place(difference.pointer) if new else None,
    )


def _kind(difference: InterfaceDifference, kinds: ChangeKinds) -> ChangeKind:
    """The kind of a difference; a dialect may have its own kinds for its version."""
    if difference.surface == "version" and difference.action.endswith("-changed"):
        coordinate = (difference.surface, difference.facet, difference.action)
        own = kinds.by_coordinate.get(coordinate)
        return own or kinds.find("version", "manifest", difference.action)
    return kinds.find(difference.surface, difference.facet, difference.action)


def highest(changes: Iterable[Change]) -> Change | None:
    """The change with the highest level that is not waived."""
    open_ones = [change for change in changes if not change.waived]
    return min(open_ones, key=lambda each: _RANK[each.level], default=None)


def _reported_once(
    differences: Iterable[InterfaceDifference], old: Interface, new: Interface
) -> Iterator[InterfaceDifference]:
    """The differences, with those of shared elements once and without an operation.

    A shared element appears below each operation and at the top. Its changes are reported at the
    top, so that the fingerprint stays the same when an operation is added or removed.
    """
    seen: set[tuple[str, str, str, str]] = set()
    for each in differences:
        below = _below_operation(each)
        if not below or not _is_shared(each, below, old, new):
            yield each
            continue
        key = (each.surface, each.facet, each.action, below)
        if key not in seen:
            seen.add(key)
            yield each._replace(operation="", pointer=below, old_pointer="")


def _below_operation(difference: InterfaceDifference) -> str:
    """The pointer without the operation; "" if the element cannot be shared."""
    above = f"/operations/{token(difference.operation)}" if difference.operation else ""
    below = difference.pointer.removeprefix(above)
    return below if _top(below) in _SHARED else ""


def _top(below: str) -> str:
    return below[1:].partition("/")[0]


def _is_shared(difference: InterfaceDifference, below: str, old: Interface, new: Interface) -> bool:
    top = f"/{_top(below)}"
    shared = False
    for side, pointer in (
        (old, difference.old_pointer or difference.pointer),
        (new, difference.pointer),
    ):
        place = side.places.get(top)
        own = side.places.get(pointer.removesuffix(below) + top)
        if own is not None and own != place:
            return False
        shared = shared or place is not None
    return shared
