"""The changes between two versions as rows, grouped by level; waived changes are separate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from skillstudio.interface.change import CHANGE_GROUPS, Change
from skillstudio.session.comparing.comparing import ComparisonResult, SideFailure

Group = Literal["failed", "major", "undecided", "minor", "patch", "none", "waived", "notes"]
GROUPS: tuple[Group, ...] = ("failed", *CHANGE_GROUPS, "notes")


class CompareRow(NamedTuple):
    """The heading of a group, a change, an unreadable side, or a note."""

    group: Group
    change: Change | None = None
    failure: SideFailure | None = None
    note: str = ""
    size: int = 0  # The number of rows of the group, for a heading.

    @property
    def heading(self) -> bool:
        return self.change is None and self.failure is None and not self.note


def rows_of(outcome: ComparisonResult, closed: Collection[Group] = ()) -> list[CompareRow]:
    """The rows of a comparison; closed groups have only a heading."""
    found: dict[Group, list[CompareRow]] = {group: [] for group in GROUPS}
    found["failed"] = [CompareRow("failed", failure=failure) for failure in outcome.failures]
    for change in outcome.changes:
        found[change.group].append(CompareRow(change.group, change))
    found["notes"] = [CompareRow("notes", note=note) for note in outcome.notes if note]
    rows: list[CompareRow] = []
    for group, inside in found.items():
        if inside:
            rows.append(CompareRow(group, size=len(inside)))
            rows += [] if group in closed else inside
    return rows


def same_row(rows: Sequence[CompareRow], before: CompareRow | None, cursor: int) -> int:
    """The index of the previously selected row in new rows, else of a similar one or a change."""
    if before is None:
        return next((index for index, row in enumerate(rows) if not row.heading), 0)
    wanted = _identity(before)
    same = [index for index, row in enumerate(rows) if _identity(row) == wanted]
    if not same and before.change is not None:
        place = (before.change.operation, before.change.pointer)
        changes = ((index, row.change) for index, row in enumerate(rows))
        same = [i for i, each in changes if each and (each.operation, each.pointer) == place]
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
