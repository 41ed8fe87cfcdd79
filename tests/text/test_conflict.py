"""What git leaves in a file that two sides changed."""

from __future__ import annotations

import pytest

from skillstudio.text.conflict import begins_in_conflict, conflicts, first_mark, without_marks

BOTH = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"
THREE = "<<<<<<< HEAD\r\na\r\n||||||| base\r\nc\r\n=======\r\nb\r\n>>>>>>> topic\r\n"


@pytest.mark.parametrize(
    ("text", "first", "begins", "found"),
    [
        ("", None, None, []),
        ("a\n", None, None, []),
        (BOTH, 0, 0, [(0, 38)]),
        (THREE, 0, 0, [(0, 59)]),
        ("x\n" + BOTH, 2, None, [(2, 40)]),
        ("\n \n" + BOTH, 3, 3, [(3, 41)]),
        ("\ufeff" + BOTH, 16, 1, []),
        (BOTH + BOTH, 0, 0, [(0, 38), (39, 77)]),
        ("=======\nb\n>>>>>>> x\n", 0, 0, []),
        ("Title\n=======\n", 6, None, []),
        (">>>>>>> x\n", 0, 0, []),
        ("<<<<<<< x\na\n>>>>>>> x\n", 0, 0, []),
        ("<<<<<<<\n=======\n>>>>>>>", 0, 0, [(0, 23)]),
        ("<<<<<<<< x\n", None, None, []),
        (" <<<<<<< x\n", None, 1, []),
        ("<<<<<<<x\n", None, None, []),
    ],
)
def test_marks_are_found(
    text: str, first: int | None, begins: int | None, found: list[tuple[int, int]]
) -> None:
    assert first_mark(text) == first
    assert begins_in_conflict(text) == begins
    assert conflicts(text) == found


@pytest.mark.parametrize("text", ["a\n", BOTH, THREE, f"x\n{BOTH}y"])
def test_without_its_marks_a_text_keeps_every_offset(text: str) -> None:
    plain = without_marks(text)
    assert len(plain) == len(text)
    assert first_mark(plain) is None
    assert [line for line in plain.split() if line] == [
        word for word in ("x", "a", "c", "b", "y") if word in text.replace("base", "").split()
    ]
