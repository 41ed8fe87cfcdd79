"""What is called otherwise now: the same thing gone under one name and come under another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from skillstudio.text.nearest import edit_distance

MOST = 24
"""How many alike that went, or came, are told apart by their names."""
_LONGEST = 64
"""Names longer than this are not measured against each other."""


def renamed(gone: Mapping[str, Hashable], come: Mapping[str, Hashable]) -> dict[str, str]:
    """Old name to new name, for what is alike. Both map a name to what the thing is.

    The only one that went and the only one that came of a kind are the same; of several, those
    whose names are nearest to each other and to no third one.
    """
    olds, news = _by_kind(gone), _by_kind(come)
    found: dict[str, str] = {}
    for kind, names in olds.items():
        others = news.get(kind, [])
        if len(names) == 1 and len(others) == 1:
            found[names[0]] = others[0]
        elif others and max(len(names), len(others)) <= MOST:
            found.update(_nearest(names, others))
    return found


def _by_kind(things: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = {}
    for name, kind in things.items():
        found.setdefault(kind, []).append(name)
    return found


def _nearest(olds: list[str], news: list[str]) -> dict[str, str]:
    """The pairs that are each other's nearest, with nothing as near and half the name alike."""
    table = {
        (old, new): edit_distance(old.lower(), new.lower())
        for old in olds
        for new in news
        if max(len(old), len(new)) <= _LONGEST
    }
    found: dict[str, str] = {}
    for (old, new), distance in table.items():
        rivals = [
            other
            for pair, other in table.items()
            if (pair[0] == old) != (pair[1] == new)  # shares one name, not both
        ]
        if distance * 2 <= max(len(old), len(new)) and all(distance < each for each in rivals):
            found[old] = new
    return found
