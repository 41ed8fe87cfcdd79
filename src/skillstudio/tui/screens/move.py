"""Show what a migration or an export would make, then make it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from skillstudio.files.placing import NotPlaced
from skillstudio.scaffold.destination import where_fault
from skillstudio.session.moving import MovePlan, MoveRow, NotMoved, make, rows, summary
from skillstudio.text.safe import safe_text
from skillstudio.tui.screens.dialogs import Confirm, PlanDialog, anyway
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, plain

_STYLES = {
    "head": "bold $text-primary",
    "text": "dim",
    "old": "$text-error",
    "new": "$text-success",
}


class MoveScreen(PlanDialog[MovePlan, MovePlan | str | None]):
    """Ends with the new folder, with the migration to apply, or with None."""

    REFUSALS = (NotMoved,)
    _summary = staticmethod(summary)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_part", "Next part", priority=True),
    ]

    def __init__(self, title: str, look: Callable[[str], MovePlan], destination: str = "") -> None:
        """`look` gets the name of the new folder; it runs in a thread and raises NotMoved. Without
        a destination, the skill is migrated in place."""
        does = "create" if destination else "migrate (unsaved, one undo step)"
        keys = KeyHint("enter", does), KeyHint("tab", "next part")
        super().__init__(title, destination, keys)
        self._look_at = look
        self._heads: list[int] = []

    def on_mount(self) -> None:
        if not self._start:
            self.query_one(Rows).focus()

    def _part(self, path: str) -> str:
        return os.path.basename(path)

    def _make(self, path: str) -> MovePlan:
        return self._look_at(os.path.basename(path))

    def _lines(self, plan: MovePlan) -> list[tuple[Content, str]]:
        plan_rows = rows(plan)
        self._heads = [at for at, row in enumerate(plan_rows) if row.kind == "head"]
        return [(move_line(row), row.text.strip()) for row in plan_rows]

    def _fault(self, path: str) -> str:
        if not self._start:
            return ""
        return where_fault(path) if path else "name a new folder"

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not event.was_clicked:
            self._take()

    def _take(self) -> None:
        if not self._start and self._plan is not None:
            self.dismiss(self._plan)
        else:
            super()._take()

    def _question(self, plan: MovePlan) -> Confirm | None:
        if not plan.counts.get("error"):
            return None
        return anyway("The result has errors", plain(summary(plan)), "Create it anyway")

    async def _write(self, plan: MovePlan, path: str) -> None:
        try:
            skipped_files = await asyncio.to_thread(make, plan, path)
        except NotPlaced as error:
            self._show_failure(plain(str(error)))
            return
        for file, why in skipped_files.items():
            self.notify(safe_text(f"not copied: {file}: {why}"), markup=False)
        self.dismiss(path)

    def action_next_part(self) -> None:
        """Go to the next heading, from the last to the first."""
        here = self.query_one(Rows).cursor
        if self._heads:
            after = (at for at in self._heads if at > here)
            self.query_one(Rows).cursor = next(after, self._heads[0])


def move_line(row: MoveRow) -> Content:
    """A line of a preview."""
    if row.kind == "head":
        return join(plain("── ", "dim"), plain(row.text, _STYLES["head"]), plain(" ──", "dim"))
    return plain(row.text, _STYLES.get(row.kind, ""))
