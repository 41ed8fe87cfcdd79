"""A text that scrolls, about the selected row of a list."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Static

from skillstudio.present.lines import Part, StyledLine, laid_out
from skillstudio.tui.widgets.lines import lines_content

SCROLL_BINDINGS: list[BindingType] = [
    Binding("j", "scroll_down", "Down", show=False),
    Binding("k", "scroll_up", "Up", show=False),
    Binding("g", "scroll_home", "Top", show=False),
    Binding("G", "scroll_end", "End", show=False),
]


class Details(VerticalScroll, can_focus=True):
    """One text of any length; a subclass describes it in HELP."""

    DEFAULT_CSS = """
    Details {
        height: 1fr;
        min-height: 3;
        border-left: blank;
        scrollbar-size-vertical: 1;
    }
    Details:focus { border-left: outer $frame-focus; }
    """
    BINDINGS: ClassVar[list[BindingType]] = SCROLL_BINDINGS

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = Static(markup=False)

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, content: Content) -> None:
        """Show another text, from its start."""
        self._text.update(content)
        self.scroll_home(animate=False)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The place of the terminal's cursor: the first visible line."""
        return self.content_region.offset


def space_lines(lines: Sequence[Part]) -> list[Part]:
    """The lines with a blank one before each heading but the first line, and before a quiet line
    at the margin after a section."""
    result: list[Part] = []
    for line in lines:
        before = result[-1] if result else None
        is_after = isinstance(before, StyledLine) and before.indent > 0
        starts = isinstance(line, StyledLine) and (
            line.style == "heading" or (line.style == "quiet" and not line.indent and is_after)
        )
        if starts and before not in (None, StyledLine("")):
            result.append(StyledLine(""))
        result.append(line)
    return result


class StyledDetails(Details):
    """Styled lines, wrapped to the width; a blank line is before each section where all fit."""

    _lines: list[Part] | None = None
    _spaced_lines: Sequence[Part] = ()
    _offers: Collection[str] = ()

    def show_lines(self, lines: list[Part], offers: Collection[str] = ()) -> None:
        """Show other lines; equal lines keep the scroll position. `offers` are the ends of lines
        that start with a key."""
        if lines != self._lines:
            self._lines, self._offers = lines, offers
            self.on_resize()

    def on_resize(self) -> None:
        if self._lines is None:
            return
        self._spaced_lines = space_lines(self._lines)
        content = lines_content(self._spaced_lines, self._room, self._offers)
        if content.plain.count("\n") >= self.scrollable_content_region.height:
            self._spaced_lines = self._lines
            content = lines_content(self._lines, self._room, self._offers)
        self.show(content)

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - 1

    def line_at(self, row: int) -> StyledLine | None:
        """The line in a row of the text; a wrapped line has several rows."""
        for line in laid_out(self._spaced_lines):
            row -= lines_content([line], self._room).plain.count("\n") + 1
            if row < 0:
                return line
        return None
