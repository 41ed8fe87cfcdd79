"""The text that the mouse selects in lines."""

from __future__ import annotations

import pytest
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection

from skillstudio.tui.widgets.selecting import selected_text

LINES = ("one  ", "two", "three")


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        (Selection(Offset(1, 0), Offset(3, 0)), "ne"),
        (Selection(Offset(1, 0), Offset(2, 1)), "ne\ntw"),
        (Selection(Offset(2, 1), None), "o\nthree"),
        (Selection(None, Offset(1, 1)), "one\nt"),
        (SELECT_ALL, "one\ntwo\nthree"),
        (Selection(Offset(0, 2), Offset(9, 9)), "three"),
        (Selection(Offset(0, 5), Offset(1, 7)), None),
    ],
)
def test_a_selection_has_the_text_of_its_lines(selection: Selection, text: str | None) -> None:
    assert (selected_text(selection, LINES.__getitem__, len(LINES)) or (None,))[0] == text


def test_only_selected_lines_are_read() -> None:
    read: list[int] = []

    def line(index: int) -> str:
        read.append(index)
        return str(index)

    selected_text(Selection(Offset(0, 5), Offset(1, 6)), line, 1_000_000)
    assert read == [5, 6]
