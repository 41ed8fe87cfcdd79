"""Show a letter on every part of the screen, and end with the command of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from skillstudio.tui.dialog import SingleAnswerScreen

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpTarget(NamedTuple):
    """A place on the screen, and the command that goes to it."""

    x: int
    y: int
    command: str


class JumpScreen(SingleAnswerScreen[str | None], ModalScreen[str | None]):
    """Ends with the command of a letter, or None for any other key."""

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
        for letter, target in self._targets.items():
            label = Static(Content(f"{letter} "), classes="letter")
            label.styles.offset = (target.x, target.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        event.stop()
        target = self._targets.get(event.key)
        self.dismiss(target.command if target is not None else None)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = (event.screen_x, event.screen_y)
        there = (t for t in self._targets.values() if t.x <= at[0] < t.x + 2 and t.y == at[1])
        target = next(there, None)
        self.dismiss(target.command if target is not None else None)
