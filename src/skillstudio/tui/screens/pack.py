"""Ask for the file of an archive, show what it would contain, and write it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from skillstudio.files.placing import NotPlaced
from skillstudio.scaffold.packing.packing import Packing, inside
from skillstudio.scaffold.packing.selecting import PackRefused
from skillstudio.session.packing import (
    ArchiveKind,
    PackRow,
    fault,
    look,
    make,
    question,
    rows,
    summary,
)
from skillstudio.settings.settings import SkillSettings
from skillstudio.tui.screens.dialogs import ListDialog, anyway
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import SEVERITY, joined, paragraphs, plain


class PackScreen(ListDialog[str | None]):
    """Ends with the archive that was written, or None when the user goes back."""

    def __init__(
        self,
        folder: str,
        kind: ArchiveKind,
        output: str,
        settings: SkillSettings,
        unsaved: Iterable[str] = (),
    ) -> None:
        """`unsaved` are paths of the skill whose open text differs from the file."""
        super().__init__()
        self._folder = folder
        self._kind = kind
        self._start = output
        self._settings = settings
        self._unsaved = tuple(unsaved)
        self._own = ""
        self._packing: Packing | None = None
        self._is_busy = False
        """Whether a question is open or the archive is being written."""
        self._made = ""
        self._rows: list[PackRow] = []

    def compose(self) -> ComposeResult:
        title = f"Pack {os.path.basename(self._folder)} as {self._kind.name}"
        with Vertical(classes="dialog wide"):
            yield Static(plain(title), classes="title")
            yield EntryLine(self._start, id="file", select_on_focus=False)
            yield Static(Content("reading the skill …"), id="state")
            yield Rows(id="answers", empty=Content(""))
            yield Static(id="whole")
            yield Static(Content("enter pack · ↑↓ list · esc back"), classes="hint", id="hint")

    def on_mount(self) -> None:
        self._look()

    @property
    def _output(self) -> str:
        """The absolute path of what is typed, relative to the folder that contains the skill."""
        typed = os.path.expanduser(self.query_one(Input).value.strip())
        return os.path.abspath(os.path.join(os.path.dirname(self._folder), typed)) if typed else ""

    def _look(self) -> None:
        self._own = inside(self._folder, self._output) if self._output else ""
        self._packing = None
        self.run_worker(self._read(), group="pack", exclusive=True)

    async def _read(self) -> None:
        read = partial(look, self._folder, self._kind, self._output, self._settings)
        try:
            packing = await asyncio.to_thread(read)
        except (PackRefused, OSError) as error:
            why = (isinstance(error, OSError) and error.strerror) or str(error)
            self._say(paragraphs(f"not packed: {why}").stylize("$text-error"))
            self._rows = []
        else:
            self._packing = packing
            self._rows = rows(packing, self._unsaved)
            self._tell(packing)
        self.query_one(Rows).show([_line(row) for row in self._rows], 0)
        self._show_whole()

    def _tell(self, packing: Packing) -> None:
        wrong = fault(self._output, self._kind)
        self._say(plain(wrong, "$text-error") if wrong else plain(summary(packing)))

    def _say(self, text: Content) -> None:
        self.query_one("#state", Static).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        own = inside(self._folder, self._output) if self._output else ""
        if own != self._own:
            self._look()
        elif self._packing is not None:
            self._tell(self._packing)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        packing, output = self._packing, self._output
        if packing is None or self._is_busy:
            return
        if wrong := fault(output, self._kind):
            self._say(plain(wrong, "$text-error"))
        else:
            self._is_busy = True
            self.run_worker(self._ask(packing, output), group="ask")

    async def _ask(self, packing: Packing, output: str) -> None:
        """Write the archive; if it replaces a file or the skill has errors, ask first."""
        asked = question(packing, output)
        dialog = anyway("Pack it?", plain(asked), "Pack it anyway")
        if not asked or await self.app.push_screen_wait(dialog) == "yes":
            replace = bool(asked) and os.path.lexists(output)
            self.run_worker(self._write(packing, output, replace), group="pack", exclusive=True)
        else:
            self._is_busy = False

    async def _write(self, packing: Packing, output: str, replace: bool) -> None:
        self.query_one(Input).disabled = True
        write = partial(make, packing, self._kind, output, replace)
        try:
            written = await asyncio.to_thread(write)
        except (PackRefused, NotPlaced) as error:
            self._say(paragraphs(f"not packed: {error}").stylize("$text-error"))
            self._is_busy = self.query_one(Input).disabled = False
            self.query_one(Input).focus()
            return
        self._made = output
        size = f"{written.size:,} bytes"
        self._say(plain(f"created {output}: {size}, {written.digest}", "$text-success"))
        self.query_one("#hint", Static).update(Content("enter or esc closes"))
        self.query_one(Rows).focus()

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._show_whole()

    def _show_whole(self) -> None:
        """Show the selected line, which may be too long for the list."""
        text = ""
        if self._rows:
            row = self._rows[self.query_one(Rows).cursor]
            text = f"{row.text}: {row.about}" if row.about else row.text
        self.query_one("#whole", Static).update(plain(text, "dim"))

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if self._made:
            self.dismiss(self._made)

    def action_back(self) -> None:
        self.dismiss(self._made or None)


def _line(row: PackRow) -> Content:
    if row.mark in SEVERITY:
        glyph, _, colour = SEVERITY[row.mark]
        return joined(plain(f"{glyph} ", colour), plain(row.text))
    size = "" if row.size is None else f"{row.size:,}"
    style = "dim" if row.mark == "out" else ""
    about = plain(f"  {row.about}", "dim") if row.about else ""
    return joined(plain(f"{row.mark:<4}{size:>11}  {row.text}", style), about)
