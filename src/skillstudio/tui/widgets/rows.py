"""A list of lines with a cursor: the skills, the problems, every choice.

Only the visible lines are rendered, so ten thousand cost as much as thirty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from skillstudio.tui.widgets.selecting import selected_spans, selected_text
from skillstudio.tui.words import COMMAND_META

_WIDEST = 120


class LazyLines(Sequence[Content]):
    """Lines that are made when they are drawn."""

    def __init__(self, count: int, line: Callable[[int], Content]) -> None:
        self._count = count
        self._line = line

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int | slice) -> Any:
        at = range(self._count)[index]
        return self._line(at) if isinstance(at, int) else [self._line(number) for number in at]


class Rows(ScrollView, can_focus=True):
    """Lines to choose from by arrows, hjkl, g and G."""

    DEFAULT_CSS = """
    Rows {
        min-width: 12;
        min-height: 1;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    Rows > .rows--cursor { background: $selection-quiet; }
    Rows:ansi > .rows--cursor { text-style: underline; }
    Rows:focus > .rows--cursor { background: $selection; text-style: bold; }
    Rows:ansi:focus > .rows--cursor, Rows:nocolor:focus > .rows--cursor {
        background: $background;
        color: $foreground;
        text-style: bold reverse;
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "to(0)", "First", show=False),
        Binding("end,G", "to(-1)", "Last", show=False),
        Binding("enter,l,right", "choose", "Choose", show=False),
    ]

    cursor: reactive[int] = reactive(0)
    lines: Sequence[Content] = ()
    skipped_rows: Collection[int] = ()
    """The indexes of lines that are passed over: headings, blank ones."""
    empty = Content("nothing here")

    @dataclass
    class SelectionMoved(Message):
        """Another line is selected."""

        rows: Rows
        index: int

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Rows.SelectionMoved) and message.rows is self.rows

    @dataclass
    class RowActivated(Message):
        """A line was chosen."""

        rows: Rows
        index: int
        was_clicked: bool = False
        is_double: bool = False
        """Whether it is the second click of a double click."""

    def __init__(self, id: str | None = None, empty: Content | None = None) -> None:
        super().__init__(id=id)
        if empty is not None:
            self.empty = empty

    def show(
        self,
        lines: Sequence[Content],
        cursor: int | None = None,
        skipped_rows: Collection[int] = (),
    ) -> None:
        """Show other lines; without `cursor` the same index stays selected. `skipped_rows` are the
        indexes of lines that cannot be selected by keys and clicks.

        A line is read from the sequence whenever it is drawn; see `LazyLines`.
        """
        self.lines, self.skipped_rows = lines, skipped_rows
        self.virtual_size = Size(0, max(len(self.lines), 1))
        new_cursor = self.cursor if cursor is None else cursor
        self.set_reactive(Rows.cursor, self.validate_cursor(new_cursor))
        self._keep_in_sight()
        self.refresh()

    @property
    def width(self) -> int:
        """The columns of a line, without the scrollbar."""
        return max(self.size.width - self.scrollbar_size_vertical, 0)

    def room_before(self, end: Content, line: Content) -> int:
        """The cells of a line before its end, which is not too far away."""
        most = self.width - end.cell_length - 2 * bool(end.plain)
        return min(most, max(line.cell_length, _WIDEST - end.cell_length))

    def render_line(self, y: int) -> Strip:
        width = self.width
        index = y + round(self.scroll_offset.y)
        if not self.lines and y == 0:
            return self._strip(self.empty.stylize("dim"), width, self.visual_style)
        if index >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        style = self.visual_style
        if index == self.cursor and index not in self.skipped_rows:
            style += self.get_visual_style("rows--cursor")
            if self.get_component_styles("rows--cursor").text_style.reverse:
                style += Style(reverse=True)  # Textual leaves it out.
        line = self.lines[index]
        if spans := selected_spans(self, index, len(line.plain)):
            line = line.add_spans(spans)
        return self._strip(line, width, style).apply_offsets(0, index)

    def _strip(self, line: Content, width: int, style: Style) -> Strip:
        if style.reverse:
            spans, line = line.spans, line.without_spans
            for start, end, mark in spans:
                if isinstance(mark, Style) and mark.meta:  # What a click does.
                    line = line.stylize(Style.from_meta(dict(mark.meta)), start, end)
        line = line.truncate(width, ellipsis=True, pad=True)
        strip = Strip(list(line.render_segments(style)))
        return strip.adjust_cell_length(width, style.rich_style)

    def validate_cursor(self, cursor: int) -> int:
        return min(max(cursor, 0), max(len(self.lines) - 1, 0))

    def watch_cursor(self, old: int, new: int) -> None:
        if old != new:
            self._keep_in_sight()
            self.refresh()
            self.post_message(self.SelectionMoved(self, new))

    def _keep_in_sight(self) -> None:
        if not self.lines or not self.is_attached:
            return
        top = self.cursor
        while top - 1 in self.skipped_rows:
            top -= 1  # Its heading.
        region = Region(0, top, max(self.width, 1), self.cursor - top + 1)
        self.scroll_to_region(region, animate=False, force=True)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The start of the selected line on the screen."""
        row = self.cursor - round(self.scroll_target_y)
        top = self.content_region.offset
        return Offset(top.x, top.y + max(row, 0))

    def on_resize(self) -> None:
        self._keep_in_sight()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text of the lines that the mouse has selected, and what follows it."""
        return selected_text(selection, lambda at: self.lines[at].plain, len(self.lines))

    def text_select_all(self) -> None:
        """Select nothing: a double click opens."""

    def on_click(self, event: events.Click) -> None:
        if self.text_selection is not None or COMMAND_META in event.style.meta:
            return  # The end of a drag, or a key.
        index = event.y + round(self.scroll_offset.y)
        if index < len(self.lines) and index not in self.skipped_rows:
            self.cursor = index
            self.post_message(self.RowActivated(self, index, True, event.chain == 2))

    def action_move(self, by: int) -> None:
        if not self._select_from(self.cursor + by, by):
            # The lines beyond the last one to choose come into sight.
            self.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        at = self.validate_cursor(self.cursor + by * max(self.size.height - 1, 1))
        if not self._select_from(at, by):
            self._select_from(at, -by)

    def action_to(self, where: int) -> None:
        self._select_from(*((where, 1) if where >= 0 else (len(self.lines) - 1, -1)))

    def _select_from(self, at: int, by: int) -> bool:
        """Select the first line from an index on that is not passed over. Whether there is one."""
        while at in self.skipped_rows:
            at += by
        is_line = 0 <= at < len(self.lines)
        if is_line:
            self.cursor = at
        return is_line

    def action_choose(self) -> None:
        if self.lines and self.cursor not in self.skipped_rows:
            self.post_message(self.RowActivated(self, self.cursor))
