"""A page of styled lines: its sections stand apart where there is room."""

from __future__ import annotations

from textual.app import ComposeResult

from skillstudio.present.lines import StyledLine
from skillstudio.tui.widgets.details import StyledDetails

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
