"""Split a text into words and compute edit distances."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache

MOST = 2_000  # Words of a text that are used.
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def words_of(text: str) -> list[str]:
    """The lower-case words in order, consisting of letters and digits."""
    return [found.group().casefold() for found, _ in zip(_WORD.finditer(text), range(MOST))]  # noqa: B905


def telling(words: Iterable[str]) -> list[str]:
    """The words without stop words, with plurals as singulars."""
    return [_singular(each) for each in words if each not in _none()]


def levenshtein(one: str, other: str, most: int) -> int:
    """The edit distance between two words (a swap counts 2); `most` + 1 if larger."""
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
