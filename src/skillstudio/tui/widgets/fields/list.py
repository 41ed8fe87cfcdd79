"""A list of fields to fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.containers import VerticalScroll
from textual.message import Message

from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.fields import Field, FieldKind
from skillstudio.tui.widgets.fields.editor import FieldEditor
from skillstudio.tui.widgets.fields.entries import EntryLeft


class FieldList(VerticalScroll, can_focus=False):
    """The editors of the fields, in order."""

    DEFAULT_CSS = """
    FieldList { height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """
    HELPS: ClassVar[Mapping[FieldKind, str]] = {}
    """The help about an entry of each kind."""

    class Completed(Message):
        """The user left the last field with enter."""

    @property
    def editors(self) -> list[FieldEditor]:
        return list(self.query(FieldEditor))

    async def clear(self) -> None:
        """Remove all fields."""
        await self.query(FieldEditor).remove()

    async def show(self, fields: Sequence[Field], given: Mapping[str, Any]) -> None:
        """Show fields; one that is shown already keeps what was typed, and the focus."""
        shown = {editor.field.name: editor for editor in self.editors}
        wanted = {each.name for each in fields}
        removed = [editor for name, editor in shown.items() if name not in wanted]
        if any(editor.has_focus_within for editor in removed):
            self.screen.set_focus(None)
        for editor in removed:
            await editor.remove()
        above: FieldEditor | None = None
        new: list[FieldEditor] = []
        for field in fields:
            answer, help_text = given.get(field.name, MISSING), self.HELPS.get(field.kind, "")
            known = shown.get(field.name)
            if known is not None:
                await self._mount(new, above)
                new, above = [], known
                await known.show(field, answer, help_text)
            else:
                new.append(FieldEditor(field, answer, help_text))
        await self._mount(new, above)

    async def _mount(self, editors: list[FieldEditor], above: FieldEditor | None) -> None:
        if not editors:
            return
        if above is not None:
            await self.mount_all(editors, after=above)
        else:
            await self.mount_all(editors, before=0 if self.editors else None)

    def go_to(self, name: str) -> None:
        """Focus a field."""
        for editor in self.editors:
            if editor.field.name == name:
                editor.entry.focus()

    def on_entry_left(self, event: EntryLeft) -> None:
        event.stop()
        entries = [editor.entry for editor in self.editors]
        step = -1 if event.how == "previous" else 1
        to = next((i for i, each in enumerate(entries) if each.has_focus), 0) + step
        if to == len(entries) and event.how == "enter":
            self.post_message(self.Completed())
        elif 0 <= to < len(entries):
            entries[to].focus()
