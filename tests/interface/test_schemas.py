"""Thousands of questions that take long each: the work of a whole comparison is bounded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from tests.schema.test_inclusion_at_random import ANY_PAIRS

from skillstudio.interface import schemas
from skillstudio.interface.change import Change
from skillstudio.interface.compare import compare
from skillstudio.interface.model import Input, Interface, Operation, Output
from skillstudio.interface.schemas import BUDGET_REASON, limit_work, work_left
from skillstudio.manifest.changes import all_kinds
from skillstudio.schema.outcome import Escape, UndecidedVerdict

MANY = 25


def hard(letter: str) -> Interface:
    """Inputs, and an output, with patterns that take thousands of steps to be told apart."""
    inputs = tuple(
        Input(f"i{n}", {"type": "string", "pattern": f"^(a|b)*{letter}(a|b){{5}}x{{{n}}}$"}, True)
        for n in range(1, MANY + 1)
    )
    outputs = (Output(f"**{letter}**a**?a*?b"),)
    return Interface("hard", declared=True, operations=(Operation("", "", inputs, outputs),))


def found() -> tuple[Change, ...]:
    schemas._ask_cached.cache_clear()
    return compare(hard("a"), hard("b"), all_kinds())


def decided(changes: tuple[Change, ...]) -> list[str]:
    return sorted(change.pointer for change in changes if change.witness is not None)


def test_within_the_bound_all_is_decided() -> None:
    assert len(decided(found())) == MANY + 1


def test_what_is_left_when_the_work_is_spent_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    real = schemas.include

    def counting(*args: object, **keywords: object) -> object:
        nonlocal asked
        asked += 1
        return real(*args, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(schemas, "include", counting)
    monkeypatch.setattr(schemas, "MOST_STEPS", 20_000)
    changes = found()
    # Each change is still told, and those that no work was left for are for a person to review.
    assert len([each for each in changes if "/inputs/" in each.pointer]) == MANY
    assert 0 < len(decided(changes)) < MANY
    assert 0 < asked < MANY
    assert any(BUDGET_REASON in change.message for change in changes)
    for change in (each for each in changes if "/inputs/" in each.pointer):
        levels = (change.level, change.review, change.undecided_keyword)
        assert levels in (
            ("major", False, ""),
            ("minor", True, "pattern"),
            ("minor", True, "schema"),
        )


def test_what_is_remembered_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "MOST_STEPS", 20_000)
    first = found()
    assert compare(hard("a"), hard("b"), all_kinds()) == first
    monkeypatch.undo()
    compare(hard("a"), hard("b"), all_kinds())
    monkeypatch.setattr(schemas, "MOST_STEPS", 20_000)
    assert compare(hard("a"), hard("b"), all_kinds()) == first


@pytest.mark.slow
@given(ANY_PAIRS)
def test_what_one_way_rejects_the_other_way_accepts(pair: tuple[Any, Any]) -> None:
    """Except for properties that one side describes: only what the new side rejects is asked."""
    old, new = pair
    there, back = (
        [each for each in schemas.differences(*both, True) if not each.facet.startswith("property")]
        for both in ((old, new), (new, old))
    )
    assert _escapes(each.loss for each in there) == _escapes(each.gain for each in back)
    assert _escapes(each.gain for each in there) == _escapes(each.loss for each in back)


def test_a_property_described_by_one_side_is_judged_by_what_the_new_side_rejects() -> None:
    plain: dict[str, Any] = {"type": "object", "properties": {}}
    described = plain | {"properties": {"a": {"minLength": 1}}}
    (added,) = schemas.differences(plain, described, True)
    assert (added.loss, added.gain) == (Escape({"a": ""}, "/properties/a/minLength"), None)
    (removed,) = schemas.differences(described, plain, True)
    assert (removed.loss, removed.gain) == (None, None)


def _escapes(verdicts: Iterable[schemas.Verdict]) -> bool:
    return any(isinstance(each, Escape) for each in verdicts)


def test_outside_of_a_comparison_nothing_is_counted() -> None:
    assert work_left() is None
    with limit_work():
        work = work_left()
        assert work is not None
        work.remaining_steps = 0
        assert schemas.verdict({"type": "string"}, {"type": "null"}, False) == UndecidedVerdict(
            "schema", "", BUDGET_REASON
        )
    assert schemas.verdict({"type": "string"}, {"type": "null"}, False) is not None
    assert work_left() is None
