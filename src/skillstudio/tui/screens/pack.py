"""Ask for the file of an archive, show what it would contain, and write it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

from textual.content import Content
from textual.widgets import Static

from skillstudio.files.placing import NotPlaced
from skillstudio.scaffold.packing.packing import Packing, inside, write
from skillstudio.scaffold.packing.selecting import PackRefused
from skillstudio.session.packing import (
    ArchiveKind,
    PackRow,
    fault,
    look,
    question,
    rows,
    summary,
)
from skillstudio.settings.settings import SkillSettings
from skillstudio.tui.screens.dialogs import Confirm, PlanDialog, anyway
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import SEVERITY, joined, paragraphs, plain


class PackScreen(PlanDialog[Packing, str | None]):
    """Ends with the archive that was written, or None when the user goes back."""

    REFUSED = "not packed"
    REFUSALS = (PackRefused, OSError)
    _summary = staticmethod(summary)

    def __init__(
        self,
        folder: str,
        kind: ArchiveKind,
        output: str,
        settings: SkillSettings,
        unsaved: Iterable[str] = (),
    ) -> None:
        """`output` is beside `folder`; `unsaved` are paths of the skill whose open text differs
        from the file."""
        title = f"Pack {os.path.basename(folder)} as {kind.name}"
        super().__init__(title, output, "enter pack · ↑↓ list · esc back")
        self._folder = folder
        self._kind = kind
        self._settings = settings
        self._unsaved = tuple(unsaved)
        self._made = ""

    def _part(self, path: str) -> str:
        return inside(self._folder, path) if path else ""

    def _make(self, path: str) -> Packing:
        return look(self._folder, self._kind, path, self._settings)

    def _lines(self, plan: Packing) -> list[tuple[Content, str]]:
        found = rows(plan, self._unsaved)
        return [(_line(row), ": ".join(filter(None, (row.text, row.about)))) for row in found]

    def _fault(self, path: str) -> str:
        return fault(path, self._kind)

    def _question(self, plan: Packing, path: str) -> Confirm | None:
        asked = question(plan, path)
        return anyway("Pack it?", plain(asked), "Pack it anyway") if asked else None

    async def _write(self, plan: Packing, path: str, asked: bool) -> None:
        replace = asked and os.path.lexists(path)
        try:
            written = await asyncio.to_thread(write, plan, self._kind.format, path, replace)
        except (PackRefused, NotPlaced) as error:
            self._failed(paragraphs(f"not packed: {error}"))
            return
        self._made = path
        size = f"{written.size:,} bytes"
        self._say(plain(f"created {path}: {size}, {written.digest}", "$text-success"))
        self.query_one("#hint", Static).update(Content("enter or esc closes"))
        self.query_one(Rows).focus()

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
