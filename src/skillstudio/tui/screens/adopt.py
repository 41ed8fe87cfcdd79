"""Select what a run showed and the manifest does not declare, with a diff of the manifest."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from skillstudio.dryrun.adopting.choice import AdoptedManifest
from skillstudio.dryrun.adopting.finding import AdoptFinding
from skillstudio.dryrun.adopting.findings import AdoptRefused
from skillstudio.preview.spans import Line
from skillstudio.preview.view import LazyView
from skillstudio.session.previewing.adopt import (
    AdoptOffer,
    adopt_findings,
    diff_lines,
    finding_lines,
    since_text,
)
from skillstudio.session.previewing.files import set_lines
from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, plain

_KEYS = KeyHint("space", "pick"), KeyHint("enter", "adopt (unsaved)"), KeyHint("tab", "diff")


class AdoptScreen(Dialog[AdoptedManifest | None]):
    """Ends with the manifest to use, or None when the user goes back."""

    SIZE = "wide"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "pick", "Pick", show=False)]

    def __init__(self, title: str, offer: AdoptOffer) -> None:
        super().__init__(title, _KEYS)
        self._offer = offer
        self._picked_ids = set(offer.default_ids)
        self._adoption: AdoptedManifest | None = None
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
        rows, findings = self.query_one(Rows), self._offer.findings
        if rows.has_focus and rows.cursor < len(findings) and findings[rows.cursor].edits:
            self._picked_ids ^= {findings[rows.cursor].id}
            self._show_picked()

    def _show_picked(self) -> None:
        self.query_one(Rows).show([self._line(finding) for finding in self._offer.findings])
        self._adoption, self._trouble = None, ""
        self._show_details()
        if self._picked_ids:
            self.run_worker(self._make(), group="adopt", exclusive=True)

    def _line(self, finding: AdoptFinding) -> Content:
        mark = " - " if not finding.edits else "[x]" if finding.id in self._picked_ids else "[ ]"
        style = "$text-success" if finding.id in self._picked_ids else "dim"
        return join(Content.styled(f"{mark} ", style), plain(finding.sentence))

    async def _make(self) -> None:
        try:
            self._adoption = await asyncio.to_thread(
                adopt_findings, self._offer, frozenset(self._picked_ids)
            )
        except AdoptRefused as error:
            self._trouble = str(error)
        self._show_details()

    def _show_details(self) -> None:
        findings = self._offer.findings
        here = self.query_one(Rows).cursor
        progress = (
            "" if self._adoption is not None or not self._picked_ids else ": making the diff…"
        )
        state = plain(f"{len(self._picked_ids)} of {len(findings)} picked{progress}")
        if self._trouble:
            state = plain(f"not possible: {self._trouble}", "$text-error")
        self.query_one("#state", Static).update(state)
        view = self.query_one(ViewLines)
        lines: list[Line] = []
        if here < len(findings):
            about = finding_lines(findings[here], self._offer.since)
            lines += set_lines(about, max(view.size.width - 1, 20))
        if self._adoption is not None:
            lines += [(), *diff_lines(self._adoption)]
        view.show(LazyView("", "diff", lines))

    def on_resize(self) -> None:
        # Once the parts have their new sizes.
        self.call_after_refresh(self._show_details)

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if self._adoption is not None and not event.was_clicked:
            self.dismiss(self._adoption)

    def action_back(self) -> None:
        if self.query_one(ViewLines).has_focus:
            self.query_one(Rows).focus()
        else:
            self.dismiss(None)
