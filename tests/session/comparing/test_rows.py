"""Changes as rows: ordered by level, and found again in the next comparison."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.interface.change import Change, Level
from skillstudio.interface.model import ABSENT
from skillstudio.session.comparing.comparing import ComparedSide, ComparisonResult, SideFailure
from skillstudio.session.comparing.rows import (
    CompareRow,
    rows_of,
    same_row,
    why_not_waived,
)


def change(kind: str, level: Level = "major", pointer: str = "/inputs/a", **more: Any) -> Change:
    given: dict[str, Any] = {
        "operation": "", "review": False, "routing": False, "old": ABSENT, "new": 1,
        "message": f"{kind} here", "source": "a table",
    }  # fmt: skip
    return Change(kind=kind, level=level, pointer=pointer, **{**given, **more})


def outcome(*changes: Change, **more: Any) -> ComparisonResult:
    return ComparisonResult(ComparedSide("v1"), ComparedSide("open"), changes, **more)


def told(rows: list[CompareRow]) -> list[str]:
    lines = []
    for row in rows:
        inside = row.note
        if row.change is not None:
            inside = row.change.kind
        elif row.failure is not None:
            inside = row.failure.message
        lines.append(f"{row.group} {inside}")
    return lines


BREAKS, WIDENS, MENDS = change("gone"), change("wider", "minor"), change("reworded", "patch")
TAKEN = change("taken-on", waived="agreed with everyone")


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (outcome(), []),
        (
            outcome(MENDS, TAKEN, WIDENS, BREAKS),
            ["major gone", "minor wider", "patch reworded", "waived taken-on"],
        ),
        (outcome(notes=("look", "")), ["notes look"]),
        (outcome(failures=(SideFailure("old", "no YAML"),)), ["failed no YAML"]),
    ],
    ids=["nothing", "by level, the waived apart", "notes", "unreadable"],
)
def test_rows(found: ComparisonResult, wanted: list[str]) -> None:
    assert told(rows_of(found)) == wanted


def test_the_cursor_begins_at_the_worst_and_stays_with_its_change() -> None:
    first = rows_of(outcome(BREAKS, WIDENS))
    assert first[same_row(first, None, 0)].change is BREAKS
    more = rows_of(outcome(change("worse", pointer="/env/A"), BREAKS, WIDENS))
    assert more[same_row(more, first[1], 1)].change is WIDENS


def test_the_cursor_stays_at_the_place_where_the_change_there_became_another() -> None:
    before = rows_of(outcome(BREAKS, change("other", pointer="/env/A")))
    after = rows_of(outcome(change("other", pointer="/env/A"), change("narrower")))
    at = same_row(after, before[0], 0)
    assert after[at].change == change("narrower")


def test_the_cursor_stays_near_where_nothing_is_left_of_it() -> None:
    gone = rows_of(outcome(change("gone", pointer="/env/A")))
    assert same_row(rows_of(outcome(WIDENS, MENDS)), gone[0], 1) == 1


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (BREAKS, ""),
        (TAKEN, "already waived"),
        (change("note", "none"), "it requires no bump and no review"),
        (change("grown", "none", review=True), ""),
    ],
    ids=["major", "waived", "none", "none but review"],
)
def test_what_can_be_waived(found: Change, reason: str) -> None:
    assert why_not_waived(found) == reason


def test_ten_thousand_changes_become_rows_in_one_pass() -> None:
    many = [change("gone", pointer=f"/inputs/{number}") for number in range(10_000)]
    rows = rows_of(outcome(*many))
    assert len(rows) == 10_000
    assert rows[same_row(rows, rows[-1], 0)].change is many[-1]
