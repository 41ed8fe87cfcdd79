"""The last line of a screen: the most important commands with their keys."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.session.commands.commands import COMMANDS, Command, why_disabled
from skillstudio.session.commands.keymap import Keymap, shown
from skillstudio.tui.widgets.lines import KeyHint

MOST = 6
WORKBENCH_COMMANDS = tuple(each for each in COMMANDS if each.context != "wizard")


class KeyLine(Widget):
    """As many commands as fit, the most important first; at most six, none cut off."""

    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        background: $footer-background;
        color: $footer-foreground;
    }
    """

    @dataclass
    class Clicked(Message):
        """A command was clicked."""

        command_id: str

    def __init__(self, keymap: Keymap, commands: Collection[Command] = WORKBENCH_COMMANDS) -> None:
        super().__init__()
        ranked = sorted(
            (each for each in commands if each.footer and keymap.keys[each.id]),
            key=lambda command: command.footer,
        )
        self._commands = {each: shown(keymap.keys[each.id][0]) for each in ranked[:MOST]}
        self._facts: frozenset[str] = frozenset()
        self._places: list[tuple[int, int, str]] = []

    def show(self, facts: frozenset[str]) -> None:
        """Dim the commands that are disabled under `facts`."""
        if facts != self._facts:
            self._facts = facts
            self.refresh()

    def render(self) -> Content:
        pieces: list[Content] = []
        self._places = []
        at, room = 0, self.size.width
        for command, key in self._commands.items():
            disabled = bool(why_disabled(command, self._facts))
            piece = KeyHint(key, command.short or command.title, disabled).content
            room -= piece.cell_length
            if room >= 0:
                self._places.append((at, at + piece.cell_length, command.id))
                at += piece.cell_length
                pieces.append(piece)
        return Content("").join(pieces)

    def on_click(self, event: events.Click) -> None:
        for start, end, id_ in self._places:
            if start <= event.x < end:
                self.post_message(self.Clicked(id_))
