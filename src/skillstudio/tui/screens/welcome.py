"""What is seen when nothing is open. Everything here works offline."""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from skillstudio.files.placing import NotPlaced
from skillstudio.resources import is_installed
from skillstudio.session.commands.keymap import Keymap, default_keymap
from skillstudio.session.examples import copy_examples, copy_fault, proposed_copy
from skillstudio.text.safe import safe_text
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.screens.prompt import PromptDialog, ask_for_path
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain


class Welcome(Screen[None]):
    """Open the examples, this folder or another, or begin a skill."""

    CSS_PATH = "welcome.tcss"
    HELP = "Enter opens what is selected; ctrl+q quits."
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
        self._examples = examples
        self._is_answered = False
        """Whether something is asked or opened: a second key in the same read does neither."""
        self._choices = [("here", "h", "Open this folder", here)]
        if examples:
            copied = is_installed(examples)
            title = "Copy the examples to a new folder …" if copied else "Open the examples"
            self._choices.insert(0, ("examples", "x", title, "" if copied else examples))
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

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        self.action_open(self._choices[event.index][0])

    def action_open(self, which: str) -> None:
        """Open what a choice names, or ask for it."""
        paths = {id_: path for id_, _, _, path in self._choices}
        if self._is_answered or which not in paths:
            return
        self._is_answered = True
        if paths[which]:
            self.post_message(OpenPath(paths[which]))
        else:
            asks = {"examples": self._copy, "other": self._ask, "new": self._new}
            self.run_worker(asks[which](), exit_on_error=False)

    def on_screen_resume(self) -> None:
        """A dialog was answered with nothing to open."""
        self._is_answered = False

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self._is_answered = False
            self._say(f"this failed: {event.worker.error!r}")

    def action_new(self) -> None:
        self.action_open("new")

    async def _copy(self) -> None:
        """Copy the examples to a folder that the user confirms: the installation stays as it is."""
        start = proposed_copy(os.getcwd())
        asked = PromptDialog("A new folder for a copy of the examples", start, copy_fault)
        typed = await self.app.push_screen_wait(asked)
        if typed is None:
            return
        try:
            made = await asyncio.to_thread(copy_examples, self._examples, typed)
        except NotPlaced as error:
            self._say(str(error))
        else:
            self.post_message(OpenPath(made))

    def _say(self, text: str) -> None:
        self.notify(safe_text(text), severity="error", markup=False, timeout=8)

    async def _new(self) -> None:
        from skillstudio.session.wizard.wizard import Wizard, base_for
        from skillstudio.tui.screens.new import ask_for_skill

        ended = await ask_for_skill(self.app, Wizard(base_for(os.getcwd())), self._keymap)
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
