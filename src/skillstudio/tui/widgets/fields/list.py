"""A list of fields to fill in, each with its label, entry and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message

from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.fields import Field, answer_of
from skillstudio.tui.widgets.fields.drawing import draw_label, draw_state
from skillstudio.tui.widgets.fields.entries import (
    ChoiceEntry,
    EntryLeft,
    Keys,
    SwitchEntry,
    make_entry,
)
from skillstudio.tui.widgets.lines import Sentences
from skillstudio.tui.words import plain

_KEYS: Keys = {"up": "previous", "down": "next"}
_BESIDE = 20  # The cells of what is beside an entry; what is longer is below it.


class FieldEditor(Vertical):
    """The label, the entry and the state of a field. A bar on the left shows the focus.

    They are in one row, and the help and a long state below it.
    """

    DEFAULT_CSS = """
    FieldEditor { layout: horizontal; height: auto; min-width: 24; border-left: blank; }
    FieldEditor:focus-within { border-left: outer $frame-focus; }
    FieldEditor > Input, FieldEditor > TextArea, FieldEditor > ChoiceEntry {
        background: $surface;
    }
    FieldEditor > .label {
        width: 18;
        height: 1;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    FieldEditor > .entry { width: 1fr; min-width: 12; }
    FieldEditor > TextArea { padding: 0; height: auto; min-height: 1; max-height: 5; }
    FieldEditor > .state { width: auto; margin-left: 1; }
    FieldEditor.-long {
        layout: grid;
        grid-size: 2;
        grid-columns: 18 1fr;
        grid-rows: auto;
    }
    FieldEditor.-long > .state { column-span: 2; width: 1fr; margin: 0; padding-left: 2; }
    """

    def __init__(
        self, field: Field, answer: Any, has_help: bool = False, replaces: bool = False
    ) -> None:
        """`answer` and `replaces` are as in `make_entry`; with `has_help`, the help does not need
        the focus."""
        super().__init__(name=field.name)
        self.field = field
        self._has_help, self._replaces = has_help, replaces
        self._label, self._state = Sentences(), Sentences()
        self._label.add_class("label")
        self._state.add_class("state")
        self._show_words()
        self.entry = make_entry(field, answer, _KEYS, replaces)
        """The widget that takes the focus."""

    def compose(self) -> ComposeResult:
        yield self._label
        yield self.entry
        yield self._state

    async def show(self, field: Field, answer: Any) -> None:
        """Show another state of the field; typed text stays."""
        before, self.field = self.field, field
        self._show_words()
        entry = self.entry
        if field.kind != before.kind:
            had_focus = entry.has_focus
            self.entry = make_entry(field, answer, _KEYS, self._replaces)
            await self.mount(self.entry, before=entry)
            await entry.remove()
            if had_focus:
                self.entry.focus()
        elif isinstance(entry, ChoiceEntry | SwitchEntry):
            is_same = (field.choices, field.selection) == (before.choices, before.selection)
            # Without an answer the field may have its default again.
            if not is_same or entry.answer is MISSING:
                entry.show_field(field)
        elif field.text != before.text and entry.text == before.text:
            entry.show_text(field.text)

    @property
    def answer(self) -> Any:
        """The current answer; MISSING if it is the field's own."""
        entry = self.entry
        if isinstance(entry, ChoiceEntry | SwitchEntry):
            return entry.answer
        return answer_of(self.field, entry.text)

    def _show_words(self) -> None:
        """Show the label and the state."""
        field = self.field
        has_focus = self.is_attached and self.has_focus_within
        has_help = bool(field.help) and (has_focus or self._has_help)
        lines = [draw_state(field.state), plain(field.help if has_help else "", "dim")]
        about = Content("\n").join(filter(None, lines))
        self._label.show(draw_label(field.label, field.required, "bold" if has_focus else ""))
        self._state.show(about)
        self._state.display = bool(about.plain)
        self.set_class(has_help or about.cell_length > _BESIDE, "-long")

    def on_descendant_blur(self) -> None:
        self.call_later(self._show_words)

    def on_descendant_focus(self) -> None:
        self._show_words()
        # Label and state must be visible, too.
        self.scroll_visible(animate=False)


class FieldList(VerticalScroll, can_focus=False):
    """The editors of the fields, in order."""

    DEFAULT_CSS = """
    FieldList { height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """
    HAS_HELP: ClassVar[bool] = False  # Whether also fields without the focus show their help.
    REPLACES: ClassVar[bool] = False  # Whether typing replaces a text that is not the user's.

    class Completed(Message):
        """The user left the last field with enter."""

    @property
    def editors(self) -> list[FieldEditor]:
        return list(self.query(FieldEditor))

    async def clear(self) -> None:
        """Remove all fields."""
        await self.query(FieldEditor).remove()

    async def show(self, fields: Sequence[Field], answers: Mapping[str, Any]) -> None:
        """Show fields; one that is shown already keeps its text and the focus."""
        editors = {editor.field.name: editor for editor in self.editors}
        names = [field.name for field in fields]
        removed_editors = [editor for name, editor in editors.items() if name not in names]
        if any(editor.has_focus_within for editor in removed_editors):
            self.screen.set_focus(None)
        for editor in removed_editors:
            await editor.remove()
        new: list[FieldEditor] = []
        for field in fields:
            answer = answers.get(field.name, MISSING)
            if field.name in editors:
                await editors[field.name].show(field, answer)
            else:
                new.append(FieldEditor(field, answer, self.HAS_HELP, self.REPLACES))
        await self.mount_all(new)
        self.sort_children(key=lambda editor: names.index(editor.name or ""))

    def go_to(self, name: str) -> None:
        """Focus a field."""
        for editor in self.editors:
            if editor.field.name == name:
                editor.entry.focus()

    def on_entry_left(self, event: EntryLeft) -> None:
        event.stop()
        entries = [editor.entry for editor in self.editors]
        step = -1 if event.how == "previous" else 1
        to = next((i for i, entry in enumerate(entries) if entry.has_focus), 0) + step
        if to == len(entries) and event.how == "enter":
            self.post_message(self.Completed())
        elif 0 <= to < len(entries):
            entries[to].focus()
