"""The form over a buffer: its rows, what is said below them, and how a change gets into the text.

Rows are drawn line by line and one entry widget at a time lies over the row that is changed, so
a manifest with hundreds of fields costs what is in sight. Analyses are told to the form whenever
the text changed; an entry that is open keeps what was typed in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from skillstudio.session.buffer import Buffer
from skillstudio.session.form.fields import FormField
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.edit import EditRefused
from skillstudio.text.node import Document
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.form import lines
from skillstudio.tui.widgets.form.entries import Entry, FormBoxEntry, Picker
from skillstudio.tui.widgets.form.rows import FieldRows
from skillstudio.tui.widgets.form.sheet import FormRow, Key, Sheet
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis

Purpose = Literal["value", "item", "name", "rename"]
_BOX_LINES = 6
_MOST_CHOICES = 9
_PURPOSES = {"item": "new item: ", "name": "name of the new key: ", "rename": "new name: "}


class Task(NamedTuple):
    """What an entry is open for: the field, and what its text was at the time."""

    purpose: Purpose
    key: Key
    field: FormField
    typed: str
    back: Key
    """The row that the cursor was on before."""


class FormFrame(Vertical):
    """Fields, an entry over one of them, and what is to be said of it."""

    DEFAULT_CSS = """
    FormFrame { layers: below above; height: 1fr; min-width: 24; }
    FormFrame > FieldRows { height: 1fr; min-height: 3; layer: below; }
    FormFrame > #form-about { height: auto; max-height: 5; background: $panel; layer: below; }
    FormFrame > .entry {
        layer: above;
        position: absolute;
        background: $surface;
        padding: 0;
        border: none;
    }
    FormFrame > FormLineEntry { height: 1; background: $boost; }
    FormFrame > .entry:focus { border: none; }
    """

    class FieldSelected(Message):
        """The cursor is on another field."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, FormFrame.FieldSelected)

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._buffer: Buffer | None = None
        self._analyse: Callable[[], Analysis | None] = lambda: None
        self._file = ""
        self._sheet = Sheet()
        self._doing: Task | None = None
        self._entry: Entry | None = None
        self._notice = ""
        self._landed: tuple[Key, int] | None = None
        self._analysis: Analysis | None = None

    def compose(self) -> ComposeResult:
        yield FieldRows(empty=Content("no manifest can be read here: edit the text"))
        yield Static(id="form-about", markup=False)

    # What the screen calls.

    def load(self, buffer: Buffer, file: str, analyse: Callable[[], Analysis | None]) -> None:
        """Show the manifests of a file of a skill.

        `analyse` gives the analysis of the text as it is at the time of the call; None where
        there is none.
        """
        if buffer is not self._buffer or file != self._file:
            self._close()
            self._sheet.forget()
            self._notice = ""
        self._buffer, self._file, self._analyse = buffer, file, analyse
        self._again(self._here_key())

    def refresh_from(self, analysis: Analysis | None) -> None:
        """Show the fields as an analysis has them; an open entry stays as it is typed."""
        if analysis is not None and analysis is not self._analysis:
            self._show(analysis, self._doing.key if self._doing else self._here_key())

    @property
    def here(self) -> Diagnostic | None:
        """The worst that is said of the selected field."""
        row = self._row()
        return lines.worst_first(row.found)[0] if row and row.found else None

    @property
    def offset_here(self) -> int:
        """Where in the text the selected field stands, or what is around it.

        After `go_to` it is where the diagnostic stands, so that the next one can be found.
        """
        row = self._row()
        if row is None:
            return 0
        if self._landed is not None and self._landed[0] == row.key:
            return self._landed[1]
        document = self._sheet.sections[row.section].document
        pointer = row.field.pointer
        while pointer and document.at(pointer) is None:
            pointer = pointer.rpartition("/")[0]
        node = document.at(pointer)
        return node.start if node is not None and pointer else document.span.start

    def focus(self, scroll_visible: bool = True) -> FormFrame:
        """Focus the entry that is open, else the fields."""
        if self.is_mounted:
            self.to_focus.focus(scroll_visible)
        return self

    @property
    def to_focus(self) -> Widget:
        """What takes the focus for the form: the entry that is open, else the fields."""
        return self._entry or self._rows

    # Drawing.

    @property
    def _rows(self) -> FieldRows:
        return self.query_one(FieldRows)

    def _row(self) -> FormRow | None:
        at = self._rows.cursor if self.is_mounted else 0
        return self._sheet.rows[at] if at < len(self._sheet.rows) else None

    def _here_key(self) -> Key | None:
        row = self._row()
        return row.key if row else None

    def _again(self, key: Key | None) -> None:
        """Draw the form anew from the text as it is, the cursor on a field."""
        analysis = self._analyse()
        if analysis is not None:
            self._show(analysis, key)

    def _show(self, analysis: Analysis, key: Key | None) -> None:
        self._analysis = analysis
        if self.is_mounted:
            self._sheet.show(
                [each for each in analysis.manifests if each.path == self._file],
                [each for each in analysis.diagnostics if each.path == self._file],
            )
            self._draw(key)

    def _draw(self, key: Key | None) -> None:
        rows = self._rows
        labels = lines.label_width(self._sheet.rows, max(rows.size.width, 40))
        at = self._sheet.index(key) if key else None
        while key and at is None and key[1]:
            key = (key[0], key[1].rpartition("/")[0])
            at = self._sheet.index(key)
        rows.show([lines.line(row, labels) for row in self._sheet.rows], at)
        self._tell()
        self._place()

    def _tell(self, notice: str | None = None) -> None:
        """Say below what the field is for, what is wrong with it, and which keys do what."""
        if notice is not None:
            self._notice = notice
        row = self._row()
        parts: list[Content] = []
        if row is not None:
            parts = [lines.about(row)]
            if row.found:
                parts.append(lines.problems(row))
            parts.append(self._hint(row))
        if self._notice:
            parts.insert(0, plain(f"! {self._notice}", "$text-warning"))
        self.query_one("#form-about", Static).update(Content("\n").join(parts))

    def _hint(self, row: FormRow) -> Content:
        if self._entry is None:
            return lines.keys(row, self._around(row))
        if isinstance(self._entry, Picker):
            text = "enter takes it · esc leaves it as it was"
        elif isinstance(self._entry, FormBoxEntry):
            text = "tab keeps it · esc leaves it as it was"
        else:
            text = "enter keeps it · tab keeps it and goes on · esc leaves it as it was"
        purpose = _PURPOSES.get(self._doing.purpose, "") if self._doing else ""
        return Content.styled(purpose + text, "dim")

    def _place(self) -> None:
        """Lay the entry over the row that it is for."""
        entry, rows = self._entry, self._rows
        if entry is None:
            return
        labels = lines.label_width(self._sheet.rows, max(rows.size.width, 40))
        y, height = rows.row_at_cursor(), 1
        if isinstance(entry, Picker):
            height = min(len(entry.lines) or 1, _MOST_CHOICES, max(rows.size.height, 1))
            y = y + 1 if y + 1 + height <= rows.size.height else max(y - height, 0)
        elif isinstance(entry, FormBoxEntry):
            height = min(_BOX_LINES, max(rows.size.height, 1))
            y = min(y, rows.size.height - height)
        entry.styles.height = height
        entry.styles.width = max(rows.size.width - labels, 12)
        entry.styles.offset = (labels, max(min(y, rows.size.height - 1), 0))

    def on_field_rows_scrolled(self, event: FieldRows.Scrolled) -> None:
        event.stop()
        self._place()

    def on_resize(self, _event: events.Resize) -> None:
        if self._sheet.rows:
            self._draw(self._doing.key if self._doing else self._here_key())

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._landed = None
        self._tell("")
        self.post_message(self.FieldSelected())

    def _above(self, row: FormRow) -> FormRow | None:
        at = self._sheet.index((row.section, row.field.pointer.rpartition("/")[0]))
        return self._sheet.rows[at] if at is not None and row.field.pointer else None

    def _around(self, row: FormRow) -> FormField | None:
        """The list or map that a field is in."""
        above = self._above(row)
        return above.field if above and above.field.item is not None else None

    def _close(self) -> None:
        entry, self._entry, self._doing = self._entry, None, None
        if entry is not None:
            focused = entry.has_focus
            entry.remove()
            if focused:
                self._rows.focus()
            self._tell()

    # The text.

    def _locked(self) -> str:
        buffer = self._buffer
        return "no file is open" if buffer is None else buffer.read_only

    def _document(self, row: FormRow) -> Document:
        return self._sheet.sections[row.section].document

    def _fresh(self) -> bool:
        """Whether the fields are those of the text as it is."""
        text = self._buffer.text if self._buffer else ""
        return all(each.document.source.text == text for each in self._sheet.sections)

    def _do(
        self, row: FormRow, label: str, change: Callable[[], list[Splice]], then: Key | None = None
    ) -> bool:
        """Change the text by one step of undo, or say why not. Whether it was done."""
        buffer = self._buffer
        reason = self._locked()
        if buffer is None or reason:
            self._tell(reason)
            return False
        if not self._fresh():
            self._tell("the text could not be read again: change it in the editor")
            return False
        try:
            splices = change()
        except EditRefused as refused:
            self._tell(f"not changed: {refused.reason}")
            return False
        self._tell("")
        buffer.replace(splices, safe_text(label), origin=self)
        self._again(then or row.key)
        return True
