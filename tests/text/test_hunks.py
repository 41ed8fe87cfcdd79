"""Differences by lines: what is said, and that it leads from the one text to the other."""

from __future__ import annotations

import difflib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.hunks import (
    MOST_WORK,
    Hunk,
    Stretch,
    find_stretches,
    hunks,
    split_lines,
    unified_diff,
)

HUNKS = [
    ("a\nb\nc\n", "a\nB\nc\n", [Hunk(1, ("b\n",), 1, ("B\n",))]),
    ("a\n", "a\nb\n", [Hunk(1, (), 1, ("b\n",))]),
    ("a\nb\n", "b\n", [Hunk(0, ("a\n",), 0, ())]),
    ("a\r\n", "a\n", [Hunk(0, ("a\r\n",), 0, ("a\n",))]),
    ("a\u2028b\n", "a\u2028c\n", [Hunk(0, ("a\u2028b\n",), 0, ("a\u2028c\n",))]),
    ("same", "same", []),
    ("", "a", [Hunk(0, (), 0, ("a",))]),
]


@pytest.mark.parametrize(("old", "new", "found"), HUNKS)
def test_hunks_keep_the_ends_of_lines(old: str, new: str, found: list[Hunk]) -> None:
    assert hunks(old, new) == found


def test_a_unified_diff_names_both_texts_and_shows_a_missing_line_end() -> None:
    old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    new = "1\n2\n3\n4\nfive\n6\n7\n8\n9"
    assert unified_diff(old, new, "a/x", "b/x") == (
        "--- a/x\n+++ b/x\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n+9\n"
        "\\ No newline at end of file\n"
    )
    assert unified_diff(old, old, "a", "b") == ""


def test_changes_far_apart_stand_in_parts_of_their_own() -> None:
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("2\n", "two\n", 1).replace("27\n", "many\n")
    shown = unified_diff(old, new, "a", "b")
    assert [line for line in shown.splitlines() if line.startswith("@@")] == [
        "@@ -1,6 +1,6 @@",
        "@@ -25,6 +25,6 @@",
    ]


TEXTS = st.text(st.sampled_from("ab\n\r"), max_size=30)


@given(TEXTS, TEXTS)
def test_hunks_lead_from_the_old_text_to_the_new(old: str, new: str) -> None:
    lines = split_lines(old)
    made: list[str] = []
    at = 0
    for hunk in hunks(old, new):
        made += lines[at : hunk.old_start]
        end = hunk.old_start + len(hunk.old_lines)
        assert tuple(lines[hunk.old_start : end]) == hunk.old_lines
        assert len(made) == hunk.new_start
        made += hunk.new_lines
        at = end
    assert "".join([*made, *lines[at:]]) == new


PAIRS = [
    ("abc", "abc", []),
    ("", "", []),
    ("", "ab", [(0, 0, 0, 2)]),
    ("ab", "", [(0, 2, 0, 0)]),
    ("abc", "axc", [(1, 2, 1, 2)]),
    ("abcd", "acd", [(1, 2, 1, 1)]),
    ("acd", "abcd", [(1, 1, 1, 2)]),
    # What stands once holds together what is between, however often that comes.
    ("1xx2xx3", "1x2xxx3", [(2, 3, 2, 2), (4, 4, 3, 4)]),
    # Of two that changed places one is told as moved.
    ("a12b", "a21b", [(1, 2, 1, 1), (3, 3, 2, 3)]),
    # Nothing stands once on both sides.
    ("xyxyx", "yxyxy", [(0, 0, 0, 1), (4, 5, 5, 5)]),
]


@pytest.mark.parametrize(("old", "new", "found"), PAIRS)
def test_what_differs(old: str, new: str, found: list[tuple[int, ...]]) -> None:
    assert list(find_stretches(old, new)) == found


LINES = st.lists(st.sampled_from("abcdefgh"), max_size=40)


def rebuilt(old: list[str], new: list[str], found: list[Stretch]) -> list[str]:
    """The new lines made of the old ones; what is said to be the same is."""
    made: list[str] = []
    at = 0
    for stretch in found:
        # Something the same lies between two stretches, and each says something.
        assert stretch.old_start > at or stretch is found[0]
        assert stretch.old_start < stretch.old_end or stretch.new_start < stretch.new_end
        made += old[at : stretch.old_start]
        assert len(made) == stretch.new_start
        made += new[stretch.new_start : stretch.new_end]
        at = stretch.old_end
    return made + old[at:]


@given(LINES, LINES)
def test_the_stretches_lead_from_the_old_lines_to_the_new(old: list[str], new: list[str]) -> None:
    found = list(find_stretches(old, new))
    assert rebuilt(old, new, found) == new
    assert (found == []) == (old == new)


@given(LINES, LINES)
def test_they_do_where_nothing_may_be_weighed(old: list[str], new: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skillstudio.text.hunks.MOST_WORK", 0)
        assert rebuilt(old, new, list(find_stretches(old, new))) == new


class Counting(difflib.SequenceMatcher[str]):
    """Adds up the lines and the pairs of equal lines that it looks at."""

    weighed = 0

    def find_longest_match(self, alo: Any = 0, ahi: Any = None, *new: Any) -> Any:
        places: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]
        lines = self.a[alo:ahi]  # type: ignore[attr-defined]
        Counting.weighed += len(lines) + sum(len(places.get(line, ())) for line in lines)
        return super().find_longest_match(alo, ahi, *new)


def weighed(monkeypatch: pytest.MonkeyPatch, old: list[str], new: list[str]) -> int:
    monkeypatch.setattr(difflib, "SequenceMatcher", Counting)
    Counting.weighed = 0
    assert rebuilt(old, new, list(find_stretches(old, new))) == new
    return Counting.weighed


def entry(number: int, version: int) -> list[str]:
    """Lines of a manifest, most of which stand in every entry."""
    return [
        f"- name: input_{number}",
        "  schema:",
        "    type: integer",
        "    minimum: 0",
        f"    maximum: {100 - 50 * version * (number % 5 > 0)}",
        "    default: 10",
    ]


def test_a_manifest_changed_throughout_takes_no_more_than_it_has_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = ([line for n in range(2000) for line in entry(n, side)] for side in (0, 1))
    assert weighed(monkeypatch, old, new) < len(old)
    assert len(list(find_stretches(old, new))) == 1600


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a", "b"] * 5000, ["b", "a", "a"] * 4000),
        ([str(n % 100) for n in range(9000)], [str(n * 7 % 100) for n in range(9000)]),
        ([str(n) for n in range(9000)], [str(n) for n in range(9000, 0, -1)]),
        ([str(n % 4500) for n in range(9000)], [str(n * 7 % 4500) for n in range(9000)]),
    ],
    ids=["two lines", "a hundred lines", "turned round", "each twice"],
)
def test_what_would_take_long_is_told_in_larger_pieces(
    monkeypatch: pytest.MonkeyPatch, old: list[str], new: list[str]
) -> None:
    assert weighed(monkeypatch, old, new) <= MOST_WORK
