"""Find renames: equal elements removed under one name and added under another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from skillstudio.text.nearest import edit_distance

MOST = 24  # Maximum number of equal elements that are matched by name.
MOST_LETTERS = 1_000_000  # Maximum number of characters compared in all, which takes half a second.
_LONGEST = 64  # Longer names are not compared.


def renamed(gone: Mapping[str, Hashable], come: Mapping[str, Hashable]) -> dict[str, str]:
    """Match removed with added names of equal elements: single ones, else those closest."""
    olds, news = _by_kind(gone), _by_kind(come)
    found: dict[str, str] = {}
    left = MOST_LETTERS
    for kind, names in olds.items():
        others = news.get(kind, [])
        if len(names) == 1 and len(others) == 1:
            found[names[0]] = others[0]
        elif others and max(len(names), len(others)) <= MOST:
            names = [name for name in names if len(name) <= _LONGEST]
            others = [name for name in others if len(name) <= _LONGEST]
            letters = sum(map(len, names)) * sum(map(len, others))
            if letters <= left:
                left -= letters
                found.update(_nearest(names, others))
    return found


def _by_kind(things: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = {}
    for name, kind in things.items():
        found.setdefault(kind, []).append(name)
    return found


def _nearest(olds: list[str], news: list[str]) -> dict[str, str]:
    """The pairs of names that are each other's only nearest and at least half alike."""
    table = {(old, new): edit_distance(old.lower(), new.lower()) for old in olds for new in news}
    rows: dict[str, list[int]] = {}
    columns: dict[str, list[int]] = {}
    for (old, new), distance in table.items():
        rows.setdefault(old, []).append(distance)
        columns.setdefault(new, []).append(distance)
    return {
        old: new
        for (old, new), distance in table.items()
        if distance * 2 <= max(len(old), len(new))
        and _is_alone(distance, rows[old])
        and _is_alone(distance, columns[new])
    }


def _is_alone(distance: int, among: list[int]) -> bool:
    """Whether one distance is less than all others."""
    return distance == min(among) and among.count(distance) == 1
