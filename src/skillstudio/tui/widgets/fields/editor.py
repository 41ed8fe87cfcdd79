"""A field with its label, its entry and the state of its value."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from skillstudio.session.fields import Field, FieldState, FieldStatus, answer_of
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.fields.entries import (
    ChoiceEntry,
    EntryEdited,
    TextEntry,
    text_entry,
)
from skillstudio.tui.widgets.lines import Sentences
from skillstudio.tui.words import joined, plain

Entry = TextEntry | ChoiceEntry
SIGNS: dict[FieldStatus, tuple[str, str]] = {
    "error": ("✗", "$text-error"),
    "missing": ("○", "$text-warning"),
    "warning": ("!", "$text-warning"),
    "default": ("·", "dim"),
    "ok": ("✓", "$text-success"),
}


class FieldEditor(Vertical):
    """Three lines: label, entry and state. A bar on the left shows the focus."""

    DEFAULT_CSS = """
    FieldEditor { height: auto; min-width: 24; border-left: blank; padding: 0 1 0 0; }
    FieldEditor:focus-within { border-left: outer $primary; }
    FieldEditor > Input, FieldEditor > TextArea, FieldEditor > ChoiceEntry {
        background: $surface;
    }
    FieldEditor > TextArea { height: 5; }
    """

    class AnswerChanged(Message):
        """The answer changed."""

    def __init__(self, field: Field, given: Any, help_text: str) -> None:
        """`given` is the answer that was typed or chosen; MISSING if there is none."""
        super().__init__()
        self.field = field
        self.help_text = help_text
        self._label = Sentences(_label(field))
        self._state = Sentences(_state(field.state))
        self.entry = _entry(field, given)
        """The widget that takes the focus."""

    def compose(self) -> ComposeResult:
        yield self._label
        yield self.entry
        yield self._state

    async def show(self, field: Field, given: Any, help_text: str) -> None:
        """Show another state of the field; what the user typed stays."""
        before, self.field, self.help_text = self.field, field, help_text
        self._label.say(_label(field))
        self._state.say(_state(field.state))
        entry = self.entry
        if field.kind != before.kind:
            focused = entry.has_focus
            self.entry = _entry(field, given)
            await self.mount(self.entry, before=entry)
            await entry.remove()
            if focused:
                self.entry.focus()
        elif isinstance(entry, ChoiceEntry):
            if (field.choices, field.chosen) != (before.choices, before.chosen):
                entry.show_choices(field.choices, field.chosen)
        elif field.text != before.text and entry.text == before.text:
            entry.show_text(field.text)

    @property
    def answer(self) -> Any:
        """The answer as it is typed or chosen now; MISSING if it is the field's own."""
        entry = self.entry
        return entry.given if isinstance(entry, ChoiceEntry) else answer_of(self.field, entry.text)

    def on_entry_edited(self, event: EntryEdited) -> None:
        event.stop()
        self.post_message(self.AnswerChanged())

    def on_descendant_focus(self) -> None:
        # Label and state are to be visible, too.
        self.scroll_visible(animate=False)


def _entry(field: Field, given: Any) -> Entry:
    if field.kind in ("one", "some"):
        return ChoiceEntry(field, given)
    text = given if isinstance(given, str) else field.text
    return text_entry(field, text, {"up": "previous", "down": "next"})


def _label(field: Field) -> Content:
    help_ = plain(f"  {field.help}", "$foreground 70%") if field.help else Content("")
    return joined(plain(field.label, "bold"), help_)


def _state(state: FieldState) -> Content:
    glyph, style = SIGNS[state.status]
    lines = [Content.styled(f"{glyph} {safe_text(each)}", style) for each in state.sentences]
    return Content("\n").join(lines)
