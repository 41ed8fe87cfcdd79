"""What changed between two interfaces of a skill: found by comparers, named and judged by data."""

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
from skillstudio.interface.model import Interface, Operation, Term
from skillstudio.interface.operations import compare_operations
from skillstudio.interface.requirements import (
    compare_environment,
    compare_execution,
    compare_requirements,
)
from skillstudio.interface.sharing import reported_once
from skillstudio.interface.terms import compare_terms
from skillstudio.interface.wording import sentence

_RANK = {level: rank for rank, level in enumerate(LEVELS)}


def compare(
    old: Interface | None, new: Interface | None, kinds: ChangeKinds, ruleset: str = "default"
) -> tuple[Change, ...]:
    """Every change from one version to another: by level, then by operation and place.

    None is a side on which there is no skill. Raises ValueError for an unknown ruleset, and
    KindUnknown where the data lacks a kind.
    """
    if ruleset not in RULESETS:
        raise ValueError(f"no such ruleset: {ruleset}; there are {', '.join(RULESETS)}")
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
    """Every difference, before it is named."""
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
        yield from reported_once(_contract(old, new, strict, sensitive), old, new)
    elif new.declared:
        yield from reported_once(_effects(new), old, new)


def _contract(
    old: Interface, new: Interface, strict: bool, sensitive: bool
) -> Iterator[InterfaceDifference]:
    """What was promised on both sides: without a promise on either, nothing can be broken."""
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
    """What a first contract lets the skill do is looked at all the same."""
    for operation in new.operations:
        bare = Operation(operation.name)
        able = Operation(operation.name, effects=operation.effects)
        yield from compare_operations((bare,), (able,), False, False)


def _permissions(old: Interface, new: Interface) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """What is asked for. What a system asked for that is gone went with it."""
    gone, _ = gone_and_come(old, new)
    if not gone:
        return old.permissions, new.permissions
    kept = {(each.name, each.key) for each in new.permissions}
    return tuple(each for each in old.permissions if (each.name, each.key) in kept), new.permissions


def _terms(old: Interface, new: Interface) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The terms that can be held against each other.

    What only one side says because only there is a system that knows it, came or went with that
    system.
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
    """The kind of a difference; a system may name its own versions otherwise than all do."""
    if difference.surface == "version" and difference.action.endswith("-changed"):
        coordinate = (difference.surface, difference.facet, difference.action)
        own = kinds.by_coordinate.get(coordinate)
        return own or kinds.find("version", "manifest", difference.action)
    return kinds.find(difference.surface, difference.facet, difference.action)


def highest(changes: Iterable[Change]) -> Change | None:
    """The change that asks for most, those that are waived left out."""
    open_ones = [change for change in changes if not change.waived]
    return min(open_ones, key=lambda each: _RANK[each.level], default=None)
