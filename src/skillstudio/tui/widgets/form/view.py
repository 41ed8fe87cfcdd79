"""What can be done in the form: change, switch, add, remove, rename, move."""

from __future__ import annotations

from typing import Any

from textual.content import Content

from skillstudio.session.form import filling
from skillstudio.session.form.fields import FieldChoice, FormField
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.edit import EditRefused
from skillstudio.text.node import escape, to_value
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.form.entries import (
    Entry,
    EntryBlurred,
    EntryCancelled,
    EntrySubmitted,
    FormBoxEntry,
    FormLineEntry,
    Picker,
)
from skillstudio.tui.widgets.form.frame import FormFrame, Purpose, Task
from skillstudio.tui.widgets.form.rows import FieldRows
from skillstudio.tui.widgets.form.sheet import FormRow, Key
from skillstudio.tui.words import joined, plain

_NOT_SET = object()


class FormView(FormFrame):
    """The manifest as fields."""

    # What the screen calls.

    def settle(self) -> bool:
        """Keep what is typed in an open entry. Whether none is open any more."""
        if self._entry is not None and not isinstance(self._entry, Picker):
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
        """Put the cursor on the field that stands at an offset. Whether there is one."""
        self._again(self._here_key())
        return self._go(self._sheet.at_offset(offset))

    def _go(self, key: Key | None) -> bool:
        if key is None or not self.settle():
            return False
        self._sheet.reveal(key)
        self._again(key)
        return True

    # Wishes.

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
            await self._type(row.key, field, "value", filling.typed(field))

    def _switch(self, row: FormRow) -> None:
        """Not set, yes, no: in turn. What is required is never not set."""
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
            await self._type(target.key, target.field, "name", "")
        elif target.field.item.kind == "choice":
            await self._pick(target.key, target.field, "item")
        elif target.field.item.is_container or target.field.item.kind in ("switch", "raw"):
            if self._add_item(target, target.field.item.template):
                await self._begin()
        else:
            await self._type(target.key, target.field, "item", "")

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
            await self._type(row.key, row.field, "rename", row.field.label)

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

    async def _type(self, key: Key, field: FormField, purpose: Purpose, text: str) -> None:
        if safe_text(text, keep_newlines=True) != text:
            self._tell("it holds characters that cannot be seen: edit it in the text")
            return
        shape = field.item if purpose == "item" and field.item else field
        hint = safe_text(f"such as {shape.example}") if shape.example else ""
        if purpose in ("name", "rename"):
            hint = "a name"
        boxed = shape.kind == "multiline" and purpose in ("value", "item")
        boxed = boxed or "\n" in text
        await self._open(
            Task(purpose, key, field, text, key),
            FormBoxEntry(text, hint) if boxed else FormLineEntry(text, hint),
        )

    async def _pick(self, key: Key, field: FormField, purpose: Purpose) -> None:
        shape = field.item if purpose == "item" and field.item else field
        options = list(shape.choices)
        if purpose == "item":
            taken = to_value(self._sheet.sections[key[0]].document.at(field.pointer)) or []
            options = [each for each in options if each.value not in taken]
            if not options:
                self._tell("everything that can be in this list is in it")
                return
        if purpose == "value" and field.present and field.value not in [c.value for c in options]:
            options.insert(0, FieldChoice(field.value, "as it is now"))
        if purpose == "value" and field.place == "key" and not field.required:
            told = f"{field.default} is used" if field.default is not None else ""
            options.insert(0, FieldChoice(_NOT_SET, told))
        values = [each.value for each in options]
        here = values.index(field.value) if field.present and field.value in values else 0
        shown = [(each.value, _choice(each)) for each in options]
        await self._open(Task(purpose, key, field, "", key), Picker(shown, here))

    async def _open(self, task: Task, entry: Entry) -> None:
        """Lay an entry over the row of its task, where the cursor goes while it is open."""
        self._doing = task._replace(back=self._here_key() or task.key)
        self._entry = entry
        self._draw(task.key)
        entry.styles.width, entry.styles.height = 12, 1
        await self.mount(entry)
        self._place()
        entry.focus()
        self._tell()

    async def on_entry_submitted(self, event: EntrySubmitted) -> None:
        event.stop()
        purpose = self._doing.purpose if self._doing else "value"
        if not self.keep_entry():
            return
        if purpose == "name":
            await self._begin()
        elif event.step and purpose == "value":
            await self._go_on(event.step)

    def on_entry_cancelled(self, event: EntryCancelled) -> None:
        event.stop()
        self._give_up()

    def _give_up(self) -> None:
        """Close the entry, and be where the user was before it."""
        back = self._doing.back if self._doing else self._here_key()
        self._close()
        self._again(back)

    def on_entry_blurred(self, event: EntryBlurred) -> None:
        """Keep what was typed when the focus goes elsewhere, but not when the terminal's does."""
        event.stop()
        if event.entry is self._entry and not event.entry.has_focus and self.app.app_focus:
            self.settle()

    def on_picker_picked(self, event: Picker.Picked) -> None:
        event.stop()
        task = self._doing
        row = self._task_row()
        self._close()
        if task is None or row is None:
            self._tell("this field is gone")
        elif task.purpose == "item":
            self._add_item(row, event.choice)
        elif event.choice is _NOT_SET:
            self._do(row, f"Remove {task.field.label}", lambda: self._cleared(row))
        else:
            self._do(row, f"Change {task.field.label}", lambda: self._put(row, event.choice))

    async def _begin(self) -> None:
        """Fill in what was just added: the selected field, or the first one in it."""
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
        """Put into the text what was typed. Whether the entry is closed."""
        task, entry = self._doing, self._entry
        if task is None or entry is None or isinstance(entry, Picker):
            self._close()
            return True
        text = entry.typed
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


def _choice(choice: FieldChoice) -> Content:
    name = "not set" if choice.value is _NOT_SET else safe_text(str(choice.value))
    return joined(Content(f" {name}  "), plain(choice.description, "dim"))
