"""A field: its label, its entry and what is said of it."""

from __future__ import annotations

from textual.app import ComposeResult

from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.fields import Field
from skillstudio.tui.widgets.fields.list import FieldEditor

from .conftest import WidgetApp


class OneField(WidgetApp):
    """A field with a help text that just fills the width without the indent."""

    def compose(self) -> ComposeResult:
        field = Field("name", "name", "line", help="word " * 7 + "last")
        yield FieldEditor(field, MISSING, has_help=True)


async def test_the_indent_of_a_help_text_cuts_none_of_its_lines() -> None:
    async with OneField().run_test(size=(40, 6)) as pilot:
        state = pilot.app.query_one(".state")
        assert state.size.height == 2
        assert state.content_region.x == 3
