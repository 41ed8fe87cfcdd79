"""Select what a run showed and the manifest does not declare, with a diff of the manifest."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from skillstudio.dryrun.adopting.choice import Adopted
from skillstudio.dryrun.adopting.finding import AdoptFinding
from skillstudio.dryrun.adopting.findings import AdoptRefused
from skillstudio.preview.spans import Line
from skillstudio.preview.view import LazyView
from skillstudio.session.previewing.adopt import (
    AdoptOffer,
    adopted,
    diff_lines,
    finding_lines,
    since_text,
)
from skillstudio.session.previewing.files import set_lines
from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

_KEYS = KeyHint("space", "pick"), KeyHint("enter", "adopt (unsaved)"), KeyHint("tab", "diff")


class AdoptScreen(Dialog[Adopted | None]):
    """Ends with the manifest to use, or None when the user goes back."""

    SIZE = "wide"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "pick", "Pick", show=False)]

    def __init__(self, title: str, offer: AdoptOffer) -> None:
        super().__init__(title, _KEYS)
        self._offer = offer
        self._picked = set(offer.picked)
        self._adopted: Adopted | None = None
        self._trouble = ""

    def body(self) -> ComposeResult:
        if since := since_text(self._offer):
            yield Static(plain(since, "$text-warning"), id="since")
        nothing = Content("the manifest declares everything that the run showed")
        yield Rows(id="answers", empty=nothing)
        yield Static(id="state")
        yield ViewLines(id="adopt-diff")

    def on_mount(self) -> None:
        self.query_one(Rows).focus()
        self._show_picked()

    def action_pick(self) -> None:
        rows, found = self.query_one(Rows), self._offer.findings
        if rows.has_focus and rows.cursor < len(found) and found[rows.cursor].edits:
            self._picked ^= {found[rows.cursor].id}
            self._show_picked()

    def _show_picked(self) -> None:
        self.query_one(Rows).show([self._line(finding) for finding in self._offer.findings])
        self._adopted, self._trouble = None, ""
        self._show_details()
        if self._picked:
            self.run_worker(self._make(), group="adopt", exclusive=True)

    def _line(self, each: AdoptFinding) -> Content:
        mark = " - " if not each.edits else "[x]" if each.id in self._picked else "[ ]"
        style = "$text-success" if each.id in self._picked else "dim"
        return joined(Content.styled(f"{mark} ", style), plain(each.sentence))

    async def _make(self) -> None:
        try:
            self._adopted = await asyncio.to_thread(adopted, self._offer, frozenset(self._picked))
        except AdoptRefused as error:
            self._trouble = str(error)
        self._show_details()

    def _show_details(self) -> None:
        found = self._offer.findings
        here = self.query_one(Rows).cursor
        making = "" if self._adopted is not None or not self._picked else ": making the diff…"
        state = plain(f"{len(self._picked)} of {len(found)} picked{making}")
        if self._trouble:
            state = plain(f"not possible: {self._trouble}", "$text-error")
        self.query_one("#state", Static).update(state)
        view = self.query_one(ViewLines)
        lines: list[Line] = []
        if here < len(found):
            about = finding_lines(found[here], self._offer.since)
            lines += set_lines(about, max(view.size.width - 1, 20))
        if self._adopted is not None:
            lines += [(), *diff_lines(self._adopted)]
        view.show(LazyView("", "diff", lines))

    def on_resize(self) -> None:
        # Once the parts have their new sizes.
        self.call_after_refresh(self._show_details)

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if self._adopted is not None and not event.clicked:
            self.dismiss(self._adopted)

    def action_back(self) -> None:
        if self.query_one(ViewLines).has_focus:
            self.query_one(Rows).focus()
        else:
            self.dismiss(None)
