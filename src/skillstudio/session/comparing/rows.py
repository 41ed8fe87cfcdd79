"""The changes between two versions as rows, the highest level first; waived changes are last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from skillstudio.interface.change import CHANGE_GROUPS, Change
from skillstudio.session.comparing.comparing import ComparisonResult, SideFailure

Group = Literal["failed", "major", "undecided", "minor", "patch", "none", "waived", "notes"]
GROUPS: tuple[Group, ...] = ("failed", *CHANGE_GROUPS, "notes")


class CompareRow(NamedTuple):
    """A change, an unreadable side, or a note."""

    group: Group
    change: Change | None = None
    failure: SideFailure | None = None
    note: str = ""


def rows_of(outcome: ComparisonResult) -> list[CompareRow]:
    """The rows of a comparison."""
    rows: dict[Group, list[CompareRow]] = {group: [] for group in GROUPS}
    rows["failed"] = [CompareRow("failed", failure=failure) for failure in outcome.failures]
    for change in outcome.changes:
        rows[change.group].append(CompareRow(change.group, change))
    rows["notes"] = [CompareRow("notes", note=note) for note in outcome.notes if note]
    return [row for inside in rows.values() for row in inside]


def same_row(rows: Sequence[CompareRow], before: CompareRow | None, cursor: int) -> int:
    """The index of the previously selected row in new rows, else of a similar one."""
    if before is None:
        return 0
    identity = _identity(before)
    same = [index for index, row in enumerate(rows) if _identity(row) == identity]
    if not same and before.change is not None:
        place = (before.change.operation, before.change.pointer)
        changes = ((index, row.change) for index, row in enumerate(rows))
        same = [
            i for i, change in changes if change and (change.operation, change.pointer) == place
        ]
    return min(same, key=lambda index: abs(index - cursor), default=cursor)


def _identity(row: CompareRow) -> tuple[object, ...]:
    change = row.change
    if change is None:
        return row.group, row.note, row.failure and row.failure.side
    return change.kind, change.operation, change.pointer


def why_not_waived(change: Change) -> str:
    """Why a change cannot be waived; empty if it can."""
    if change.waived:
        return "already waived"
    if change.level == "none" and not change.review:
        return "it requires no bump and no review"
    return ""
