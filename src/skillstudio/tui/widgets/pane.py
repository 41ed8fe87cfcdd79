"""Framed parts of the screen, whose size the mouse and keys change, and the tabs of the views."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.words import join, plain

_FITS = ((4, 9, 99), (3, 9, 99), (2, 9, 99), (2, 1, 99), (1, 1, 99), (1, 1, 4), (1, 0, 4))
"""The gaps between tabs, the words of their states and the length of names, best first."""
Edge = Literal["", "right", "top", "left"]


class Pane(Vertical):
    """A part of the screen in a frame: its name and counts above, its state below.

    The frame of the focused pane is bright, and heavy where there are no colours.
    """

    DEFAULT_CSS = """
    Pane {
        border: round $frame;
        padding: 0 1;
        border-title-color: $foreground 75%;
        border-subtitle-color: $foreground 75%;
        border-title-background: $background;
        border-subtitle-background: $background;
        &:focus-within {
            border: round $frame-focus;
            border-title-color: $frame-focus;
            border-title-style: bold;
        }
        &:nocolor:focus-within { border: heavy $frame-focus; }
    }
    """

    @dataclass
    class FrameClicked(Message):
        """The upper or lower edge was clicked."""

        pane: Pane
        lower: bool

    @dataclass
    class SizeDragged(Message):
        """The edge was dragged to another size, in cells."""

        pane: Pane
        size: int

    EDGE: Edge = ""
    """The edge that the mouse drags."""

    def __init__(self, id: str | None = None, edge: Edge = "") -> None:
        super().__init__(id=id)
        self._edge = edge or self.EDGE
        self._is_dragged = False
        self._labels: dict[bool, Content] = {}

    def label(self, title: Content, lower: bool = False) -> None:
        """Show a text in the upper or lower edge of the frame."""
        before = self._labels.get(lower)
        if before is not None and before.is_same(title):
            return
        self._labels[lower] = title
        content = title if title.plain else None
        if lower:
            self.border_subtitle = content
        else:
            self.border_title = content

    def _is_on_edge(self, event: events.MouseEvent) -> bool:
        region, x, y = self.region, event.screen_x, event.screen_y
        match self._edge:
            case "right":
                return x == region.right - 1
            case "left":
                return x == region.x
            case "top":
                return y == region.y
        return False

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and self._is_on_edge(event):
            self._is_dragged = True
            self.screen.clear_selection()  # Otherwise the texts below the mouse are selected.
            self.capture_mouse()
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if not self._is_dragged:
            return
        region = self.region
        sizes = {
            "right": event.screen_x - region.x + 1,
            "left": region.right - event.screen_x,
            "top": region.bottom - event.screen_y,
        }
        self.post_message(self.SizeDragged(self, sizes[self._edge]))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._is_dragged:
            self._is_dragged = False
            self.release_mouse()
            event.stop()

    def on_click(self, event: events.Click) -> None:
        y = event.screen_y
        if y in (self.region.y, self.region.bottom - 1):
            event.stop()
            self.post_message(self.FrameClicked(self, y != self.region.y))


class Tab(NamedTuple):
    """A tab: what a click runs, its key, if it has one, and name, and its state."""

    command: str
    key: str
    name: str
    state: Content = Content("")


class TabBar(Line):
    """Tabs with their keys and live state; a click goes to one.

    Where it has two lines, the lower one underlines the selected tab.
    """

    DEFAULT_CSS = "TabBar.-underlined { height: 2; }"

    def __init__(
        self, run: Callable[[str], object], id: str | None = None, classes: str | None = None
    ) -> None:
        """`run` runs a command by its id."""
        super().__init__(id=id)
        self.set_classes(classes or "")
        self._run = run
        self.places: list[tuple[int, int, str]] = []
        self._tabs: list[Tab] = []
        self._here = ""
        self._about = Content("")
        self._is_typing, self._way = False, ""

    def show_tabs(
        self,
        tabs: Iterable[Tab],
        here: str,
        about: Content | None = None,
        is_typing: bool = False,
        way: str = "",
    ) -> None:
        """Show tabs, of which the one with the command `here` is selected, and a text after them.

        Where they do not fit, states are cut to their signs, and then the names of other tabs.
        While the tabs' keys are typed into a text they are left out; `way` names others.
        """
        self._tabs, self._here, self._about = list(tabs), here, about or Content("")
        self._is_typing, self._way = is_typing, way
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the tabs into the width."""
        tabs, width = self._tabs, self.size.width
        gap, pieces = 0, [self._tab(tab) for tab in tabs]
        room = width - 2 - len(self._way) if self._way else width
        # Tabs without keys are small ones, within a view.
        for gap, words, name in _FITS if any(tab.key for tab in tabs) else _FITS[1:]:
            pieces = [self._tab(tab, words, name) for tab in tabs]
            if sum(piece.cell_length + gap for piece in pieces) - gap <= room:
                break
        self.places = []
        at = 0
        under = Content("")
        for tab, piece in zip(tabs, pieces, strict=True):
            self.places.append((at, at + piece.cell_length, tab.command))
            if tab.command == self._here:
                under = join(_rule(at), _rule(piece.cell_length, "$frame-focus", "━"))
            at += piece.cell_length + gap
        if self._about.plain:
            pieces.append(join(" ", self._about))
        line = Content(" " * gap).join(pieces)
        if self._way and line.cell_length <= room:
            line = join(line.pad_right(room + 2 - line.cell_length), plain(self._way, "dim"))
        if self.size.height > 1:
            line = join(line, "\n", under, _rule(width - under.cell_length))
        self.show(line)

    def _tab(self, tab: Tab, words: int = 9, most: int = 99) -> Content:
        is_here = tab.command == self._here
        name = tab.name if is_here else tab.name[:most]
        state = Content(" ").join(tab.state.split(" ")[:words])
        after = join(" " if name else "", state) if state.plain else Content("")
        if not tab.key:
            small = Content.styled(f"[{name}]", "bold $text-primary") if is_here else f" {name} "
            return join(small, after)
        style = "bold $text-primary" if is_here else ""
        if is_here and self.size.height < 2:
            style += " underline"
        key = Content.styled(f"{tab.key} ", "$footer-key-foreground")
        if self._is_typing:
            key = Content(" " * key.cell_length)
        return join(key, plain(name, style), after)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        for start, end, command in self.places:
            if start <= event.x < end:
                self._run(command)


def _rule(length: int, style: str = "$frame", cell: str = "─") -> Content:
    return Content.styled(cell * max(length, 0), style)
