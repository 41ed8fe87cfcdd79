"""One line of text asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.words import plain


class PromptDialog(Dialog[str | None]):
    """Ends with the text, or None when the user backs out."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, title: str, start: str, wrong: Callable[[str], str]) -> None:
        """`wrong` says why a text cannot be taken; empty when it can."""
        super().__init__()
        self._title = title
        self._start = start
        self._wrong = wrong

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog small"):
            yield Static(Content(self._title), classes="title")
            yield EntryLine(self._start, select_on_focus=False)
            yield Static(Content("enter takes it; esc goes back"), classes="hint", id="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        wrong = self._wrong(event.value)
        if wrong:
            self.query_one("#hint", Static).update(plain(wrong))
        else:
            self.dismiss(event.value)

    def action_back(self) -> None:
        self.dismiss(None)


async def ask_for_path(
    app: App[Any], start: str, title: str = "Open a skill or a folder of skills"
) -> str | None:
    """Ask for a file or folder that is there; its absolute path."""

    def wrong(path: str) -> str:
        return "" if os.path.exists(os.path.expanduser(path)) else f"nothing is at {path}"

    path = await app.push_screen_wait(PromptDialog(title, start, wrong))
    return None if path is None else os.path.abspath(os.path.expanduser(path))
