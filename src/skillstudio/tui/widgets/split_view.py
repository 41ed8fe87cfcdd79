"""The frame of a view with two parts: beside each other where there is room, else below."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.containers import Vertical
from textual.message import Message

BESIDE = 84
"""Columns from which the second part stands beside the first, and not below it."""


class SplitView(Vertical):
    """Lines above and below a `.body`, in which the second part is a `.side`."""

    DEFAULT_CSS = """
    SplitView { height: 1fr; min-width: 24; }
    SplitView > Line { background: $panel; }
    SplitView > .body { height: 1fr; }
    SplitView > .body > .side { width: 1fr; height: 1fr; border-left: vkey $primary 40%; }
    SplitView > .body > .side > Line { background: $panel; }
    SplitView.-below > .body { layout: vertical; }
    SplitView.-below > .body > .side { width: 100%; border-left: none; }
    """

    class CommandsChanged(Message):
        """Other commands can be run now."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SplitView.CommandsChanged)

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        """`key` gives the key of a command as it is shown; empty where it has none."""
        super().__init__(id=id)
        self._key = key

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < BESIDE, "-below")
