"""The screen when nothing is open. It works offline."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from skillstudio.files.placing import NotPlaced
from skillstudio.resources import is_installed
from skillstudio.session.commands.keymap import Keymap
from skillstudio.session.examples import copy_examples, copy_fault, proposed_copy
from skillstudio.tui.screens.dialogs import OpenPath, PromptDialog, ask_for_path
from skillstudio.tui.tour import TourRequested
from skillstudio.tui.widgets.lines import KEY_STYLE
from skillstudio.tui.widgets.pane import Pane
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, plain, say

RECENT = 5
"""The most recent folders that are listed."""


class Welcome(Screen[None]):
    """Open the examples, this folder, a recent one or another; take the tour; create a skill."""

    CSS_PATH = "welcome.tcss"
    HELP = "Enter opens the selected entry; ctrl+q quits."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("x", "open('examples')", "Examples"),
        Binding("h", "open('here')", "This folder"),
        Binding("o", "open('other')", "Open a folder"),
        Binding("n", "open('new')", "New skill"),
        Binding("t", "open('tour')", "Tour"),
        *(
            Binding(str(number), f"open('{number}')", "Recent folder")
            for number in range(1, RECENT + 1)
        ),
    ]

    def __init__(
        self, examples: str, here: str, keymap: Keymap, recent: Sequence[str] = ()
    ) -> None:
        """`examples` is the folder of the examples, "" if there is none; `recent` are the folders
        that were opened last."""
        super().__init__()
        self._keymap = keymap
        self._examples = examples
        self._is_answered = False
        """Whether a choice was made: a second key in the same read is ignored."""
        self._choices = [("here", "h", "Open this folder", here)]
        if examples:
            needs_copy = is_installed(examples)
            title = "Copy the examples to a new folder …" if needs_copy else "Open the examples"
            self._choices.insert(0, ("examples", "x", title, "" if needs_copy else examples))
        self._choices += [
            ("other", "o", "Open another folder …", ""),
            ("new", "n", "New skill from a template …", ""),
        ]
        if examples:
            title = "Take the tour: one example in five steps"
            self._choices.append(("tour", "t", title, ""))
        other_folders = [folder for folder in recent if folder not in (here, examples)][:RECENT]
        for number, folder in enumerate(other_folders, 1):
            self._choices.append((str(number), str(number), os.path.basename(folder), folder))

    def compose(self) -> ComposeResult:
        yield Static(Content("skillstudio needs 60 × 16 characters"), id="too-small")
        with Pane("welcome") as pane:
            pane.label(Content("skillstudio"))
            yield Static(Content("a workbench for people who write agent skills"))
            yield Rows(id="choices")
            hint = "skillstudio PATH opens a skill or a folder of skills directly"
            yield Static(Content(hint), id="hint")

    def on_mount(self) -> None:
        rows = self.query_one(Rows)
        rows.show(
            [
                join(Content.styled(f"{key}  ", KEY_STYLE), f"{title}  ", plain(path, "dim"))
                for _, key, title, path in self._choices
            ]
        )
        rows.styles.height = len(self._choices)
        rows.focus()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        self.action_open(self._choices[event.index][0])

    def action_open(self, which: str) -> None:
        """Open the path of a choice, or ask for one."""
        paths = {id_: path for id_, _, _, path in self._choices}
        if self._is_answered or which not in paths:
            return
        self._is_answered = True
        if paths[which]:
            self.post_message(OpenPath(paths[which]))
        else:
            asks: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
                "examples": self._copy,
                "tour": self._tour,
                "other": self._ask,
                "new": self._new,
            }
            self.run_worker(asks[which](), exit_on_error=False)

    def on_screen_resume(self) -> None:
        """A dialog was answered with nothing to open."""
        self._is_answered = False

    def on_tour_refused(self) -> None:
        """The tour cannot start, so another choice can be made."""
        self._is_answered = False

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self._is_answered = False
            say(self, f"this failed: {event.worker.error!r}", bad=True)

    async def _copy(self) -> None:
        """Open the examples, those of an installation as a copy where the user wants it."""
        examples = self._examples
        if not is_installed(examples):
            self.post_message(OpenPath(examples))
            return
        title = "A new folder for a copy of the examples"
        dialog = PromptDialog(title, proposed_copy(os.getcwd()), copy_fault)
        folder = await self.app.push_screen_wait(dialog)
        if folder is None:
            return
        try:
            self.post_message(OpenPath(await asyncio.to_thread(copy_examples, examples, folder)))
        except NotPlaced as error:
            say(self, str(error), bad=True)

    async def _tour(self) -> None:
        self.post_message(TourRequested(self))

    async def _new(self) -> None:
        from skillstudio.session.wizard.wizard import Wizard, base_for
        from skillstudio.tui.screens.new import ask_for_skill

        result = await ask_for_skill(self.app, Wizard(base_for(os.getcwd())), self._keymap)
        if result.quit:
            self.action_quit()
        elif result.path:
            self.post_message(OpenPath(result.path))

    async def _ask(self) -> None:
        path = await ask_for_path(self.app, os.getcwd() + os.sep)
        if path is not None:
            self.post_message(OpenPath(path))

    def action_quit(self) -> None:
        self.app.exit(0)
