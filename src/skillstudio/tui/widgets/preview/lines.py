"""The lines of one file, painted as they come into sight, however many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content, Span
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from skillstudio.preview.spans import Line, plain
from skillstudio.preview.view import FileView
from skillstudio.tui.widgets.preview.painting import cells_of, in_sight, places_of

AHEAD = 200
"""Lines beyond those in sight that are read."""
STRIDE = 10_000
"""The same on the way to a line far below."""
PAUSE = 0.001
"""Seconds between two pieces."""
_FOUND = "$text on $warning 40%"
_FOUND_HERE = "bold reverse"


class ViewLines(ScrollView, can_focus=True):
    """A view of a file. Only the lines in sight are asked for; the end is looked for by and by."""

    HELP = """what is selected in the table: v changes from its preview to what differs from
the real file, to the raw text and to its bytes. Arrows, h j k l, g G and page keys move; ^f looks
for a text and n goes to the next place; m shows it in $PAGER, z in $EDITOR; tab goes to the
table."""
    DEFAULT_CSS = """
    ViewLines {
        height: 1fr;
        min-height: 3;
        min-width: 12;
        border-left: blank;
        scrollbar-size: 1 1;
        scrollbar-gutter: stable;
    }
    ViewLines:focus { background: $surface; border-left: outer $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("h", "scroll_left", "Left", show=False),
        Binding("l", "scroll_right", "Right", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
    ]

    @dataclass
    class EndReached(Message):
        """The last line of a view that may have more came into sight."""

        view: FileView

    class Grown(Message):
        """More of the file is known."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, ViewLines.Grown)

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: FileView | None = None
        self._instead = ""
        self._wanted = ""
        """The text that is looked for, in small letters."""
        self.found = -1
        """The line that a search stands at; -1 for none."""
        self._goal = -1
        """A line that is to be in sight once it is read; -1 for none."""
        self._to_end = False
        self._due = False
        self._widest = 0
        self._known: dict[int, tuple[Line, int]] = {}
        """Lines that were read and how many cells they have, by their number."""

    @property
    def room(self) -> int:
        """The columns that a line has, those of the bar beside it left out."""
        return self.scrollable_content_region.width

    # What is shown.

    def show(self, view: FileView | None, instead: str = "") -> None:
        """Show a view from its beginning; without one, a sentence."""
        self.view, self._instead = view, instead
        self.found, self._goal, self._to_end, self._widest = -1, -1, False, 0
        self._forget()
        self.scroll_to(0, 0, animate=False, force=True)
        if view is not None and self.size:
            # How wide it is, so that the bar below it is there with the first lines.
            self._read(view, 0, 0)
            self._measure()

    def grow(self, view: FileView) -> None:
        """Show a view that has more of the same file, at the same place."""
        self.view = view
        self._forget()
        if self._goal >= 0:
            self._go_on()

    def mark(self, text: str, found: int) -> None:
        """Mark a text wherever it stands, and go to a line that has it; -1 for none."""
        self._wanted, self.found = text.casefold(), found
        self._known.clear()
        if found >= 0:
            self._goal = found
            self._go_on()
        self.refresh()

    def _forget(self) -> None:
        self._known.clear()
        self._measure()
        self.refresh()

    def _measure(self) -> None:
        view = self.view
        rows = view.count + (not view.complete) if view is not None else 1
        self.virtual_size = Size(self._widest, max(rows, 1))

    # Reading on.

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        view = self.view
        if view is None:
            return
        if new < old:
            self._to_end = False
        if round(new) + self.size.height + AHEAD > view.count:
            self._go_on()

    def action_scroll_end(self) -> None:
        """Go to the end: what lies between is read by and by, and any key upwards stops that."""
        self._to_end = True
        self._go_on()

    def _go_on(self) -> None:
        if not self._due:
            self._due = True
            # By a timer: messages to oneself would leave no room for keys and the screen.
            self.set_timer(PAUSE, self._extend)

    def _extend(self) -> None:
        """Read a piece further, between two keys."""
        self._due = False
        view = self.view
        if view is None:
            return
        if not view.complete:
            far = self._to_end or self._goal >= 0
            view.texts(view.count + (STRIDE if far else AHEAD), 1)
            self._measure()
            self.post_message(self.Grown())
        if 0 <= self._goal < view.count:
            self._show_line(self._goal)
            self._goal = -1
        if self._to_end:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
            self._to_end = not view.complete
        is_at_end = round(self.scroll_y) + self.size.height >= view.count
        if not view.complete and (self._to_end or self._goal >= 0):
            self._go_on()
        elif view.complete and (self._goal >= 0 or is_at_end):
            self.post_message(self.EndReached(view))
        self.refresh()

    def _show_line(self, number: int) -> None:
        top, height = round(self.scroll_y), max(self.size.height, 1)
        if not top <= number < top + height:
            self.scroll_to(y=max(number - height // 3, 0), animate=False, force=True)

    # Painting.

    def render_line(self, y: int) -> Strip:
        width = self.room
        number = y + round(self.scroll_y)
        content = self._content(number, round(self.scroll_x), width)
        if content is None:
            return Strip.blank(width, self.rich_style)
        strip = Strip(list(content.render_segments(self.visual_style)))
        return strip.extend_cell_length(width, self.visual_style.rich_style)

    def _content(self, number: int, left: int, width: int) -> Content | None:
        """What is in sight of a line."""
        view = self.view
        if view is None:
            return Content.styled(self._instead, "dim") if not number else None
        if number not in self._known:
            self._read(view, number, round(self.scroll_y))
        if number not in self._known:
            return None
        line, cells = self._known[number]
        marks = self._marks(number, line)
        if cells <= left + width:
            return in_sight(line, left, width, marks)
        shown = in_sight(line, left, width - 1, marks)
        room = " " * (width - 1 - shown.cell_length)
        return Content("").join([shown, Content(room), Content.styled("…", "dim")])

    def _read(self, view: FileView, number: int, top: int) -> None:
        """Read the lines in sight, the one of this number with them."""
        top = min(number, top)
        height = max(self.size.height, number + 1 - top)
        before = view.count, view.complete
        lines = view.lines(top, height)
        if len(self._known) > 4 * AHEAD:
            self._known.clear()
        for at, each in enumerate(lines, top):
            self._known[at] = each, cells_of(plain(each))
        widest = max((self._known[at][1] for at in range(top, top + len(lines))), default=0)
        if widest > self._widest or before != (view.count, view.complete):
            self._widest = max(self._widest, widest)
            self.call_later(self._measure)

    def _marks(self, number: int, line: Line) -> list[Span]:
        """The places of what is looked for."""
        style = _FOUND_HERE if number == self.found else _FOUND
        return [Span(start, end, style) for start, end in places_of(self._wanted, plain(line))]

    @property
    def cursor_screen_offset(self) -> Offset:
        """Where the terminal's cursor stands: at the line that was found, or the first in sight."""
        row = self.found - round(self.scroll_y)
        top = self.content_region.offset
        return Offset(top.x, top.y + (row if 0 <= row < self.size.height else 0))
