"""A page of styled lines: its sections stand apart where there is room."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult

from skillstudio.present.lines import StyledLine
from skillstudio.tui.widgets.details import StyledDetails
from skillstudio.tui.widgets.lines import lines_content

from .conftest import WidgetApp

LINES = [
    StyledLine("✓ as declared", "good"),
    StyledLine("What it did", "heading"),
    StyledLine("wrote a file", "", 1),
    StyledLine("stdout", "heading"),
    StyledLine("done", "", 1),
]


class Page(WidgetApp):
    """A page of a report."""

    def compose(self) -> ComposeResult:
        yield StyledDetails()


async def test_sections_stand_apart_where_all_lines_fit() -> None:
    async with Page().run_test(size=(40, 7)) as pilot:
        page = pilot.app.query_one(StyledDetails)
        page.show_lines(list(LINES))
        await pilot.pause()
        assert page.virtual_size.height == 7
        assert page.line_at(2) == LINES[1]
        assert page.line_at(5) == LINES[3]


async def test_sections_stand_close_where_not_all_lines_fit() -> None:
    async with Page().run_test(size=(40, 6)) as pilot:
        page = pilot.app.query_one(StyledDetails)
        page.show_lines(list(LINES))
        await pilot.pause()
        assert page.line_at(1) == LINES[1]
        assert page.line_at(3) == LINES[3]


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        (StyledLine("✓ Started programs: git log"), ["✓ Started", "  programs: git", "  log"]),
        (StyledLine("too old to be used", lead="g:"), ["g: too old to be", "   used"]),
        (StyledLine("jq  ok: /usr/bin/jq"), ["jq  ok:", "    /usr/bin/jq"]),
        (StyledLine("isolated · 4 known gaps", "quiet"), ["isolated · 4", "  known gaps"]),
        (StyledLine("a line of plain prose"), ["a line of plain", "prose"]),
        (StyledLine("a  b that is printed", "code"), ["a  b that is", "printed"]),
    ],
)
def test_the_further_rows_of_a_line_start_below_its_text(line: StyledLine, rows: list[str]) -> None:
    assert lines_content([line], 16).plain.splitlines() == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("four known gaps", ["four known gaps", "i shows all"]),
        ("three known gaps", ["three known gaps", "i shows all"]),
        ("3 gaps", ["3 gaps  i shows all"]),
        ("one", ["one  i shows all"]),
    ],
)
def test_a_key_stays_with_what_it_does(text: str, rows: list[str]) -> None:
    line = StyledLine(text, remark="i shows all")
    lines = lines_content([line], 19, ("i shows all",)).plain.splitlines()
    assert [row.rstrip() for row in lines] == rows
