"""What can be done in the form: change, switch, add, remove, rename, move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from skillstudio.session.buffer import Buffer
from skillstudio.session.form import filling
from skillstudio.session.form.fields import FormField
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.edit import EditRefused
from skillstudio.text.node import Document, escape, to_value
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.fields.entries import (
    BoxEntry,
    EntryBlurred,
    EntryEdited,
    EntryLeft,
    Keys,
    MenuEntry,
    TextEntry,
    text_entry,
)
from skillstudio.tui.widgets.form import lines
from skillstudio.tui.widgets.form.rows import FieldRows
from skillstudio.tui.widgets.form.sheet import FormRow, Key, Sheet
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis


_BOX_LINES = 6
_MOST_CHOICES = 9
_PURPOSES = {"item": "new item: ", "name": "name of the new key: ", "rename": "new name: "}


_TEXT_KEYS: Keys = {"tab": "next", "shift+tab": "previous", "escape": "cancel"}
_MENU_KEYS: Keys = dict.fromkeys(("escape", "h", "left", "tab", "shift+tab"), "cancel")
_LINE_HELP = "Enter keeps what you type and tab goes on to the next field; esc leaves it as it was."
_BOX_HELP = "Tab keeps what you type and goes on to the next field; esc leaves it as it was."
Entry = TextEntry | MenuEntry


class Task(NamedTuple):
    """The purpose of an open entry: the field, and its text when the entry opened."""

    purpose: filling.Purpose
    key: Key
    field: FormField
    typed: str
    back: Key
    """The row that the cursor was on before."""


class FormView(Vertical):
    """The manifest as fields."""

    DEFAULT_CSS = """
    FormView { layers: below above; height: 1fr; min-width: 24; }
    FormView > FieldRows { height: 1fr; min-height: 3; layer: below; }
    FormView > #form-about { height: auto; max-height: 5; background: $panel; layer: below; }
    FormView > .entry {
        layer: above;
        position: absolute;
        background: $surface;
        padding: 0;
        border: none;
    }
    FormView > LineEntry { height: 1; background: $boost; }
    FormView > .entry:focus { border: none; }
    """

    class FieldSelected(Message):
        """The cursor is on another field."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, FormView.FieldSelected)

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

    def focus(self, scroll_visible: bool = True) -> FormView:
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
        """Show below the fields the description, the problems and the keys of the selected one."""
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
        if isinstance(self._entry, MenuEntry):
            text = "enter takes it · esc leaves it as it was"
        elif isinstance(self._entry, BoxEntry):
            text = "tab keeps it · esc leaves it as it was"
        else:
            text = "enter keeps it · tab keeps it and goes on · esc leaves it as it was"
        purpose = _PURPOSES.get(self._doing.purpose, "") if self._doing else ""
        return Content.styled(purpose + text, "dim")

    def _place(self) -> None:
        """Place the entry over its row."""
        entry, rows = self._entry, self._rows
        if entry is None:
            return
        labels = lines.label_width(self._sheet.rows, max(rows.size.width, 40))
        y, height = rows.row_at_cursor(), 1
        if isinstance(entry, MenuEntry):
            height = min(len(entry.lines) or 1, _MOST_CHOICES, max(rows.size.height, 1))
            y = y + 1 if y + 1 + height <= rows.size.height else max(y - height, 0)
        elif isinstance(entry, BoxEntry):
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

    # What the screen calls.

    def settle(self) -> bool:
        """Store what is typed in the open entry. Whether no entry is open now."""
        if self._entry is not None and not isinstance(self._entry, MenuEntry):
            self.keep_entry()
        else:
            self._close()
        return self._entry is None

    def go_to(self, diagnostic: Diagnostic) -> bool:
        """Put the cursor on the field that a diagnostic is about. Whether there is one."""
        self._again(self._here_key())
        key = self._sheet.place_of(diagnostic)
        if not self._go(key):
            return False
        if key is not None and diagnostic.span is not None:
            self._landed = (key, diagnostic.span.start)
        return True

    def go_to_offset(self, offset: int) -> bool:
        """Select the field at an offset of the text. Whether there is one."""
        self._again(self._here_key())
        return self._go(self._sheet.at_offset(offset))

    def _go(self, key: Key | None) -> bool:
        if key is None or not self.settle():
            return False
        self._sheet.reveal(key)
        self._again(key)
        return True

    # Requests.

    async def on_field_rows_wished(self, event: FieldRows.Wished) -> None:
        event.stop()
        row = self._row()
        if row is None or not self.settle():
            return
        if not self._fresh():
            self._again(row.key)
            row = self._row()
            if row is None:
                return
        self._tell("")
        wish, field = event.wish, row.field
        if wish in ("open", "close"):
            self._fold(row, wish == "open")
        elif field.is_container and wish in ("change", "switch"):
            self._fold(row, not row.open)
        elif wish in ("change", "switch"):
            await self._change(row)
        elif wish == "add":
            await self._add(row)
        elif wish == "remove":
            self._remove(row)
        elif wish == "rename":
            await self._rename(row)
        else:
            self._move(row, -1 if wish == "up" else 1)

    def _fold(self, row: FormRow, open_: bool) -> None:
        key = row.key
        if not open_ and not row.open:
            key = (row.section, row.field.pointer.rpartition("/")[0])
            if self._sheet.index(key) is None:
                return
        elif row.field.is_container:
            self._sheet.set_open(key, open_)
        self._again(key)

    async def _change(self, row: FormRow) -> None:
        field = row.field
        reason = self._locked() or filling.locked(field)
        if reason:
            self._tell(reason)
        elif field.kind == "switch":
            self._switch(row)
        elif field.kind == "choice":
            await self._pick(row.key, field, "value")
        else:
            await self._type(row.key, field, "value")

    def _switch(self, row: FormRow) -> None:
        """Switch from not set to yes to no; a required field is always set."""
        field = row.field
        if field.present and field.value is False and field.place == "key" and not field.required:
            self._do(row, f"Remove {field.label}", lambda: self._cleared(row))
        else:
            value = not (field.present and field.value is True)
            self._do(row, f"Change {field.label}", lambda: self._put(row, value))

    async def _add(self, row: FormRow) -> None:
        target = row if row.field.item is not None else self._above(row)
        if reason := self._locked():
            self._tell(reason)
        elif target is None or target.field.item is None:
            self._tell("only lists and maps can be added to")
        elif target.field.kind == "map":
            await self._type(target.key, target.field, "name")
        elif target.field.item.kind == "choice":
            await self._pick(target.key, target.field, "item")
        elif target.field.item.is_container or target.field.item.kind in ("switch", "raw"):
            if self._add_item(target, target.field.item.template):
                await self._begin()
        else:
            await self._type(target.key, target.field, "item")

    def _add_item(self, row: FormRow, value: Any) -> bool:
        field = row.field
        self._sheet.set_open(row.key, True)
        new = (row.section, filling.below(field, field.size))
        if field.item is not None and field.item.is_container:
            self._sheet.set_open(new, True)
        return self._do(
            row, f"Add to {field.label}",
            lambda: filling.add_item(self._document(row), field, value), new,
        )  # fmt: skip

    def _add_entry(self, row: FormRow, name: str) -> bool:
        field = row.field
        self._sheet.set_open(row.key, True)
        new = (row.section, filling.below(field, name.strip()))
        if field.item is not None and field.item.is_container:
            self._sheet.set_open(new, True)
        template = field.item.template if field.item else ""
        return self._do(
            row, f"Add {name} to {field.label}",
            lambda: filling.add_entry(self._document(row), field, name, template), new,
        )  # fmt: skip

    def _remove(self, row: FormRow) -> None:
        above = self._above(row)
        if self._do(row, f"Remove {row.field.label}", lambda: self._cleared(row)) and above:
            self._sheet.forget_below(above.key)
            self._again(row.key if self._sheet.index(row.key) is not None else above.key)

    async def _rename(self, row: FormRow) -> None:
        if reason := self._locked():
            self._tell(reason)
        elif row.field.place != "entry":
            self._tell("only keys of a map have names of their own")
        else:
            await self._type(row.key, row.field, "rename")

    def _move(self, row: FormRow, by: int) -> None:
        above = self._above(row)
        if above is None or row.field.place != "item":
            self._tell("only items of a list have an order")
            return
        new = (row.section, filling.below(above.field, int(row.field.label) - 1 + by))
        way = "up" if by < 0 else "down"
        label = f"Move item {row.field.label} of {above.field.label} {way}"
        moved = self._do(
            row, label, lambda: filling.move_item(self._document(row), row.field, by), new
        )
        if moved:
            self._sheet.forget_below(above.key)
            self._again(new)

    # Entries.

    async def _type(self, key: Key, field: FormField, purpose: filling.Purpose) -> None:
        shown = filling.entry(field, purpose)
        if safe_text(shown.text, keep_newlines=True) != shown.text:
            self._tell("it holds characters that cannot be seen: edit it in the text")
            return
        entry = text_entry(shown, shown.text, _TEXT_KEYS)
        entry.help_text = _BOX_HELP if shown.kind == "box" else _LINE_HELP
        await self._open(Task(purpose, key, field, shown.text, key), entry)

    async def _pick(self, key: Key, field: FormField, purpose: filling.Purpose) -> None:
        taken = ()
        if purpose == "item":
            taken = to_value(self._sheet.sections[key[0]].document.at(field.pointer)) or ()
        shown = filling.entry(field, purpose, taken)
        if shown.choices:
            await self._open(Task(purpose, key, field, "", key), MenuEntry(shown, _MENU_KEYS))
        else:
            self._tell("everything that can be in this list is in it")

    async def _open(self, task: Task, entry: Entry) -> None:
        """Lay an entry over the row of its task, where the cursor goes while it is open."""
        self._doing = task._replace(back=self._here_key() or task.key)
        self._entry = entry
        self._draw(task.key)
        entry.add_class("entry")
        entry.styles.width, entry.styles.height = 12, 1
        await self.mount(entry)
        self._place()
        entry.focus()
        self._tell()

    async def on_entry_left(self, event: EntryLeft) -> None:
        event.stop()
        if event.how == "cancel":
            self._give_up()
            return
        if isinstance(self._entry, MenuEntry):
            self._picked(self._entry.given)
            return
        purpose = self._doing.purpose if self._doing else "value"
        if not self.keep_entry():
            return
        if purpose == "name":
            await self._begin()
        elif event.how != "enter" and purpose == "value":
            await self._go_on(1 if event.how == "next" else -1)

    def on_entry_edited(self, event: EntryEdited) -> None:
        event.stop()

    def _give_up(self) -> None:
        """Close the entry, and be where the user was before it."""
        back = self._doing.back if self._doing else self._here_key()
        self._close()
        self._again(back)

    def on_entry_blurred(self, event: EntryBlurred) -> None:
        """Store what was typed when another widget, not another window, takes the focus."""
        event.stop()
        if event.entry is self._entry and not event.entry.has_focus and self.app.app_focus:
            self.settle()

    def _picked(self, choice: Any) -> None:
        task = self._doing
        row = self._task_row()
        self._close()
        if task is None or row is None:
            self._tell("this field is gone")
        elif task.purpose == "item":
            self._add_item(row, choice)
        elif choice is filling.NOT_SET:
            self._do(row, f"Remove {task.field.label}", lambda: self._cleared(row))
        else:
            self._do(row, f"Change {task.field.label}", lambda: self._put(row, choice))

    async def _begin(self) -> None:
        """Open the entry of the selected new field, or of the first field in it."""
        row = self._row()
        if row is not None and row.field.is_container:
            await self._go_on(1, within=row.field)
        elif row is not None and row.field.kind != "switch":
            await self._change(row)

    async def _go_on(self, step: int, within: FormField | None = None) -> None:
        """Open the next field that can be typed in or chosen; at the ends stay."""
        at = self._rows.cursor + step
        while 0 <= at < len(self._sheet.rows):
            field = self._sheet.rows[at].field
            if within is not None and field.depth <= within.depth:
                return
            if not field.is_container and not filling.locked(field):
                self._rows.cursor = at
                if field.kind != "switch":
                    await self._change(self._sheet.rows[at])
                return
            at += step

    def _task_row(self) -> FormRow | None:
        at = self._sheet.index(self._doing.key) if self._doing else None
        return self._sheet.rows[at] if at is not None else None

    def keep_entry(self) -> bool:
        """Write what was typed into the text. Whether the entry is closed."""
        task, entry = self._doing, self._entry
        if task is None or entry is None or isinstance(entry, MenuEntry):
            self._close()
            return True
        text = entry.text
        if text == task.typed:
            self._give_up()
            return True
        self._again(task.key)
        row = self._task_row()
        if row is None:
            self._tell("this field is gone from the text: esc lets go of what you typed")
            return False
        if task.purpose == "value" and filling.typed(row.field) != task.typed:
            self._doing = task._replace(typed=filling.typed(row.field))
            self._tell("the text has another value by now: enter puts yours in its place")
            return False
        return self._kept(task, row, text)

    def _kept(self, task: Task, row: FormRow, text: str) -> bool:
        field = row.field
        if task.purpose == "name":
            done = self._add_entry(row, text)
        elif task.purpose == "rename":
            parent = field.pointer.rpartition("/")[0]
            new = (row.section, f"{parent}/{escape(text.strip())}")
            done = self._do(
                row, f"Rename {field.label}",
                lambda: filling.rename_entry(self._document(row), field, text), new,
            )  # fmt: skip
        elif task.purpose == "item" and field.item is not None:
            try:
                value = filling.read(field.item, text)
            except EditRefused as refused:
                self._tell(refused.reason)
                return False
            done = self._add_item(row, value)
        else:
            done = self._do(
                row, f"Change {field.label}",
                lambda: filling.fill(self._document(row), field, text),
            )  # fmt: skip
        if done:
            self._close()
        return done

    def _put(self, row: FormRow, value: Any) -> list[Splice]:
        return filling.put(self._document(row), row.field, value)

    def _cleared(self, row: FormRow) -> list[Splice]:
        return filling.clear(self._document(row), row.field)
