"""The last line: the few commands that matter most here, with their keys."""

from __future__ import annotations

from collections.abc import Collection

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.session.commands.commands import COMMANDS, Command, why_disabled
from skillstudio.session.commands.keymap import Keymap, shown

MOST = 6
WORKBENCH_COMMANDS = tuple(each for each in COMMANDS if each.context != "wizard")


class KeyLine(Widget):
    """As many commands as fit, the most important first; never more than six, never cut off."""

    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        background: $footer-background;
        color: $footer-foreground;
    }
    """

    class Clicked(Message):
        """A command was clicked."""

        def __init__(self, id_: str) -> None:
            super().__init__()
            self.command_id = id_

    def __init__(self, keymap: Keymap, commands: Collection[Command] = WORKBENCH_COMMANDS) -> None:
        super().__init__()
        self._keymap = keymap
        self._commands = commands
        self._facts: frozenset[str] = frozenset()
        self._places: list[tuple[int, int, str]] = []

    def show(self, facts: frozenset[str]) -> None:
        """Dim what cannot be run while only `facts` hold."""
        if facts != self._facts:
            self._facts = facts
            self.refresh()

    def render(self) -> Content:
        pieces: list[Content] = []
        self._places = []
        at = 0
        for command in self._fitting():
            key = shown(self._keymap.keys[command.id][0])
            name = command.short or command.title
            off = why_disabled(command, self._facts)
            piece = Content.assemble(
                (f" {key} ", "dim" if off else "bold $footer-key-foreground"),
                (f"{name} ", "dim" if off else ""),
            )
            self._places.append((at, at + piece.cell_length, command.id))
            at += piece.cell_length
            pieces.append(piece)
        return Content("").join(pieces)

    def _fitting(self) -> list[Command]:
        ranked = sorted(
            (c for c in self._commands if c.footer and self._keymap.keys[c.id]),
            key=lambda command: command.footer,
        )
        kept: list[Command] = []
        room = self.size.width
        for command in ranked[:MOST]:
            name = command.short or command.title
            room -= len(shown(self._keymap.keys[command.id][0])) + len(name) + 3
            if room >= 0:
                kept.append(command)
        return kept

    def on_click(self, event: events.Click) -> None:
        for start, end, id_ in self._places:
            if start <= event.x < end:
                self.post_message(self.Clicked(id_))
