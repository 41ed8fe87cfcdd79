"""Wrapped rows, their cells, and the moves of the cursor through them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Offset

from skillstudio.tui.widgets.editor.rows import (
    RowNavigator,
    TextRows,
    cell_table,
    cell_width,
    character_start,
    column_at,
)
from skillstudio.tui.widgets.editor.text_document import TextDocument, add_pictures

FAMILY = "👨\u200d👩\u200d👧"
CLOUD = "☁\ufe0f"


def rows_of(text: str, width: int, tab_width: int = 4) -> list[str]:
    """The rows of a text as they look, each with its indent."""
    rows = TextRows(TextDocument(text), tab_width)
    rows.wrap(width)
    lines = []
    for y in range(rows.height):
        line, row = rows.row_at(y)
        start, end = rows.span(line, row)
        lines.append(" " * rows.indent(line, row) + rows.document[line][start:end])
    return lines


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 8, ["one two ", "  three"]),
        ("one two three", 7, ["one ", "  two ", "  three"]),
        ("abcdefghijkl", 6, ["abcdef", "  ghij", "  kl"]),
        ("  - item of a list", 12, ["  - item of ", "    a list"]),
        ("10. an ordered one", 15, ["10. an ordered ", "    one"]),
        ("      - deep list item", 13, ["      - deep ", "    list item"]),
        ("# a comment here", 12, ["# a comment ", "  here"]),
        ("a: b\r\nlonger: value\rx", 10, ["a: b", "longer: ", "  value", "x"]),
        ("日本語の文章です。", 10, ["日本語の文", "  章です。"]),
        ("日本語の文。章です", 10, ["日本語の", "  文。章で", "  す"]),
        ("日本「語の」文章", 6, ["日本", "  「語", "  の」", "  文章"]),
        ("key: 日本語の文章", 10, ["key: 日本", "  語の文章"]),
        ("a\tb\tc", 8, ["a\tb\t", "  c"]),
        (f"ab{FAMILY}{FAMILY}", 5, [f"ab{FAMILY}", f" {FAMILY}"]),
        (f"abcde{CLOUD}", 6, ["abcde", f"  {CLOUD}"]),
        ("e\u0301" * 8, 6, ["e\u0301" * 6, "  " + "e\u0301" * 2]),
        ("日", 1, ["日"]),
    ],
)
def test_the_rows_of_a_text(text: str, width: int, rows: list[str]) -> None:
    assert rows_of(text, width) == rows


def test_no_width_and_a_huge_line_are_not_wrapped() -> None:
    assert rows_of("a b " * 10, 0) == ["a b " * 10]
    long = "a b " * 4001
    rows = TextRows(TextDocument(f"{long}\nshort and wrapped"), 4)
    rows.wrap(10)
    assert [len(rows.rows_of(line)) for line in range(2)] == [1, 2]
    assert rows.longest == len(long)


@pytest.mark.parametrize(
    ("line", "table"),
    [
        ("ab", [0, 1, 2]),
        ("a\tb", [0, 1, 4, 5]),
        ("日\t", [0, 2, 4]),
        ("e\u0301x", [0, 0, 1, 2]),
        (f"{FAMILY}x", [0, 0, 0, 0, 0, 2, 3]),
        (f"{CLOUD}x", [0, 0, 2, 3]),
    ],
)
def test_the_cells_of_a_line(line: str, table: list[int]) -> None:
    assert list(cell_table(line, 4)) == table


def test_messages_have_rows_below_the_text_of_their_line() -> None:
    needed = {0: 2, 2: 1}
    document = TextDocument("one\ntwo three\nlast")
    rows = TextRows(document, 4, lambda line: needed.get(line, 0))
    rows.wrap(7)
    assert [rows.row_at(y) for y in range(rows.height)] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip
    assert rows.row_at(99) == (2, 1)
    assert rows.offset_to_location(rows.location_to_offset((0, 2)) + Offset(0, 1)) == (0, 2)
    needed[0] = 0
    document.splice(0, 0, "x")
    rows.wrap_range((0, 0), (0, 0), (0, 0))
    assert rows.extra_rows(0) == 2, "the rows stay while somebody types"
    assert rows.settle()
    assert not rows.settle()
    assert rows.extra_rows(0) == 0
    assert rows.height == 5


def test_moves_pass_over_the_rows_of_messages() -> None:
    document = TextDocument("one\ntwo\nlast")
    rows = TextRows(document, 4, lambda _: 1)
    rows.wrap(20)
    navigator = RowNavigator(rows)
    navigator.last_x_offset = 2
    assert navigator.get_location_below((0, 2)) == (1, 2)
    assert navigator.get_location_above((1, 2)) == (0, 2)
    assert navigator.get_location_above((0, 2)) == (0, 0)
    assert navigator.get_location_below((2, 2)) == (2, 4)


def test_a_move_passes_a_whole_character() -> None:
    document = TextDocument(f"a{FAMILY}b")
    navigator = RowNavigator(TextRows(document, 4))
    assert navigator.get_location_right((0, 1)) == (0, 6)
    assert navigator.get_location_left((0, 6)) == (0, 1)


PIECES = st.sampled_from(
    [*"ab -.:", "  - ", "\t", "日", "、", "「", "e\u0301", FAMILY, CLOUD, "\u200d", "\ufe0f",
     "\u0301", "👍", "é", "\x1b", "\u202e", "한"]
)  # fmt: skip
LINES = st.lists(PIECES, max_size=40).map("".join)
TEXTS = st.lists(LINES, min_size=1, max_size=4).map("\n".join)
WIDTHS = st.integers(8, 30)


@given(LINES, st.integers(1, 8))
def test_a_line_has_the_cells_that_are_painted(line: str, tab_width: int) -> None:
    line = add_pictures(line)
    table = cell_table(line, tab_width)
    assert len(table) == len(line) + 1
    assert list(table) == sorted(table)
    assert cell_width(line, tab_width) == table[-1]
    if "\t" not in line:
        assert table[-1] == cell_len(line)
    for cell in range(table[-1]):
        column = column_at(table, cell)
        assert table[column] <= cell
        assert column == character_start(table, column)


@given(TEXTS, WIDTHS)
def test_rows_cover_a_text_once_and_fit(text: str, width: int) -> None:
    rows = TextRows(TextDocument(text), 4)
    rows.wrap(width)
    covered = ""
    for y in range(rows.height):
        line, row = rows.row_at(y)
        start, end = rows.span(line, row)
        table = rows.table(line)
        assert y in rows.rows_of(line)
        assert table[end] - table[start] + rows.indent(line, row) <= width
        assert character_start(table, start) == start
        covered += rows.document[line][start:end]
        if row == len(rows.get_offsets(line)):
            assert rows.last_cells(line) == table[end] - table[start] + rows.indent(line, row)
            covered += "\n"
    assert covered == "\n".join(rows.document.lines) + "\n"


@given(TEXTS, WIDTHS)
def test_each_place_leads_back_to_its_character(text: str, width: int) -> None:
    rows = TextRows(TextDocument(text), 4, lambda line: line % 2)
    rows.wrap(width)
    for line, text_of_line in enumerate(rows.document.lines):
        for column in range(len(text_of_line) + 1):
            start = character_start(rows.table(line), column)
            place = rows.location_to_offset((line, column))
            back = rows.offset_to_location(place)
            assert rows.location_to_offset(back) == place
            if rows.table(line)[start] > 0 and column < len(text_of_line):
                assert back == (line, start)


@given(TEXTS, WIDTHS, st.data())
def test_up_takes_back_what_down_did(text: str, width: int, data: st.DataObject) -> None:
    rows = TextRows(TextDocument(text), 4, lambda line: line % 2)
    rows.wrap(width)
    navigator = RowNavigator(rows)
    line = data.draw(st.integers(0, rows.document.line_count - 1))
    start = location = (line, 0)
    navigator.last_x_offset = 0
    steps = 0
    while True:
        below = navigator.get_location_below(location)
        y = rows.location_to_offset(below).y
        if y <= rows.location_to_offset(location).y:
            break
        location, steps = below, steps + 1
    for _ in range(steps):
        location = navigator.get_location_above(location)
    assert location == start


@given(TEXTS, WIDTHS, st.integers(0, 60), st.integers(0, 60), LINES | st.just("x\ny\n"))
def test_an_edit_wraps_as_the_whole_text(
    text: str, width: int, one: int, other: int, new: str
) -> None:
    document = TextDocument(text)
    rows = TextRows(document, 4)
    rows.wrap(width)
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    change = document.splice(start, end, new)
    rows.wrap_range((change.top, 0), (change.old, 0), (change.new, 0))
    fresh = TextRows(document, 4)
    fresh.wrap(width)
    assert rows.height == fresh.height
    for line in range(document.line_count):
        assert rows.get_offsets(line) == fresh.get_offsets(line)
        assert list(rows.table(line)) == list(fresh.table(line))
        assert rows.rows_of(line) == fresh.rows_of(line)
