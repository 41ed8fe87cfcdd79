"""Show how each target sees the open skill, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from skillstudio.manifest.targets import judging
from skillstudio.present.targets import AnswerRow, answer_rows, selected_text
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.visibility import Visibility
from skillstudio.text.source import Span
from skillstudio.tui.screens.dialogs import ListDialog
from skillstudio.tui.widgets.lines import line_content
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, paragraphs, plain

_NONE = "no targets are selected: none is required, and every one is shown"


class ChosenTarget(NamedTuple):
    """A target to add to the settings, or a place in SKILL.md to go to."""

    target: str
    add: bool = False
    span: Span | None = None


class TargetsScreen(ListDialog[ChosenTarget | None]):
    """Ends with what the user chose, or None when the user goes back."""

    SIZE = "wide"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "add", "Add to the targets")]

    def __init__(self, analysis: Analysis, look: Callable[[], Visibility]) -> None:
        """`look` runs in a thread; it reads the skills beside this one."""
        super().__init__("Targets", "enter go to the place · a add to the targets · esc back")
        self._analysis = analysis
        self._look = look
        self._rows: list[AnswerRow] = []

    def body(self) -> ComposeResult:
        yield Static(id="state")
        yield Rows(id="answers", empty=Content(""))
        yield Static(id="whole")

    def on_mount(self) -> None:
        self.query_one("#state", Static).update(Content("reading the skills beside this one …"))
        self.query_one(Rows).focus()
        self.run_worker(self._read(), group="targets", exclusive=True)

    async def _read(self) -> None:
        try:
            seen = await asyncio.to_thread(self._look)
        except OSError as error:
            self.query_one("#state", Static).update(plain(f"cannot be read: {error}"))
            return
        settings = self._analysis.skill.settings
        found = list(answer_rows(self._analysis.skill, seen))
        # The selected targets come first.
        self._rows = sorted(found, key=lambda row: row.answer.target not in settings.targets)
        state = [plain(f"clients see it as {seen.where}"), plain(selected_text(settings) or _NONE)]
        self.query_one("#state", Static).update(Content("\n").join(state))
        lines = [self._line(row, settings.targets) for row in self._rows]
        self.query_one(Rows).show(lines, 0)
        self._show_details()

    def _line(self, row: AnswerRow, selected: tuple[str, ...]) -> Content:
        if row.line.indent:
            return joined("    ", line_content(row.line))
        mark = "● " if row.answer.target in selected else "  "
        return joined(mark, line_content(row.line))

    @property
    def _here(self) -> AnswerRow | None:
        at = self.query_one(Rows).cursor
        return self._rows[at] if at < len(self._rows) else None

    def _show_details(self) -> None:
        row = self._here
        text = "" if row is None else " ".join(filter(None, (row.line.text, row.line.remark)))
        self.query_one("#whole", Static).update(paragraphs(text))

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        row = self._here
        if row is None:
            return
        reasons = [row.reason] if row.reason is not None else row.answer.reasons
        span = next((each.span for each in reasons if each and each.span is not None), None)
        if span is not None:
            self.dismiss(ChosenTarget(row.answer.target, span=span))
        else:
            self.notify("this has no place in SKILL.md", markup=False)

    def action_add(self) -> None:
        """Add the target of the row to those in `skillstudio.toml`."""
        row, settings = self._here, self._analysis.skill.settings
        if row is None:
            return
        target = row.answer.target
        if target not in judging():
            self.notify(f"how {row.answer.title} reads SKILL.md is not recorded", markup=False)
        elif target in settings.targets:
            self.notify(f"{target} is selected already", markup=False)
        else:
            self.dismiss(ChosenTarget(target, add=True))
