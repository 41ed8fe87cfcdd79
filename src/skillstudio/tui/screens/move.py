"""Show what a migration, a conversion or an export would make, then make it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from skillstudio.files.placing import NotPlaced
from skillstudio.scaffold.destination import where_fault
from skillstudio.session.moving import MovePlan, MoveRow, NotMoved, make, rows, summary
from skillstudio.text.safe import safe_text
from skillstudio.tui.screens.dialogs import ListDialog, anyway
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, paragraphs, plain

_STYLES = {
    "head": "bold $text-primary",
    "text": "dim",
    "old": "$text-error",
    "new": "$text-success",
}


class MoveScreen(ListDialog[MovePlan | str | None]):
    """Ends with the new folder, with the migration to apply, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_part", "Next part", priority=True),
    ]

    def __init__(self, title: str, look: Callable[[str], MovePlan], destination: str = "") -> None:
        """`look` gets the name of the new folder; it runs in a thread and raises NotMoved. Without
        a destination, the skill is migrated in place."""
        super().__init__()
        self._title = title
        self._look_at = look
        self._start = destination
        self._in_place = not destination
        self._name = ""
        self._moved: MovePlan | None = None
        self._is_busy = False
        """Whether a question is open or the folder is being created."""
        self._rows: list[MoveRow] = []

    def compose(self) -> ComposeResult:
        does = "migrate (unsaved, one undo step)" if self._in_place else "create"
        keys = f"enter {does} · ↑↓ list · tab next part · esc back"
        with Vertical(classes="dialog wide"):
            yield Static(plain(self._title), classes="title")
            if not self._in_place:
                yield EntryLine(self._start, id="folder", select_on_focus=False)
            yield Static(id="state")
            yield Rows(id="answers", empty=Content(""))
            yield Static(id="whole")
            yield Static(Content(keys), classes="hint", id="hint")

    def on_mount(self) -> None:
        self._look()
        if self._in_place:
            self.query_one(Rows).focus()

    @property
    def _destination(self) -> str:
        """The absolute path of what is typed, relative to the folder of the proposed one."""
        if self._in_place:
            return ""
        typed = os.path.expanduser(self.query_one(Input).value.strip())
        return os.path.abspath(os.path.join(os.path.dirname(self._start), typed)) if typed else ""

    def _look(self) -> None:
        self._name, self._moved = os.path.basename(self._destination), None
        self._say(Content("reading the skill …"))
        self.run_worker(self._read(self._name), group="move", exclusive=True)

    async def _read(self, name: str) -> None:
        try:
            moved = await asyncio.to_thread(self._look_at, name)
        except NotMoved as error:
            self.query_one(Rows).show([])
            self._say(paragraphs(f"not possible: {error}").stylize("$text-error"))
            return
        self._moved = moved
        self._rows = rows(moved)
        self.query_one(Rows).show([_line(row) for row in self._rows], 0)
        self._show_whole()
        self._tell()

    def _tell(self) -> None:
        if self._moved is None:
            return
        wrong = self._fault()
        self._say(plain(wrong, "$text-error") if wrong else plain(summary(self._moved)))

    def _fault(self) -> str:
        if self._in_place:
            return ""
        return where_fault(self._destination) if self._destination else "name a new folder"

    def _say(self, text: Content) -> None:
        self.query_one("#state", Static).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if os.path.basename(self._destination) != self._name:
            self._look()
        else:
            self._tell()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._take()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not event.clicked:
            self._take()

    def _take(self) -> None:
        moved = self._moved
        if moved is None or self._is_busy:
            return
        if wrong := self._fault():
            self._say(plain(wrong, "$text-error"))
        elif self._in_place:
            self.dismiss(moved)
        else:
            self._is_busy = True
            self.run_worker(self._ask(moved, self._destination), group="ask")

    async def _ask(self, moved: MovePlan, destination: str) -> None:
        """Create it; if the result has errors, ask first."""
        dialog = anyway("The result has errors", plain(summary(moved)), "Create it anyway")
        if not moved.counts.get("error") or await self.app.push_screen_wait(dialog) == "yes":
            self.run_worker(self._make(moved, destination), group="move", exclusive=True)
        else:
            self._is_busy = False

    async def _make(self, moved: MovePlan, destination: str) -> None:
        self.query_one(Input).disabled = True
        try:
            left = await asyncio.to_thread(partial(make, moved, destination))
        except NotPlaced as error:
            self._say(plain(str(error), "$text-error"))
            self._is_busy = self.query_one(Input).disabled = False
            self.query_one(Input).focus()
            return
        for path, why in left.items():
            self.notify(safe_text(f"not copied: {path}: {why}"), markup=False)
        self.dismiss(destination)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._show_whole()

    def _show_whole(self) -> None:
        """Show the selected line, which may be too long for the list."""
        row = self._rows[self.query_one(Rows).cursor]
        self.query_one("#whole", Static).update(plain(row.text.strip(), "dim"))

    def action_next_part(self) -> None:
        """Go to the next heading, from the last to the first."""
        here = self.query_one(Rows).cursor
        heads = [at for at, row in enumerate(self._rows) if row.kind == "head"]
        if heads:
            self.query_one(Rows).cursor = next((at for at in heads if at > here), heads[0])


def _line(row: MoveRow) -> Content:
    if row.kind == "head":
        return joined(plain("── ", "dim"), plain(row.text, _STYLES["head"]), plain(" ──", "dim"))
    return plain(row.text, _STYLES.get(row.kind, ""))
