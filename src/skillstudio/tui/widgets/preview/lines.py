"""The lines of one file; only the visible ones are painted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style as RichStyle
from textual import events
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.content import Content, Span
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from skillstudio.preview.spans import Line, plain
from skillstudio.preview.view import FileView
from skillstudio.preview.views.folding import OPEN, FoldingView
from skillstudio.tui.widgets.compare.colours import STYLES as OF_LANGUAGES
from skillstudio.tui.widgets.details import SCROLL_BINDINGS
from skillstudio.tui.widgets.latest import LatestMessage
from skillstudio.tui.widgets.selecting import selected_spans, selected_text

AHEAD = 200  # Lines beyond the visible ones that are read.
STRIDE = 10_000  # The same on the way to a distant line.
PAUSE = 0.001  # Seconds between two reads.
_MATCH_STYLE = "$foreground on $warning 30%"
_FOUND_HERE = "bold reverse"
STYLES: Mapping[str, str] = {
    **OF_LANGUAGES,
    "place": "bold",
    "quiet": "dim",
    "rule": "dim",
    "added": "$text-success",
    "removed": "$text-error",
    "inserted": "$foreground on $success 30%",
    "deleted": "$foreground on $error 30%",
    "error": "$text-error",
    "warning": "$text-warning",
}
"""The styles of `preview.spans`, as a style of `Content`."""


class ViewLines(ScrollView, can_focus=True):
    """A view of a file. Only the visible lines are read; the end is found step by step."""

    HELP = """The selected file: v switches from its preview to the diff with the real file, to the
raw text and to its bytes. Arrows, h j k l, g G and page keys move; ^f finds a text and n the next
match; m opens it in $PAGER, x in $EDITOR; tab goes to the table. In JSON, YAML and TOML enter,
space or a click on the mark folds the selected line, left and right fold and unfold it or go to the
line around it, [ folds everything below the outermost keys, and ] unfolds everything."""
    DEFAULT_CSS = """
    ViewLines {
        height: 1fr;
        min-height: 3;
        min-width: 12;
        border-left: blank;
        scrollbar-size: 1 1;
        scrollbar-gutter: stable;
    }
    ViewLines:focus { background: $surface; border-left: outer $frame-focus; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *SCROLL_BINDINGS,
        Binding("h", "scroll_left", "Left", show=False),
        Binding("l", "scroll_right", "Right", show=False),
        Binding("left", "fold", "Fold", show=False),
        Binding("right", "unfold", "Unfold", show=False),
        Binding("enter,space", "toggle_fold", "Fold or unfold", show=False),
        Binding("[", "fold_all", "Fold everything", show=False),
        Binding("]", "unfold_all", "Unfold everything", show=False),
    ]

    @dataclass
    class EndReached(Message):
        """The last line of a view that may have more is visible."""

        view: FileView

    class Grown(LatestMessage):
        """More lines of the file were read."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: FileView | None = None
        self._instead = ""
        self._query = ""
        """The text of the search, casefolded."""
        self.match_line = -1
        """The line that a search found; -1 for none."""
        self.cursor = 0
        """The selected line of a view with folds."""
        self._goal = -1
        """A line to scroll to once it is read; -1 for none."""
        self._to_end = False
        self._due = False
        self._widest = 0
        self._known_lines: dict[int, tuple[Line, int]] = {}
        """The lines that were read and their cells, by number."""

    @property
    def room(self) -> int:
        """The columns of a line, without the scrollbar."""
        return self.scrollable_content_region.width

    def show(self, view: FileView | None, instead: str = "") -> None:
        """Show a view from its start; without one, a sentence."""
        self.view, self._instead = view, instead
        self.match_line, self._goal, self._to_end, self._widest = -1, -1, False, 0
        self.cursor = 0
        self._forget()
        self.scroll_to(0, 0, animate=False, force=True)
        if view is not None and self.size:
            # Measures the width, so that the horizontal scrollbar appears with the first lines.
            self._read(view, 0, 0)
            self._measure()

    def grow(self, view: FileView) -> None:
        """Show a view with more of the same file, at the same place."""
        self.view = view
        self._forget()
        if self._goal >= 0:
            self._go_on()

    def mark(self, text: str, match_line: int) -> None:
        """Mark a text everywhere, and go to the line `match_line`; -1 for none."""
        self._query, self.match_line = text.casefold(), match_line
        self._known_lines.clear()
        if match_line >= 0:
            self._goal = match_line
            if self._tree is not None:
                self._goal = self.cursor = self._tree.reveal(match_line)
                self._measure()
            self._go_on()
        self.refresh()

    # Folds.

    @property
    def _tree(self) -> FoldingView | None:
        return self.view if isinstance(self.view, FoldingView) else None

    def action_toggle_fold(self) -> None:
        """Hide or show what is nested in the selected line."""
        tree = self._tree
        if tree is not None and (tree.unfold(self.cursor) or tree.fold(self.cursor)):
            self._forget()

    def action_fold(self) -> None:
        """Fold the selected line, or go to the line around it; else scroll."""
        tree = self._tree
        if tree is None or self.scroll_x:
            self.action_scroll_left()
        elif tree.fold(self.cursor):
            self._forget()
        else:
            self._go_to(tree.parent(self.cursor))

    def action_unfold(self) -> None:
        """Unfold the selected line, or go into it; else scroll."""
        tree = self._tree
        if tree is not None and tree.unfold(self.cursor):
            self._forget()
        elif tree is not None and tree.can_fold(self.cursor):
            self._go_to(self.cursor + 1)
        else:
            self.action_scroll_right()

    def action_fold_all(self) -> None:
        if self._tree is not None:
            place = self._tree.place(self.cursor)
            self._tree.fold_all()
            self._select_again(place)

    def action_unfold_all(self) -> None:
        if self._tree is not None:
            place = self._tree.place(self.cursor)
            self._tree.unfold_all()
            self._select_again(place)

    def _select_again(self, place: int) -> None:
        """Select a line of the file, or the one that it is folded into."""
        tree = self._tree
        if tree is not None:
            self._forget()
            self._go_to(tree.row(place))

    def _go_to(self, row: int) -> None:
        """Select a line of a view with folds, and scroll it into view."""
        self.cursor = min(max(row, 0), max(self.virtual_size.height - 1, 0))
        top, height = round(self.scroll_y), max(self.size.height, 1)
        new_top = min(max(top, self.cursor - height + 1), self.cursor)
        if new_top != top:
            self.scroll_to(y=new_top, animate=False, force=True)
        self.refresh()

    def _move(self, rows: int) -> bool:
        """Move the selection. Whether the view has one."""
        if self._tree is None:
            return False
        self._go_to(self.cursor + rows)
        return True

    def action_scroll_down(self) -> None:
        if not self._move(1):
            super().action_scroll_down()

    def action_scroll_up(self) -> None:
        if not self._move(-1):
            super().action_scroll_up()

    def action_page_down(self) -> None:
        if not self._move(max(self.size.height - 1, 1)):
            super().action_page_down()

    def action_page_up(self) -> None:
        if not self._move(1 - max(self.size.height, 2)):
            super().action_page_up()

    def action_scroll_home(self) -> None:
        if not self._move(-self.cursor):
            super().action_scroll_home()

    def on_click(self, event: events.Click) -> None:
        """Select the line; fold or unfold it if its mark was clicked."""
        offset = event.get_content_offset(self)
        if self._tree is None or offset is None:
            return
        row = offset.y + round(self.scroll_y)
        if row < self._tree.count:
            self._go_to(row)
            if offset.x + round(self.scroll_x) < len(OPEN):
                self.action_toggle_fold()

    def _forget(self) -> None:
        self._known_lines.clear()
        self._measure()
        self.refresh()

    def _measure(self) -> None:
        view = self.view
        rows = view.count + (not view.complete) if view is not None else 1
        self.virtual_size = Size(self._widest, max(rows, 1))

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
        """Go to the end; the lines up to it are read step by step, until a key scrolls up."""
        self._to_end = True
        self._go_on()

    def _go_on(self) -> None:
        if not self._due:
            self._due = True
            # A timer leaves room for keys and painting, which a message would not.
            self.set_timer(PAUSE, self._extend)

    def _extend(self) -> None:
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
            top, height = round(self.scroll_y), max(self.size.height, 1)
            if not top <= self._goal < top + height:
                self.scroll_to(y=max(self._goal - height // 3, 0), animate=False, force=True)
            self._goal = -1
        if self._to_end:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
            self.cursor = max(view.count - 1, 0)
            self._to_end = not view.complete
        is_at_end = round(self.scroll_y) + self.size.height >= view.count
        if not view.complete and (self._to_end or self._goal >= 0):
            self._go_on()
        elif view.complete and (self._goal >= 0 or is_at_end):
            self.post_message(self.EndReached(view))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.room
        number = y + round(self.scroll_y)
        content = self._content(number, round(self.scroll_x), width, y)
        if content is None:
            return Strip.blank(width, self.rich_style)
        strip = Strip(list(content.render_segments(self.visual_style)))
        strip = strip.apply_offsets(round(self.scroll_x), number)
        strip = strip.extend_cell_length(width, self.visual_style.rich_style)
        is_selected = self._tree is not None and number == self.cursor and self.has_focus
        return strip.apply_style(RichStyle(reverse=True)) if is_selected else strip

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text of the lines that the mouse has selected, as far as they were read, and what
        follows it."""

        def text(number: int) -> str:
            return plain(self._known_lines[number][0]) if number in self._known_lines else ""

        return selected_text(selection, text, max(self._known_lines, default=-1) + 1)

    def _content(self, number: int, first_cell: int, width: int, y: int) -> Content | None:
        view = self.view
        if view is None:
            return Content.styled(self._instead, "dim") if not number else None
        if number not in self._known_lines:
            self._read(view, number, round(self.scroll_y))
        if number not in self._known_lines:
            return None
        line, cells = self._known_lines[number]
        header = view.header(number - y)
        if y < len(header):
            # The header of a table stays above its rows.
            line, cells = header[y], cells_of(plain(header[y]))
        style = _FOUND_HERE if number == self.match_line else _MATCH_STYLE
        matches = places_of(self._query, plain(line))
        marks = [Span(start, end, style) for start, end in matches]
        marks += selected_spans(self, number, len(plain(line)))
        if cells <= first_cell + width:
            return in_sight(line, first_cell, width, marks)
        content = in_sight(line, first_cell, width - 1, marks)
        room = " " * (width - 1 - content.cell_length)
        return Content("").join([content, Content(room), Content.styled("…", "dim")])

    def _read(self, view: FileView, number: int, top: int) -> None:
        """Read the visible lines and the line `number`."""
        top = min(number, top)
        height = max(self.size.height, number + 1 - top)
        before = view.count, view.complete
        lines = view.lines(top, height)
        if len(self._known_lines) > 4 * AHEAD:
            self._known_lines.clear()
        for at, line in enumerate(lines, top):
            self._known_lines[at] = line, cells_of(plain(line))
        widest = max((self._known_lines[at][1] for at in range(top, top + len(lines))), default=0)
        if widest > self._widest or before != (view.count, view.complete):
            self._widest = max(self._widest, widest)
            self.call_later(self._measure)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The place of the terminal's cursor: the found line, else the first visible one."""
        line = self.cursor if self._tree is not None else self.match_line
        row = line - round(self.scroll_y)
        top = self.content_region.offset
        return Offset(top.x, top.y + (row if 0 <= row < self.size.height else 0))


def in_sight(line: Line, first_cell: int, cells: int, marks: Iterable[Span] = ()) -> Content:
    """The cells of a line from `first_cell` on; half a wide character becomes a space.

    `marks` have their places in the text of the whole line, and win over its colours.
    """
    text = plain(line)
    start, end, missing = _places(text, first_cell, cells)
    visible_text = " " * missing + text[start:end]
    first = start - missing
    spans = [
        Span(max(span.start, start) - first, min(span.end, end) - first, span.style)
        for span in (*_spans(line, end), *marks)
        if span.end > start and span.start < end
    ]
    return Content(visible_text, spans)


def cells_of(text: str) -> int:
    """The cells of a text; fast for a long one."""
    if text.isascii():
        return len(text)
    return sum(number * cell_len(character) for character, number in Counter(text).items())


def places_of(query: str, text: str) -> Iterator[tuple[int, int]]:
    """The spans of a casefolded text in another, ignoring case."""
    folded_text = text.casefold()
    # Casefolding may change the length; then its places are not those of the text.
    start = folded_text.find(query) if query and len(folded_text) == len(text) else -1
    while start >= 0:
        end = start + len(query)
        yield start, end
        start = folded_text.find(query, end)


def _spans(line: Line, end: int) -> Iterator[Span]:
    at = 0
    for span in line:
        if at >= end:
            return
        if span.style in STYLES:
            yield Span(at, at + len(span.text), STYLES[span.style])
        elif span.style:
            yield Span(at, at + len(span.text), _parse_style(span.style))
        at += len(span.text)


@lru_cache(maxsize=4096)
def _parse_style(style: str) -> Style:
    """The style of a picture's cell, `#rrggbb` or `#rrggbb on #rrggbb`."""
    front, _, back = style.partition(" on ")
    return Style(background=Color.parse(back) if back else None, foreground=Color.parse(front))


def _places(text: str, first_cell: int, cells: int) -> tuple[int, int, int]:
    """The range of characters in these cells, and the leading cells of half a character."""
    if text.isascii():
        return first_cell, first_cell + cells, 0
    at = start = 0
    while start < len(text) and at < first_cell:
        at += cell_len(text[start])
        start += 1
    missing = at - first_cell if at > first_cell else 0
    # A character without width belongs to the one before it.
    while first_cell and start < len(text) and not cell_len(text[start]):
        start += 1
    end = start
    while end < len(text) and at + cell_len(text[end]) <= first_cell + cells:
        at += cell_len(text[end])
        end += 1
    return start, end, min(missing, cells)
