"""The words of a text, and how far one is from another."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache

MOST = 2_000
"""Words of a text that are looked at."""
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def words_of(text: str) -> list[str]:
    """The words in lower case, in order: letters and digits, parted by all else."""
    return [found.group().casefold() for found, _ in zip(_WORD.finditer(text), range(MOST))]  # noqa: B905


def telling(words: Iterable[str]) -> list[str]:
    """The words that say what a text is about, plurals as singulars."""
    return [_singular(each) for each in words if each not in _none()]


def levenshtein(one: str, other: str, most: int) -> int:
    """How many letters are added, left out or changed between two words; `most` + 1 for more.

    Letters that are swapped are two changes.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        above, row = row, [i]
        for j, right in enumerate(other, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def _none() -> frozenset[str]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "words.toml"), "rb") as file:
        return frozenset(tomllib.load(file)["none"])
