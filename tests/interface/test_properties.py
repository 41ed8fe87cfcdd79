"""What holds of every comparison, whatever the two interfaces are."""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interface.drawn import SCHEMAS, SECRET, hidden, interfaces, pairs, shuffled
from tests.interface.test_symmetry import MIRRORS, reasons

from skillstudio.interface.change import Change
from skillstudio.interface.compare import compare, differences
from skillstudio.interface.difference import Difference
from skillstudio.interface.kinds import RULESETS
from skillstudio.interface.model import Input, Interface, Operation
from skillstudio.manifest.changes import all_kinds
from skillstudio.schema.engine import compile_schema

Pair = tuple[Interface, Interface]
WITHOUT_MIRROR = reasons()
SIDED = ("undecided", "reference-changed")
"""Actions that tell nothing of the other direction."""


def changes(old: Interface, new: Interface, ruleset: str = "default") -> tuple[Change, ...]:
    return compare(old, new, all_kinds(), ruleset)


@pytest.mark.slow
@given(interfaces(), st.sampled_from(RULESETS))
def test_nothing_differs_from_itself(one: Interface, ruleset: str) -> None:
    assert changes(one, one, ruleset) == changes(one, deepcopy(one), ruleset) == ()


@pytest.mark.slow
@given(pairs())
def test_what_happens_one_way_is_undone_the_other_way(pair: Pair) -> None:
    old, new = pair
    there, back = list(differences(old, new)), list(differences(new, old))
    for found in there:
        assert any(_undoes(other, found) for other in back), found
    for found in back:
        assert any(_undoes(other, found) for other in there), found


def _undoes(other: Difference, found: Difference) -> bool:
    if other.surface != found.surface or not {_at(other), _was_at(other)} & {
        _at(found),
        _was_at(found),
    }:
        return False
    if found.action in SIDED or other.action in SIDED or found.facet.startswith("property"):
        return True
    mirror = MIRRORS.get(found.action, found.action)
    if (found.surface, found.facet, mirror) in WITHOUT_MIRROR:
        return True
    if (other.surface, other.facet, MIRRORS.get(other.action)) in WITHOUT_MIRROR:
        return True
    if "floor-major-raised" in (found.action, other.action):
        return True
    bases = found.facet.startswith("base") and other.facet.startswith("base")
    return other.action == mirror and (other.facet == found.facet or bases)


def _at(finding: Difference) -> str:
    return finding.pointer


def _was_at(finding: Difference) -> str:
    return finding.old_pointer or finding.pointer


@pytest.mark.slow
@given(pairs(), st.integers(0, 99), st.sampled_from(RULESETS))
def test_the_order_in_the_source_does_not_matter(pair: Pair, seed: int, ruleset: str) -> None:
    old, new = pair

    def told(found: tuple[Change, ...]) -> list[Change]:
        return [each for each in found if each.kind != "input-order-changed"]

    mixed = changes(shuffled(old, seed), shuffled(new, seed + 1), ruleset)
    assert told(mixed) == told(changes(old, new, ruleset))
    assert {each.level for each in mixed if each.kind == "input-order-changed"} <= {"none"}


@pytest.mark.slow
@given(pairs(True), st.booleans())
def test_no_sensitive_value_is_told(pair: Pair, every: bool) -> None:
    old, new = pair
    if every:
        old, new = hidden(old), hidden(new)._replace(operations=new.operations)
    for ruleset in RULESETS:
        for change in (*changes(old, new, ruleset), *changes(new, old, ruleset)):
            assert SECRET not in repr(change)


@pytest.mark.slow
@given(pairs())
def test_each_change_has_a_fingerprint_of_its_own(pair: Pair) -> None:
    old, new = pair
    found = changes(old, new)
    prints = [each.fingerprint for each in found]
    assert len(set(prints)) == len(prints)
    assert all(re.fullmatch("[0-9a-f]{12}", each) for each in prints)
    again = changes(deepcopy(old), deepcopy(new), "strict")
    kept = {(each.kind, each.operation, each.pointer): each.fingerprint for each in found}
    for each in again:
        key = (each.kind, each.operation, each.pointer)
        assert kept.get(key, each.fingerprint) == each.fingerprint


@pytest.mark.slow
def test_a_witness_is_accepted_by_one_side_only() -> None:
    checked = 0
    for pair in permutations(SCHEMAS, 2):
        engines = dict(zip(("old", "new"), map(compile_schema, pair), strict=True))
        sides = (Operation("", inputs=(Input("a", schema, True),)) for schema in pair)
        old, new = (Interface("s", declared=True, operations=(side,)) for side in sides)
        for change in changes(old, new):
            if change.witness is not None:
                value = change.witness.value
                assert engines[change.witness.accepted_by].is_valid(value), change
                assert not engines[change.witness.refused_by].is_valid(value), change
                checked += 1
    assert checked > 400
