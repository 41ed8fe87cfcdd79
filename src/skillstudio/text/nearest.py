"""Suggest the known word for a misspelled one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The known word within two edits (letters added, removed, changed, swapped), or None.

    If there are several, the nearest, then the first by name. A word of fewer than four letters is
    within one edit, because two edits turn any three letters into any others.
    """
    limit = min(2, max(len(word) // 2, 1))
    best: tuple[int, str] | None = None
    letters = set(word.lower())
    for candidate in candidates:
        # Each letter that only one word has takes an edit.
        if candidate != word and len(letters - set(candidate.lower())) <= limit:
            distance = edit_distance(word.lower(), candidate.lower(), limit)
            if distance <= limit and (best is None or (distance, candidate) < best):
                best = (distance, candidate)
    return best[1] if best else None


def did_you_mean(word: str, candidates: Iterable[str], otherwise: str = "", quote: str = "") -> str:
    """The suggestion of the nearest word at the end of a message, else `otherwise`."""
    near = nearest(word, candidates)
    return f"; did you mean {quote}{near}{quote}?" if near else otherwise


def edit_distance(word: str, other: str, most: int = 1 << 30, swaps: bool = True) -> int:
    """The number of letters added, removed or changed between two words; `most` + 1 if larger.

    With `swaps`, two swapped neighbors count as one change.
    """
    if abs(len(word) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(word, 1):
        before, above, row = row, before, [i]
        for j, right in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if swaps and i > 1 and j > 1 and left == other[j - 2] and word[i - 2] == right:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
