"""A text about what is selected in a list, to be scrolled."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Static


class Details(VerticalScroll, can_focus=True):
    """One text, however long; who uses it says in HELP what it tells of."""

    DEFAULT_CSS = """
    Details {
        height: 1fr;
        min-height: 3;
        border-left: blank;
        scrollbar-size-vertical: 1;
    }
    Details:focus { background: $surface; border-left: outer $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = Static(markup=False)

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, told: Content) -> None:
        """Tell something else, from its beginning."""
        self._text.update(told)
        self.scroll_home(animate=False)

    @property
    def cursor_screen_offset(self) -> Offset:
        """Where the terminal's cursor stands: at the first line in sight."""
        return self.content_region.offset
