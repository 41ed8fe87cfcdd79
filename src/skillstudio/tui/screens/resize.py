"""Move the edges of the panes with the arrow keys, above the workbench, which stays visible."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from skillstudio.tui.dialog import SingleAnswerScreen
from skillstudio.tui.panes import Panes
from skillstudio.tui.widgets.lines import KeyHint, KeyLine

_STEP, _LINE = 2, 1  # Columns and lines that an edge moves.


class ResizeScreen(SingleAnswerScreen[None], ModalScreen[None]):
    """Arrows move the edges of the focused pane until any other key."""

    HELP = """Left and right move the edge of the focused pane, up and down the edge above the
problems; tab goes to the next pane, 0 gives all panes their usual sizes. Sizes are kept, for each
width of the screen."""
    DEFAULT_CSS = "ResizeScreen { background: transparent; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move(-1, 0)", "Left"),
        Binding("right,l", "move(1, 0)", "Right"),
        Binding("up,k", "move(0, -1)", "Up"),
        Binding("down,j", "move(0, 1)", "Down"),
        Binding("tab,f6", "next", "Next pane", priority=True),
        Binding("0", "reset", "Usual sizes"),
        Binding("escape,enter", "done", "Done", priority=True),
    ]

    def __init__(self, panes: Panes, go_on: Callable[[], None]) -> None:
        """`go_on` focuses the next pane."""
        super().__init__()
        self._panes = panes
        self._go_on = go_on

    def compose(self) -> ComposeResult:
        line = KeyLine()
        keys = (
            KeyHint("←→", "move the edge"),
            KeyHint("↑↓", "the problems"),
            KeyHint("tab", "next pane"),
            KeyHint("0", "usual sizes"),
        )
        line.show(keys, (KeyHint("esc", "done"),))
        yield line

    def action_move(self, columns: int, lines: int) -> None:
        self._panes.move_edge(_STEP * columns, _LINE * lines)

    def action_next(self) -> None:
        self._go_on()

    def action_reset(self) -> None:
        self._panes.reset()

    def action_done(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """End, as a click elsewhere closes a menu."""
        event.stop()
        self.dismiss(None)
