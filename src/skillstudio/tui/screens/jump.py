"""Show a letter on every part of the screen, and end with the chosen one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from skillstudio.tui.dialog import SingleAnswerScreen
from skillstudio.tui.widgets.lines import KeyHint, KeyLine
from skillstudio.tui.widgets.rows import Rows

_LOWER = "asdfghjklqwertyuiopzxcvbnm"
LETTERS = _LOWER + _LOWER.upper()


class JumpTarget(NamedTuple):
    """A place on the screen, and what goes to it: a command, or the focus, at a row of a list."""

    x: int
    y: int
    command: str = ""
    widget: Widget | None = None
    row: int | None = None


def places_in(widget: Widget) -> Iterator[JumpTarget]:
    """The visible rows of a list that can be selected; the start of another widget."""
    region = widget.screen.find_widget(widget).visible_region
    inside = region.intersection(widget.content_region)
    if not isinstance(widget, Rows):
        if inside:
            yield JumpTarget(inside.x, inside.y, widget=widget)
        return
    for y in range(inside.y, inside.bottom):
        row = y - widget.content_region.y + round(widget.scroll_offset.y)
        if row < len(widget.lines) and row not in widget.skipped_rows:
            yield JumpTarget(inside.x, y, widget=widget, row=row)


class JumpScreen(SingleAnswerScreen[JumpTarget | None], ModalScreen[JumpTarget | None]):
    """Ends with the place of a letter, or None for any other key."""

    HELP = "Each letter goes to the part of the screen that it is on; any other key goes back."
    DEFAULT_CSS = """
    JumpScreen { background: $background 40%; }
    JumpScreen > .letter {
        position: absolute;
        width: 2;
        height: 1;
        background: $block-cursor-background;
        color: $block-cursor-foreground;
        text-style: bold reverse;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", priority=True)
    ]

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        line = KeyLine()
        line.show((), (KeyHint("esc", "back"),))
        yield line
        for letter, target in self._targets.items():
            label = Static(Content(f"{letter} "), classes="letter")
            label.styles.offset = (target.x, target.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.dismiss(self._targets.get(event.character or event.key))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = (event.screen_x, event.screen_y)
        there = (t for t in self._targets.values() if t.x <= at[0] < t.x + 2 and t.y == at[1])
        self.dismiss(next(there, None))
