"""Suggestions for misspelled words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.nearest import edit_distance, nearest

KNOWN = ("name", "license", "allowed-tools", "metadata", "model", "env")


@pytest.mark.parametrize(
    ("word", "suggested"),
    [
        ("nmae", "name"),
        ("Name", "name"),
        ("licence", "license"),
        ("alowed-tools", "allowed-tools"),
        ("allowed-tols-", "allowed-tools"),
        ("modle", "model"),
        ("evn", "env"),
        ("vnx", None),
        ("name", None),
        ("description", None),
        ("xyzzy", None),
    ],
)
def test_the_suggestion(word: str, suggested: str | None) -> None:
    assert nearest(word, KNOWN) == suggested


@given(st.text("abcA", max_size=6), st.lists(st.text("abcA", max_size=6), max_size=5))
def test_it_is_the_nearest_of_all(word: str, known: list[str]) -> None:
    limit = min(2, max(len(word) // 2, 1))
    near = [(edit_distance(word.lower(), each.lower()), each) for each in known if each != word]
    expected = min((each for each in near if each[0] <= limit), default=(0, None))
    assert nearest(word, known) == expected[1]


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 8), st.booleans())
def test_a_maximum_only_cuts_the_distance(one: str, other: str, most: int, swaps: bool) -> None:
    distance = edit_distance(one, other, swaps=swaps)
    assert edit_distance(one, other, most, swaps) == min(distance, most + 1)
    assert edit_distance(other, one, swaps=swaps) == distance
