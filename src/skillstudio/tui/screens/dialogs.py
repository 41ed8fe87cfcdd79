"""The dialogs that others use: a few answers, one line of text, and a list to move through."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

Result = TypeVar("Result")


class ConfirmOption(NamedTuple):
    """An answer: its id, the key that chooses it, its text."""

    id: str
    key: str
    title: str


class Confirm(Dialog[str | None]):
    """Ends with the id of the option, or None when the user goes back.

    Enter chooses the first option: it must neither write nor lose anything.
    """

    CSS_PATH = "dialogs.tcss"
    TAKES_UNSEEN = False

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
            yield Static(Content("press a letter or enter · esc back"), classes="hint")

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


def anyway(title: str, text: Content, yes: str, no: str = "Go back") -> Confirm:
    """A question that ends with `yes` only by its own key or row; enter means no."""
    return Confirm(title, text, [ConfirmOption("no", "n", no), ConfirmOption("yes", "y", yes)])


class PromptDialog(Dialog[str | None]):
    """Ends with one line of text, or None when the user goes back."""

    CSS_PATH = "dialogs.tcss"

    def __init__(self, title: str, start: str, wrong: Callable[[str], str]) -> None:
        """`wrong` gives the reason to reject a text, "" to accept it."""
        super().__init__()
        self._title = title
        self._start = start
        self._wrong = wrong

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog small"):
            yield Static(Content(self._title), classes="title")
            yield EntryLine(self._start, select_on_focus=False)
            yield Static(Content("enter accept · esc back"), classes="hint", id="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if wrong := self._wrong(event.value):
            self.query_one("#hint", Static).update(plain(wrong))
        else:
            self.dismiss(event.value)


def nonempty(problem: str) -> Callable[[str], str]:
    """A check for `PromptDialog` that rejects an empty text with a message."""
    return lambda text: "" if text.strip() else problem


async def ask_for_path(
    app: App[Any], start: str, title: str = "Open a skill or a folder of skills"
) -> str | None:
    """Ask for an existing file or folder; its absolute path."""

    def wrong(path: str) -> str:
        return "" if os.path.exists(os.path.expanduser(path)) else f"{path} does not exist"

    path = await app.push_screen_wait(PromptDialog(title, start, wrong))
    return None if path is None else os.path.abspath(os.path.expanduser(path))


class ListDialog(Dialog[Result]):
    """Arrow and page keys move through the list, whatever has the focus."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+n", "move(1)", "Down", priority=True),
        Binding("up,ctrl+r", "move(-1)", "Up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
    ]

    def action_move(self, by: int) -> None:
        self.query_one(Rows).action_move(by)

    def action_page(self, by: int) -> None:
        self.query_one(Rows).action_page(by)
