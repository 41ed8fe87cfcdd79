"""Two texts of one file joined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.edit import apply
from skillstudio.text.merging import merge, parts, splices_between

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d\r"]), max_size=8).map("".join)
TEXT = st.tuples(LINES, st.sampled_from(["", "end"])).map("".join)


@given(TEXT, TEXT)
def test_the_splices_between_two_texts_lead_from_one_to_the_other(old: str, new: str) -> None:
    assert apply(old, splices_between(old, new)) == new


@given(TEXT, TEXT, TEXT)
def test_every_part_taken_from_one_side_gives_that_side(base: str, mine: str, theirs: str) -> None:
    found = parts(base, mine, theirs)
    choices = sum(not part.same for part in found)
    assert merge(found, ["mine"] * choices) == mine
    assert merge(found, ["theirs"] * choices) == theirs
    assert merge(found, ["base"] * choices) == base


@given(TEXT, TEXT)
def test_what_only_one_side_changed_is_suggested_from_it(base: str, new: str) -> None:
    for mine, theirs in ((base, new), (new, base)):
        found = parts(base, mine, theirs)
        assert not any(part.is_conflict for part in found)
        assert merge(found, [part.suggestion for part in found if not part.same]) == new


@given(TEXT, TEXT)
def test_both_sides_alike_is_no_conflict(base: str, new: str) -> None:
    assert not any(part.is_conflict for part in parts(base, new, new))


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "merged", "conflicts"),
    [
        ("1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", "one\n2\nthree\n", 0),
        ("1\n2\n3\n", "1\n2\n3\n4\n", "0\n1\n2\n3\n", "0\n1\n2\n3\n4\n", 0),
        ("1\n2\n3\n", "1\nm\n3\n", "1\nt\n3\n", "1\nm\n3\n", 1),
        ("1\n2\n3\n", "1\n3\n", "1\nt\n3\n", "1\n3\n", 1),
        ("1\r\n2\r\n", "1\r\n2\r\nm\r\n", "t\r\n2\r\n", "t\r\n2\r\nm\r\n", 0),
        ("1", "1\nm", "1\nt", "1\nm", 1),
    ],
    ids=["apart", "both ends", "same line", "deleted and changed", "CRLF", "no final line end"],
)
def test_merging(base: str, mine: str, theirs: str, merged: str, conflicts: int) -> None:
    found = parts(base, mine, theirs)
    assert merge(found, [part.suggestion for part in found if not part.same]) == merged
    assert sum(part.is_conflict for part in found) == conflicts


def test_both_keeps_the_lines_of_each_apart() -> None:
    found = parts("", "mine", "theirs\n")
    assert merge(found, ["both"]) == "mine\ntheirs\n"
