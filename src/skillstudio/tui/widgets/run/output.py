"""What the program prints, while it prints it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.widgets import Log

MOST = 5_000
"""Lines that can be scrolled back to."""


class OutputLog(Log):
    """The last lines of both streams. Nothing in them is markup, and nothing steers."""

    HELP = """What the program printed: ! marks lines of standard error. The last lines are here;
all of it, up to a limit, is kept with the run. Arrows and j k g G scroll, t goes to the plan."""
    DEFAULT_CSS = """
    OutputLog { height: 1fr; min-height: 3; background: $background; scrollbar-size-vertical: 1; }
    OutputLog:focus { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(highlight=False, max_lines=MOST, id=id)

    @property
    def cursor_screen_offset(self) -> Offset:
        """Where the terminal's cursor stands: at the first line in sight."""
        return self.content_region.offset
