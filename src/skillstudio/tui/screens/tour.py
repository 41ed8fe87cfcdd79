"""The tour: five steps on an example, one for each job."""

from __future__ import annotations

import asyncio
import os
import re
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from skillstudio.files.placing import NotPlaced
from skillstudio.resources import is_installed
from skillstudio.session.commands.keymap import Keymap, shown
from skillstudio.session.examples import copy_examples, copy_fault, proposed_copy
from skillstudio.tui.screens.dialogs import PromptDialog, TextDialog
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.words import joined, plain, say

EXAMPLE = "worklog"
_STEPS = (
    ("Break it", "enter goes into the text; in `description`, type a colon after \"worklogs\". The "
     "problem appears as you type: agents would ignore this skill."),
    ("Fix it", "{problem.fix} quotes the text; nothing else in the file changes."),
    ("Run it", "{view.run}, then {run.operation} to choose a script, {run.sample} for a sample, "
     "and {run.start}: it runs in copies of your folders, and the report compares what it did "
     "with what the manifest declares."),
    ("Compare it", "{view.compare} compares your edit with the last version: does anything break, "
     "and which version number does it need?"),
    ("Undo it", "{view.edit} goes back to the text; {edit.undo} twice restores the file."),
)  # fmt: skip
"""What to do, with the ids of commands in braces."""
_COMMAND = re.compile(r"\{([\w.]+)\}")


async def own_examples(screen: Screen[Any], examples: str) -> str | None:
    """The folder of the examples, those of an installation as a copy where the user wants it."""
    if not is_installed(examples):
        return examples
    title = "A new folder for a copy of the examples"
    dialog = PromptDialog(title, proposed_copy(os.getcwd()), copy_fault)
    typed = await screen.app.push_screen_wait(dialog)
    if typed is None:
        return None
    try:
        return await asyncio.to_thread(copy_examples, examples, typed)
    except NotPlaced as error:
        say(screen, str(error), bad=True)
        return None


class TourText(Details):
    """The steps of the tour."""

    HELP = "The steps of the tour; esc closes it, and the palette shows it again. Arrows scroll."


class TourScreen(TextDialog[None]):
    """Lists the steps, which the user takes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,q", "back", "Begin", priority=True),
    ]

    def __init__(self, keymap: Keymap) -> None:
        self._keymap = keymap
        super().__init__("A tour in five steps", (KeyHint("enter", "begin"),))

    def body(self) -> ComposeResult:
        yield TourText()

    def on_mount(self) -> None:
        steps = [
            joined(plain(f"{number} {title}", "bold"), "\n", plain(self._said(text)))
            for number, (title, text) in enumerate(_STEPS, 1)
        ]
        again = f"{self._shown('help.palette')} tour shows the steps again."
        text = Content("\n\n").join([*steps, plain(again, "dim")])
        self.query_one(TourText).show(text)

    def _said(self, text: str) -> str:
        """A step with the keys of its commands. A view has a digit, and alt with it in the text."""
        return _COMMAND.sub(lambda found: self._shown(found[1]), text)

    def _shown(self, id_: str) -> str:
        keys = self._keymap.keys[id_]
        if not keys:
            return f"“{id_}” in the palette"
        typed = [each for each in keys if len(each) > 1]
        return shown(typed[0] if typed and id_.startswith("view.") else keys[0])
