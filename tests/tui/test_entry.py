"""Fields deal with their keys in the order that they come in, however fast."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from skillstudio.tui.widgets.entry import EntryArea, EntryLine

from .conftest import WidgetApp

KEYS = [
    (("a", "b", "backspace", "c"), "ac"),
    (("a", "b", "ctrl+u", "c", "d"), "cd"),
    (("b", "left", "a", "end", "c"), "abc"),
    (("b", "home", "a", "delete", "c"), "ac"),
    (("a", "f9", "b"), "ab"),
]


class Both(WidgetApp):
    """Both kinds of fields, with something around them."""

    def compose(self) -> ComposeResult:
        with Vertical(), Vertical():
            yield EntryLine()
            yield EntryArea()


@pytest.mark.parametrize("kind", [EntryLine, EntryArea])
@pytest.mark.parametrize(("keys", "text"), KEYS)
async def test_keys_that_come_at_once_count_in_their_order(
    kind: type[EntryLine | EntryArea], keys: tuple[str, ...], text: str
) -> None:
    async with Both().run_test() as pilot:
        field = pilot.app.query_one(kind)
        field.focus()
        await pilot.pause()
        for key in keys:
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert (field.value if isinstance(field, EntryLine) else field.text) == text


class Long(WidgetApp):
    """A field with a text that is longer than it is, and one that is not focused."""

    CSS = "EntryLine { width: 20; border: none; padding: 0; }"

    def compose(self) -> ComposeResult:
        for _ in range(2):
            yield EntryLine(f"{'-' * 90}end", select_on_focus=False)


async def test_the_end_of_a_long_text_is_in_sight_where_the_cursor_is() -> None:
    async with Long().run_test() as pilot:
        await pilot.pause()
        focused, other = pilot.app.query(EntryLine)
        assert focused.has_focus
        assert (focused.scroll_offset.x, other.scroll_offset.x) == (len("-" * 90 + "end") - 19, 0)


class Narrow(WidgetApp):
    """A field that is narrower than its placeholder."""

    CSS = "EntryLine { width: 12; border: none; padding: 0; }"

    def compose(self) -> ComposeResult:
        yield EntryLine(placeholder="by the isolation level")


async def test_a_placeholder_that_is_cut_ends_with_a_mark() -> None:
    async with Narrow().run_test() as pilot:
        field = pilot.app.query_one(EntryLine)
        assert field.placeholder == "by the isol…"
        field.styles.width = 30
        await pilot.pause()
        await pilot.pause()
        assert field.placeholder == "by the isolation level"
