"""The manifest as a form: change, switch, add, remove, rename and move fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.buffer import Buffer
from skillstudio.session.form import filling
from skillstudio.session.form.fields import FormField
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.edit import EditRefused
from skillstudio.text.node import escape, to_value
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.fields.drawing import choice_at
from skillstudio.tui.widgets.fields.entries import (
    BoxEntry,
    ChoiceEntry,
    Entry,
    EntryBlurred,
    EntryLeft,
    Keys,
    TextEntry,
    make_entry,
)
from skillstudio.tui.widgets.form import lines
from skillstudio.tui.widgets.form.sheet import FormRow, Key, Sheet
from skillstudio.tui.widgets.latest import LatestMessage
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis


_BOX_LINES = 6
_MOST_CHOICES = 9
_PURPOSES = {"item": "a new item", "name": "the name of the new key", "rename": "the new name"}
_TEXT_KEYS: Keys = {"tab": "next", "shift+tab": "previous", "escape": "cancel"}
_MENU_KEYS: Keys = dict.fromkeys(("escape", "h", "left", "tab", "shift+tab"), "cancel")


RowAction = Literal["change", "open", "close", "add", "remove", "rename", "up", "down", "click"]


class FieldRows(Rows):
    """One line for each visible field."""

    HELP = """The fields of the manifest in the order of its schema; * marks required fields. Every
change is one step of undo in the text, the rest of which stays as it is. Enter changes a field
or opens and closes a group; space or a click switches between yes and no. a adds to a list or map,
d, delete, backspace or an empty text removes a field, r renames a key, J and K move an item; right
and left open and close; tab and shift+tab go from field to field while you type."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "request('change')", "Change", show=False),
        Binding("right,l", "request('open')", "Open", show=False),
        Binding("left,h", "request('close')", "Close", show=False),
        Binding("a,insert", "request('add')", "Add", show=False),
        Binding("d,delete,backspace", "request('remove')", "Remove", show=False),
        Binding("r", "request('rename')", "Rename", show=False),
        Binding("K,shift+up", "request('up')", "Move up", show=False),
        Binding("J,shift+down", "request('down')", "Move down", show=False),
    ]

    @dataclass
    class ChangeRequested(Message):
        """The user asked for a change of the selected field."""

        request: RowAction
        choice: int | None = None  # The clicked choice, see `choice_at`.

    class Scrolled(LatestMessage):
        """Rows moved on the screen."""

    _choice: int | None = None

    def on_click(self, event: events.Click) -> None:
        self._choice = choice_at(event.style)  # Before the class above posts `RowActivated`.

    def action_request(self, request: RowAction) -> None:
        if self.lines:
            self.post_message(self.ChangeRequested(request))

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.post_message(self.ChangeRequested("click", self._choice))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())

    def on_resize(self) -> None:
        super().on_resize()
        self.post_message(self.Scrolled())


class Task(NamedTuple):
    """An open entry, and the field's text when it opened."""

    purpose: filling.Purpose
    key: Key
    entry: Entry
    initial_text: str
    back: Key  # The row to select when the entry is cancelled.


class FormView(Vertical):
    """The manifest as fields."""

    HELP = """Enter keeps the text or chooses the selected line, tab keeps the text and goes to the
next field, esc discards it."""
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

    class FieldSelected(LatestMessage):
        """Another field is selected."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._buffer: Buffer | None = None
        self._analyse: Callable[[], Analysis | None] = lambda: None
        self._file = ""
        self._sheet = Sheet()
        self._edit_task: Task | None = None
        self._notice = ""
        self._arrival: tuple[Key, int] | None = None
        self._analysis: Analysis | None = None
        self._blank = range(0)
        """The lines of the list below an open box, in which no field is."""
        self._keeps_blank = False
        """Whether they stay: a pressed mouse button must find the rows where they were."""

    def compose(self) -> ComposeResult:
        yield FieldRows(empty=Content("no manifest can be read here: edit the text"))
        yield Static(id="form-about", markup=False)

    def load(self, buffer: Buffer, file: str, analyse: Callable[[], Analysis | None]) -> None:
        """Show the manifests in a file of a skill; `analyse` analyses its current text."""
        if buffer is not self._buffer or file != self._file:
            self._close()
            self._sheet.forget()
            self._notice = ""
        self._buffer, self._file, self._analyse = buffer, file, analyse
        self._again(self._here_key())

    def refresh_from(self, analysis: Analysis | None) -> None:
        """Show the fields of an analysis; an open entry keeps its text."""
        if analysis is not None and analysis is not self._analysis:
            self._show(analysis, self._edit_task.key if self._edit_task else self._here_key())

    @property
    def here(self) -> Diagnostic | None:
        """The worst diagnostic of the selected field."""
        row = self._row()
        return row.diagnostics[0] if row and row.diagnostics else None

    @property
    def offset_here(self) -> int:
        """The offset of the selected field, or of its nearest parent in the text.

        After `go_to` it is that of the diagnostic, from which the next one is found.
        """
        row = self._row()
        if row is None:
            return 0
        if self._arrival is not None and self._arrival[0] == row.key:
            return self._arrival[1]
        document = self._sheet.sections[row.section].document
        pointer = row.field.pointer
        while pointer and document.at(pointer) is None:
            pointer = pointer.rpartition("/")[0]
        node = document.at(pointer)
        return node.start if node is not None and pointer else document.span.start

    @property
    def to_focus(self) -> Widget:
        """The widget to focus: the open entry, else the fields."""
        return self._edit_task.entry if self._edit_task else self._rows

    @property
    def hints(self) -> Iterator[KeyHint]:
        """The keys of the open entry, else of the selected field."""
        task, row = self._edit_task, self._row()
        if task is None:
            if row is not None and self._rows.has_focus:
                above = self._above(row)
                yield from lines.keys(row, above is not None and above.field.item is not None)
        elif isinstance(task.entry, ChoiceEntry):
            yield KeyHint("enter", "select")
            yield KeyHint("esc", "cancel")
        else:
            if not isinstance(task.entry, BoxEntry):
                yield KeyHint("enter", "keep")
            yield KeyHint("tab", "keep, next field")
            yield KeyHint("esc", "discard")

    @property
    def _rows(self) -> FieldRows:
        return self.query_one(FieldRows)

    def _row(self) -> FormRow | None:
        if not self.is_mounted:
            return None
        at = self._rows.cursor
        at -= len(self._blank) if at >= self._blank.start else 0
        return self._sheet.rows[at] if at < len(self._sheet.rows) else None

    def _here_key(self) -> Key | None:
        row = self._row()
        return row.key if row else None

    def _again(self, key: Key | None) -> None:
        """Redraw the form from the current text, with a field selected."""
        analysis = self._analyse()
        if analysis is not None:
            self._show(analysis, key)

    def _show(self, analysis: Analysis, key: Key | None) -> None:
        self._analysis = analysis
        if self.is_mounted:
            self._sheet.show(
                [manifest for manifest in analysis.manifests if manifest.path == self._file],
                [
                    diagnostic
                    for diagnostic in analysis.diagnostics
                    if diagnostic.path == self._file
                ],
            )
            self._draw(key)

    def _draw(self, key: Key | None) -> None:
        rows = self._rows
        labels = lines.label_width(self._sheet.rows, max(rows.size.width, 40))
        at = self._sheet.index(key) if key else None
        while key and at is None and key[1]:
            key = (key[0], key[1].rpartition("/")[0])
            at = self._sheet.index(key)
        texts = [lines.line(row, labels, rows.width) for row in self._sheet.rows]
        blank = self._blank if self._keeps_blank else range(0)
        if (
            self._edit_task is not None
            and isinstance(self._edit_task.entry, BoxEntry)
            and at is not None
        ):
            blank = range(at + 1, at + min(_BOX_LINES, max(rows.size.height, 1)))
        self._blank = blank
        texts[blank.start : blank.start] = [Content("")] * len(blank)
        rows.show(texts, at if at is None or at < blank.start else at + len(blank), blank)
        if self._edit_task is not None and blank:
            box = Region(0, blank.start - 1, 1, len(blank) + 1)
            rows.scroll_to_region(box, animate=False, force=True)
        self._update_view()
        self._place()

    def _update_view(self, notice: str | None = None) -> None:
        """Show the description and the problems of the selected field."""
        if notice is not None:
            self._notice = notice
        row = self._row()
        parts: list[Content] = []
        if row is not None:
            parts = [lines.about(row)]
            if row.diagnostics:
                parts.append(lines.problems(row))
        if self._edit_task is not None and self._edit_task.purpose in _PURPOSES:
            parts.append(plain(_PURPOSES[self._edit_task.purpose], "dim"))
        if self._notice:
            parts.insert(0, plain(f"! {self._notice}", "$text-warning"))
        self.query_one("#form-about", Static).update(Content("\n").join(parts))
        self.post_message(self.FieldSelected())

    def _place(self) -> None:
        rows = self._rows
        if self._edit_task is None:
            return
        entry = self._edit_task.entry
        labels = lines.label_width(self._sheet.rows, max(rows.size.width, 40))
        y, height = rows.cursor - round(rows.scroll_offset.y), 1
        if isinstance(entry, ChoiceEntry):
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
            self._draw(self._edit_task.key if self._edit_task else self._here_key())

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._arrival = None
        self._update_view("")

    def _above(self, row: FormRow) -> FormRow | None:
        return self._sheet.row(row.parent) if row.field.pointer else None

    def _close(self) -> None:
        here = self._here_key()
        task, self._edit_task = self._edit_task, None
        if task is not None:
            had_focus = task.entry.has_focus
            task.entry.remove()
            self._draw(here)
            if had_focus:
                self._rows.focus()
            self._update_view()

    def _explain_lock(self) -> str:
        buffer = self._buffer
        return "no file is open" if buffer is None else buffer.read_only

    def _fresh(self) -> bool:
        """Whether the fields are those of the current text."""
        text = self._buffer.text if self._buffer else ""
        return all(section.document.source.text == text for section in self._sheet.sections)

    def _do(
        self,
        row: FormRow,
        label: str,
        change: Callable[..., list[Splice]],
        *values: Any,
        then: Key | None = None,
    ) -> bool:
        """Change the text by one step of undo, or show why not. Whether it was changed.

        `change` is a function of `filling` for the document, the field and `values`.
        """
        buffer = self._buffer
        reason = self._explain_lock()
        if buffer is None or reason:
            self._update_view(reason)
            return False
        if not self._fresh():
            self._update_view("the text cannot be parsed: fix it in the editor")
            return False
        try:
            document = self._sheet.sections[row.section].document
            splices = change(document, row.field, *values)
        except EditRefused as refusal:
            self._update_view(f"not changed: {refusal}")
            return False
        self._update_view("")
        buffer.replace(splices, safe_text(label), origin=self)
        self._again(then or row.key)
        return True

    def go_to(self, diagnostic: Diagnostic) -> bool:
        """Select the field of a diagnostic. Whether there is one."""
        self._again(self._here_key())
        key = self._sheet.place_of(diagnostic)
        if not self._go(key):
            return False
        if key is not None and diagnostic.span is not None:
            self._arrival = (key, diagnostic.span.start)
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

    async def on_field_rows_change_requested(self, event: FieldRows.ChangeRequested) -> None:
        event.stop()
        row = self._row()
        if row is None or not self.settle():
            return
        self._keeps_blank = False
        if self._blank:
            self._draw(row.key)
        if not self._fresh():
            self._again(row.key)
            row = self._row()
            if row is None:
                return
        self._update_view("")
        match event.request:
            case "open" | "close":
                self._fold(row, event.request == "open")
            case "change" | "click" if row.field.is_container:
                self._fold(row, not row.open)
            case "click" if row.field.kind == "switch":
                if event.choice is not None:
                    self._choose(row, event.choice)
            case "change" | "click":
                await self._change(row)
            case "add":
                await self._add(row)
            case "remove":
                self._remove(row)
            case "rename":
                await self._rename(row)
            case "up" | "down":
                self._move(row, -1 if event.request == "up" else 1)

    def _fold(self, row: FormRow, open_: bool) -> None:
        key = row.key
        if not open_ and not row.open:
            key = row.parent
            if self._sheet.row(key) is None:
                return
        elif row.field.is_container:
            self._sheet.set_open(key, open_)
        self._again(key)

    async def _change(self, row: FormRow) -> None:
        field = row.field
        reason = self._explain_lock() or filling.explain_lock(field)
        if reason:
            self._update_view(reason)
        elif field.kind == "switch":
            self._choose(row, filling.entry(field, "value").next_index())
        else:
            await self._edit(row.key, field, "value")

    def _choose(self, row: FormRow, index: int) -> None:
        """Set a yes/no field to one of its choices; -1 removes it."""
        field = filling.entry(row.field, "value")
        if index < 0:
            self._clear(row)
        elif index != field.chosen_index:
            self._put(row, field.choices[index].value)

    async def _add(self, row: FormRow) -> None:
        target = row if row.field.item is not None else self._above(row)
        if reason := self._explain_lock():
            self._update_view(reason)
        elif target is None or target.field.item is None:
            self._update_view("only lists and maps can get new entries")
        elif target.field.kind == "map":
            await self._edit(target.key, target.field, "name")
        elif target.field.item.is_container or target.field.item.kind in ("switch", "raw"):
            if self._add_item(target, target.field.item.template):
                await self._begin()
        else:
            await self._edit(target.key, target.field, "item")

    def _add_item(self, row: FormRow, value: Any) -> bool:
        new = self._open_new(row, row.field.size)
        return self._do(row, f"Add to {row.field.label}", filling.add_item, value, then=new)

    def _open_new(self, row: FormRow, name: str | int) -> Key:
        """Open a list or map and its new field; return the key of that."""
        new = (row.section, filling.below(row.field, name))
        self._sheet.set_open(row.key, True)
        if row.field.item is not None and row.field.item.is_container:
            self._sheet.set_open(new, True)
        return new

    def _remove(self, row: FormRow) -> None:
        above = self._above(row)
        if self._clear(row) and above:
            self._sheet.forget_below(above.key)
            self._again(row.key if self._sheet.row(row.key) else above.key)

    async def _rename(self, row: FormRow) -> None:
        if reason := self._explain_lock():
            self._update_view(reason)
        elif row.field.place != "entry":
            self._update_view("only keys of a map can be renamed")
        else:
            await self._edit(row.key, row.field, "rename")

    def _move(self, row: FormRow, by: int) -> None:
        above = self._above(row)
        if above is None or row.field.place != "item":
            self._update_view("only items of a list can be moved")
            return
        new = (row.section, filling.below(above.field, int(row.field.label) - 1 + by))
        way = "up" if by < 0 else "down"
        label = f"Move item {row.field.label} of {above.field.label} {way}"
        if self._do(row, label, filling.move_item, by, then=new):
            self._sheet.forget_below(above.key)
            self._again(new)

    async def _edit(self, key: Key, field: FormField, purpose: filling.Purpose) -> None:
        """Show an entry over its row, which is selected while it is open."""
        taken_values = ()
        if purpose == "item":
            taken_values = to_value(self._sheet.sections[key[0]].document.at(field.pointer)) or ()
        entry_field = filling.entry(field, purpose, taken_values)
        if entry_field.kind == "one" and not entry_field.choices:
            self._update_view("the list has all allowed values")
            return
        if safe_text(entry_field.text, keep_newlines=True) != entry_field.text:
            self._update_view("the value has invisible characters: change it in the editor")
            return
        entry = make_entry(
            entry_field, MISSING, _MENU_KEYS if entry_field.kind == "one" else _TEXT_KEYS
        )
        self._edit_task = Task(purpose, key, entry, entry_field.text, self._here_key() or key)
        self._draw(key)
        entry.styles.width, entry.styles.height = 12, 1
        await self.mount(entry)
        self._place()
        entry.focus()
        self._update_view()

    async def on_entry_left(self, event: EntryLeft) -> None:
        event.stop()
        task = self._edit_task
        purpose = task.purpose if task else "value"
        if event.how == "cancel":
            self._cancel_entry()
        elif task is not None and isinstance(task.entry, ChoiceEntry):
            self._apply_choice(task, task.entry.answer)
        elif not self.settle():
            return
        elif purpose == "name":
            await self._begin()
        elif event.how != "enter" and purpose == "value":
            await self._go_on(1 if event.how == "next" else -1)

    def _cancel_entry(self) -> None:
        """Close the entry and select the row that was selected before."""
        back = self._edit_task.back if self._edit_task else self._here_key()
        self._close()
        self._again(back)

    def on_entry_blurred(self, event: EntryBlurred) -> None:
        """Store the text when another widget, not another window, gets the focus."""
        event.stop()
        is_open = self._edit_task is not None and event.entry is self._edit_task.entry
        if is_open and not event.entry.has_focus and self.app.app_focus:
            self._keeps_blank = self._rows.has_focus
            self.settle()

    def _apply_choice(self, task: Task, choice: Any) -> None:
        row = self._sheet.row(task.key)
        self._close()
        if row is None:
            self._update_view("this field was removed")
        elif choice is MISSING:
            self._update_view("")
        elif task.purpose == "item":
            self._add_item(row, choice)
        elif choice is filling.NOT_SET:
            self._clear(row)
        else:
            self._put(row, choice)

    async def _begin(self) -> None:
        """Open the entry of the selected new field, or of the first field in it."""
        row = self._row()
        if row is not None and row.field.is_container:
            await self._go_on(1, within=row.field)
        elif row is not None and row.field.kind != "switch":
            await self._change(row)

    async def _go_on(self, step: int, within: FormField | None = None) -> None:
        """Open the next editable field; at the ends stay."""
        at = self._rows.cursor + step
        while 0 <= at < len(self._sheet.rows):
            field = self._sheet.rows[at].field
            if within is not None and field.depth <= within.depth:
                return
            if not field.is_container and not filling.explain_lock(field):
                self._rows.cursor = at
                if field.kind != "switch":
                    await self._change(self._sheet.rows[at])
                return
            at += step

    def settle(self) -> bool:
        """Store what is typed in the open entry. Whether no entry is open now."""
        task = self._edit_task
        if task is None or not isinstance(task.entry, TextEntry):
            self._close()
            return True
        text = task.entry.text
        if text == task.initial_text:
            self._cancel_entry()
            return True
        self._again(task.key)
        row = self._sheet.row(task.key)
        if row is None:
            self._update_view("this field was removed from the text: esc discards your entry")
            return False
        if task.purpose == "value" and filling.format_value(row.field) != task.initial_text:
            self._edit_task = task._replace(initial_text=filling.format_value(row.field))
            self._update_view("the value was changed in the text: enter replaces it by yours")
            return False
        return self._apply_text(task, row, text)

    def _apply_text(self, task: Task, row: FormRow, text: str) -> bool:
        field = row.field
        if task.purpose == "name":
            template = field.item.template if field.item else ""
            new = self._open_new(row, text.strip())
            label = f"Add {text} to {field.label}"
            was_changed = self._do(row, label, filling.add_entry, text, template, then=new)
        elif task.purpose == "rename":
            parent = field.pointer.rpartition("/")[0]
            new = (row.section, f"{parent}/{escape(text.strip())}")
            was_changed = self._do(
                row, f"Rename {field.label}", filling.rename_entry, text, then=new
            )
        elif task.purpose == "item" and field.item is not None:
            try:
                value = filling.read(field.item, text)
            except EditRefused as refusal:
                self._update_view(str(refusal))
                return False
            was_changed = self._add_item(row, value)
        else:
            was_changed = self._do(row, f"Change {field.label}", filling.fill, text)
        if was_changed:
            self._close()
        return was_changed

    def _put(self, row: FormRow, value: Any) -> None:
        self._do(row, f"Change {row.field.label}", filling.put, value)

    def _clear(self, row: FormRow) -> bool:
        return self._do(row, f"Remove {row.field.label}", filling.clear)
