"""What is seen when nothing is open. Everything here works offline."""

from __future__ import annotations

import os
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from skillstudio.session.commands.keymap import Keymap, default_keymap
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.screens.prompt import ask_for_path
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain


class Welcome(Screen[None]):
    """Open the examples, this folder or another, or begin a skill."""

    CSS_PATH = "welcome.tcss"
    HELP = "Enter opens what is under the cursor; ctrl+q quits."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("x", "open('examples')", "Examples"),
        Binding("h", "open('here')", "This folder"),
        Binding("o", "open('other')", "Open a folder"),
        Binding("n", "new", "New skill"),
    ]

    def __init__(self, examples: str, here: str, keymap: Keymap | None = None) -> None:
        """`examples` is the folder of the examples, empty where there is none."""
        super().__init__()
        self._keymap = keymap or default_keymap()
        self._choices = [("here", "h", "Open this folder", here)]
        if examples:
            self._choices.insert(0, ("examples", "x", "Open the examples", examples))
        self._choices.append(("other", "o", "Open another folder …", ""))
        self._choices.append(("new", "n", "New skill from a template …", ""))

    def compose(self) -> ComposeResult:
        yield Static(Content("skillstudio needs 60 × 16 characters"), id="too-small")
        with Vertical(id="welcome"):
            yield Static(Content("skillstudio"), id="name")
            yield Static(Content("a workbench for people who write agent skills"))
            yield Rows(id="choices")
            yield Static(
                Content("skillstudio PATH opens a skill or a folder of skills at once"), id="hint"
            )

    def on_mount(self) -> None:
        rows = self.query_one(Rows)
        rows.show(
            [
                joined(Content.styled(f" {key} ", "bold"), f" {title}  ", plain(path, "dim"))
                for _, key, title, path in self._choices
            ]
        )
        rows.styles.height = len(self._choices)
        rows.focus()

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        self.action_open(self._choices[event.index][0])

    def action_open(self, which: str) -> None:
        if which == "new":
            self.action_new()
            return
        for id_, _, _, path in self._choices:
            if id_ == which:
                if path:
                    self.post_message(OpenPath(path))
                else:
                    self.run_worker(self._ask())

    def action_new(self) -> None:
        self.run_worker(self._new())

    async def _new(self) -> None:
        from skillstudio.session.wizard.wizard import Wizard, base_for
        from skillstudio.tui.doing.new import ask

        ended = await ask(self.app, Wizard(base_for(os.getcwd())), self._keymap)
        if ended.quit:
            self.action_quit()
        elif ended.made:
            self.post_message(OpenPath(ended.made))

    async def _ask(self) -> None:
        path = await ask_for_path(self.app, os.getcwd() + os.sep)
        if path is not None:
            self.post_message(OpenPath(path))

    def action_quit(self) -> None:
        self.app.exit(0)
