"""A question with a few answers, each with a key of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.rows import Rows


class ConfirmOption(NamedTuple):
    """An answer: its id, its letter, its words."""

    id: str
    key: str
    title: str


class Confirm(Dialog[str | None]):
    """Ends with the id of the option, or None when the user backs out.

    The first option is the one that enter takes: one that writes and loses nothing.
    """

    CSS_PATH = "dialogs.tcss"
    TAKES_UNSEEN = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, title: str, text: Content, options: Sequence[ConfirmOption]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._options = list(options)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog small"):
            yield Static(Content(self._title), classes="title")
            yield Static(self._text, id="about")
            yield Rows(id="answers")
            yield Static(Content("a letter, or enter; esc goes back"), classes="hint")

    def on_mount(self) -> None:
        rows = self.query_one(Rows)
        rows.show([Content.assemble((f" {o.key} ", "bold"), f" {o.title}") for o in self._options])
        rows.styles.height = len(self._options)
        rows.focus()

    def on_key(self, event: events.Key) -> None:
        for option in self._options:
            if event.key == option.key:
                event.stop()
                self.dismiss(option.id)
                return

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.dismiss(self._options[event.index].id)

    def action_back(self) -> None:
        self.dismiss(None)


def anyway(title: str, text: Content, yes: str) -> Confirm:
    """A question that ends with `yes` only where its own key or row says so."""
    options = [ConfirmOption("no", "n", "Go back"), ConfirmOption("yes", "y", yes)]
    return Confirm(title, text, options)
