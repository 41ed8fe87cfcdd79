"""Differences by lines: what is said, and that it leads from the one text to the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.hunks import Hunk, hunks, split_lines, unified

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
    assert unified(old, new, "a/x", "b/x") == (
        "--- a/x\n+++ b/x\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n+9\n"
        "\\ No newline at end of file\n"
    )
    assert unified(old, old, "a", "b") == ""


def test_changes_far_apart_stand_in_parts_of_their_own() -> None:
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("2\n", "two\n", 1).replace("27\n", "many\n")
    shown = unified(old, new, "a", "b")
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
