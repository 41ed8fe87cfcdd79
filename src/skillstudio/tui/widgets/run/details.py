"""The plan, the result and the output of a run, to be read and scrolled."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.widgets import Log

from skillstudio.present.lines import Part
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.line_styles import lines_content

MOST = 5_000
"""The most lines that are kept to scroll back to."""


class StyledDetails(Details):
    """Lines about a run, wrapped to the width."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Part] | None = None

    def show_lines(self, lines: list[Part]) -> None:
        """Show other lines; equal lines keep the scroll position."""
        if lines != self._lines:
            self._lines = lines
            self.show(lines_content(lines, self._room))

    def on_resize(self) -> None:
        if self._lines is not None:
            self.show(lines_content(self._lines, self._room))

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - 1


class PlanDetails(StyledDetails):
    """What would be started."""

    HELP = """The plan: what is in the way, what would be started with which values, where, what it
may write, and the isolation level with its known gaps here and why no higher one is taken.
Nothing is started for it. A run works on copies of the files on disk. f5 or r runs it, i goes to
the inputs, o chooses another operation, u another isolation level, f a sample; t shows the
last result."""


class ResultDetails(StyledDetails):
    """What a run did."""

    HELP = """What the run did beside what the manifest declares: effects with what showed them, the
promise of standard output, files, limits, and in what it differed from a real run. It says what was
seen, not that all is well. r runs it again with the same inputs, H shows earlier runs, v holds two
against each other, t shows what was printed and the plan."""


class OutputLog(Log):
    """The last lines of both streams, never parsed as markup or terminal control."""

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
        """Where the terminal's cursor is: at the first visible line."""
        return self.content_region.offset
