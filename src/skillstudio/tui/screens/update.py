"""Show what a newer version of a skill's template would change, then write it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.content import Content

from skillstudio.present.lines import count
from skillstudio.scaffold.new.catalogue import TemplateNotFound
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.record import RecordRefused
from skillstudio.scaffold.new.renderer import RendererMissing
from skillstudio.scaffold.new.updating import TemplateUpdate, UpdateRefused
from skillstudio.session.updating import NotUpdated, update_rows, update_text, write_update
from skillstudio.tui.screens.dialogs import Confirm, PlanDialog, anyway
from skillstudio.tui.screens.move import move_line
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain


class UpdateScreen(PlanDialog[TemplateUpdate, TemplateUpdate | None]):
    """Ends with the update if it was written or nothing was to be done, or with None."""

    FAILURE_TEXT = "not updated"
    REFUSALS = (RecordRefused, UpdateRefused, TemplateNotFound, TemplateFault, RendererMissing)
    _summary = staticmethod(update_text)

    def __init__(self, folder: str, look: Callable[[], TemplateUpdate]) -> None:
        """`look` runs in a thread and raises REFUSALS."""
        super().__init__("Update from template", "", (KeyHint("enter", "update the files"),))
        self._folder = folder
        self._look_at = look

    def on_mount(self) -> None:
        self.query_one(Rows).focus()

    def _part(self, _: str) -> str:
        return ""

    def _make(self, _: str) -> TemplateUpdate:
        return self._look_at()

    def _lines(self, plan: TemplateUpdate) -> list[tuple[Content, str]]:
        return [(move_line(row), row.text.strip()) for row in update_rows(plan)]

    def _fault(self, _: str) -> str:
        return ""

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not event.was_clicked:
            self._take()

    def _take(self) -> None:
        if self._plan is not None and self._plan.is_current:
            self.dismiss(self._plan)
        else:
            super()._take()

    def _question(self, plan: TemplateUpdate) -> Confirm | None:
        if not plan.conflicts:
            return None
        about = f"{count(plan.conflicts, 'conflict')} will be marked in the files."
        return anyway("There are conflicts", plain(about), "Write them anyway")

    async def _write(self, plan: TemplateUpdate, _: str) -> None:
        try:
            await asyncio.to_thread(write_update, plan, self._folder)
        except NotUpdated as error:
            self._show_failure(plain(str(error)))
            return
        self.dismiss(plan)
