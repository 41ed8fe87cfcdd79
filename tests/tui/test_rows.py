"""Lists: which lines can be selected, and where letters jump to."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult
from textual.content import Content

from skillstudio.tui.screens.jump import places_in
from skillstudio.tui.widgets.rows import Rows

from .conftest import WidgetApp

LINES = ["Yours", "a", "b", "", "Others", "c", ""]
HEADS = {0, 3, 4, 6}


class ListApp(WidgetApp):
    CSS = "Rows { height: 3; }"

    def compose(self) -> ComposeResult:
        yield Rows()

    def on_mount(self) -> None:
        self.query_one(Rows).show([Content(text) for text in LINES], 1, HEADS)


@pytest.mark.parametrize(
    ("keys", "selected", "top"),
    [
        ((), "a", 0),
        (("down",), "b", 0),
        (("down", "down"), "c", 3),
        (("down", "down", "up", "up"), "a", 0),  # With its heading.
        (("up",), "a", 0),
        (("end",), "c", 3),
        (("end", "down"), "c", 4),  # The lines after the last one come into sight.
        (("G", "g"), "a", 0),
        (("pagedown",), "c", 3),
        (("pagedown", "pagedown"), "c", 3),
        (("G", "pageup"), "b", 2),
    ],
)
async def test_headings_are_passed_over(keys: tuple[str, ...], selected: str, top: int) -> None:
    async with ListApp().run_test(size=(20, 8)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        rows = pilot.app.query_one(Rows)
        assert (LINES[rows.cursor], round(rows.scroll_offset.y)) == (selected, top)


async def test_a_click_on_a_heading_selects_nothing_and_letters_are_at_other_lines() -> None:
    async with ListApp().run_test(size=(20, 8)) as pilot:
        rows = pilot.app.query_one(Rows)
        await pilot.click(Rows, offset=(0, 0))
        assert rows.cursor == 1
        await pilot.click(Rows, offset=(0, 2))
        assert rows.cursor == 2
        assert [(place.y, place.row) for place in places_in(rows)] == [(1, 1), (2, 2)]
        await pilot.press("end")
        await pilot.pause()
        assert [(place.y, place.row) for place in places_in(rows)] == [(2, 5)]
