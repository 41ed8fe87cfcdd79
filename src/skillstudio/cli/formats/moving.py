"""The report of migrate, convert and export for people: what is gone and new comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.scaffold.moving.ledger import Changed, Report
from skillstudio.text.safe import safe_text

_NOW = "now "
_MOST = 6
"""So many pointers with one reason are named on one line."""


def report_lines(report: Report) -> Iterator[str]:
    """The lists, each under its heading; pointers that share a reason stand together."""
    if report.lost:
        yield f"lost: {len(report.lost)}"
        yield from _by_reason((each.pointer, each.why) for each in report.lost)
    if report.invented:
        yield f"invented: {len(report.invented)}"
        for new in report.invented:
            yield safe_text(f"  {new.pointer} = {new.what}: {new.why}")
    if report.changed:
        yield f"changed: {len(report.changed)}"
        yield from _changes(report.changed)
    yield f"carried over as they are: {len(report.carried)}"


def _by_reason(told: Iterable[tuple[str, str]]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for pointer, why in told:
        groups.setdefault(why, []).append(pointer)
    for why, pointers in groups.items():
        named = ", ".join(pointers[:_MOST])
        more = f" and {len(pointers) - _MOST} more" if len(pointers) > _MOST else ""
        yield safe_text(f"  {why}: {named}{more}")


def _changes(changed: tuple[Changed, ...]) -> Iterator[str]:
    """Each change told from its source's side; values that moved together as one."""
    told = {there for each in changed for there in _targets(each)}
    moves: dict[tuple[str, str], list[tuple[str, str]]] = {}
    others: list[tuple[str, str]] = []
    for each in changed:
        if each.pointer in told and each.how.startswith("from "):
            continue
        there = each.how.removeprefix(_NOW)
        if there == each.how or ": " in there or ";" in there:
            others.append((each.pointer, each.how))
            continue
        above, _, last = each.pointer.rpartition("/")
        over, _, final = there.rpartition("/")
        key = (above, over) if last == final else (each.pointer, there)
        moves.setdefault(key, []).append((each.pointer, there))
    for (one, other), pairs in moves.items():
        if len(pairs) == 1:
            yield safe_text(f"  {pairs[0][0]} → {pairs[0][1]}")
        else:
            yield safe_text(f"  {one}/* → {other}/* ({len(pairs)})")
    yield from _by_reason(others)


def _targets(each: Changed) -> Iterator[str]:
    """The pointers of the result that a change of a source's leaf names."""
    for part in each.how.split("; "):
        if part.startswith(_NOW):
            yield part.removeprefix(_NOW).split(": ")[0]
