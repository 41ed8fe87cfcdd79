"""Tabs that fit into a width."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult
from textual.content import Content

from skillstudio.tui.widgets.pane import Tab, TabBar

from .conftest import WidgetApp

TABS = [
    Tab("view.run", "3", "Run", Content("✓ 0.4 s")),
    Tab("view.compare", "5", "Compare", Content("▲ major")),
]


class Bar(WidgetApp):
    def compose(self) -> ComposeResult:
        yield TabBar(lambda id_: None)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (38, "3 Run ✓ 0.4 s    5 Compare ▲ major"),
        (33, "3 Run ✓ 0.4 s   5 Compare ▲ major"),
        (32, "3 Run ✓ 0.4 s  5 Compare ▲ major"),
        (31, "3 Run ✓  5 Compare ▲"),
        (19, "3 Run ✓ 5 Compare ▲"),
        (18, "3 Run ✓ 5 Comp ▲"),
        (15, "3 Run 5 Comp"),
    ],
)
async def test_tabs_lose_words_of_states_first_and_names_next(width: int, shown: str) -> None:
    app = Bar()
    async with app.run_test(size=(width, 3)):
        bar = app.query_one(TabBar)
        bar.show_tabs(TABS, "view.run")
        assert bar.content.plain.rstrip() == shown


async def test_the_way_to_the_tabs_is_shown_while_their_keys_are_typed() -> None:
    app = Bar()
    async with app.run_test(size=(44, 3)):
        bar = app.query_one(TabBar)
        bar.show_tabs(TABS, "view.run", is_typing=True, way="esc 1…6")
        assert bar.content.plain == "  Run ✓ 0.4 s      Compare ▲ major   esc 1…6"
        bar.show_tabs(TABS, "view.run", is_typing=True)
        assert bar.content.plain == "  Run ✓ 0.4 s      Compare ▲ major"
