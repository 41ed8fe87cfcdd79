"""The entries of fields: a line, a box of lines, a list of choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.fields import Field
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.entry import EntryArea, EntryLine
from skillstudio.tui.widgets.fields.drawing import choice_at, draw_choice, draw_choices
from skillstudio.tui.widgets.rows import Rows

MOST_ROWS = 6  # The most visible choices.
How = Literal["enter", "next", "previous", "cancel"]
Keys = Mapping[str, How]  # The keys that leave an entry, besides enter.


class EntryEdited(Message):
    """The answer changed."""


@dataclass
class EntryLeft(Message):
    """The user left an entry."""

    how: How


@dataclass
class EntryBlurred(Message):
    """An entry lost the focus."""

    entry: Widget


class Leaving(Widget):
    """The part of an entry that is left by keys, or by losing the focus."""

    HAS_ARROWS = False  # Whether up and down move within the entry.

    def bind_keys(self, keys: Keys) -> None:
        """Bind keys of this entry, not of the widgets around it: see `widgets.entry`."""
        for key, how in keys.items():
            if not (self.HAS_ARROWS and key in ("up", "down")):
                self._bindings.bind(key, f"leave('{how}')", show=False)

    def on_blur(self) -> None:
        self.post_message(EntryBlurred(self))

    def action_leave(self, how: How) -> None:
        self.post_message(EntryLeft(how))


class LineEntry(EntryLine, Leaving):
    """One line of text, hidden if it is secret."""

    def __init__(self, field: Field, text: str, keys: Keys, replaces: bool = False) -> None:
        """With `replaces`, typing replaces a text that is not the user's."""
        super().__init__(
            text,
            safe_text(field.hint),
            compact=True,
            password=field.kind == "secret",
            select_on_focus=False,
        )
        self._default_text = text if field.is_proposal else field.text
        """The text that the field has without the user."""
        self._replaces = replaces
        self.cursor_blink = False
        self.bind_keys(keys)

    @property
    def text(self) -> str:
        return self.value

    def show_text(self, text: str) -> None:
        """Show another text, from its start unless it has the focus; a selected one stays so."""
        is_selected = self.has_focus and bool(self.value) and self.selected_text == self.value
        self.value = self._default_text = text
        if is_selected:
            self.select_all()
        else:
            self.cursor_position = len(text) if self.has_focus else 0

    def on_focus(self) -> None:
        # Handled before Textual's own handler, which selects.
        self.select_on_focus = self._replaces and self.value == self._default_text
        if not self.cursor_position:
            self.cursor_position = len(self.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(EntryEdited())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(EntryLeft("enter"))

    def _on_paste(self, event: events.Paste) -> None:
        # A paste may contain terminal control characters. The widget inserts it after this.
        event.text = safe_text(event.text, keep_newlines=True)


class BoxEntry(EntryArea, Leaving):
    """Several lines of text."""

    HAS_ARROWS = True

    def __init__(self, field: Field, text: str, keys: Keys) -> None:
        hint = Content(safe_text(field.hint))
        super().__init__(text, compact=True, tab_behavior="focus", placeholder=hint)
        self.cursor_blink = False
        self.move_cursor(self.document.end)
        self.bind_keys(keys)

    def show_text(self, text: str) -> None:
        """Show another text."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(EntryEdited())

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = safe_text(event.text, keep_newlines=True)


class ChoiceEntry(Rows, Leaving):
    """Choices with marks: the selected one, or with a key any number of them."""

    HAS_ARROWS = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "Choose or release", show=False),
    ]

    def __init__(self, field: Field, answer: Any, keys: Keys) -> None:
        super().__init__(empty=Content("nothing to choose"))
        self._has_several = field.kind == "some"
        self._field = field
        self.answer = answer
        """What the user chose; MISSING before that."""
        self.bind_keys(keys)

    def on_mount(self) -> None:
        self.show_field(self._field)

    def show_field(self, field: Field) -> None:
        """Show another state of the field."""
        self._field = field
        self.styles.height = min(max(len(field.choices), 1), MOST_ROWS)
        self._draw(self.cursor if self._has_several else max(field.chosen_index, 0))

    def _draw(self, cursor: int) -> None:
        values = self._field.selection
        lines = [
            draw_choice(choice, choice.value in values, self._has_several)
            for choice in self._field.choices
        ]
        self.show(lines, cursor)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        # Without a message: the next key may read the answer.
        if old != new and not self._has_several and new < len(self._field.choices):
            self._choose(new)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not self._has_several and not self._field.selection:
            self._choose(event.index)
        self.post_message(EntryLeft("enter"))

    def _choose(self, index: int) -> None:
        """Choose a line; if several may be chosen, release a chosen one."""
        self.answer = value = self._field.choices[index].value
        values = (value,)
        if self._has_several:
            rest = tuple(other for other in self._field.selection if other != value)
            values = rest if len(rest) < len(self._field.selection) else (*rest, value)
            self.answer = list(values)
        self._field = self._field._replace(selection=values)
        self._draw(index)
        self.post_message(EntryEdited())

    def action_switch(self) -> None:
        """Choose or release the selected line."""
        if self._field.choices:
            self._choose(self.cursor)


class SwitchEntry(Leaving, can_focus=True):
    """Choices side by side, of which one is selected; where they do not fit, only that one."""

    DEFAULT_CSS = """
    SwitchEntry { height: 1; width: 1fr; }
    SwitchEntry:focus { background: $selection; }
    SwitchEntry:ansi:focus, SwitchEntry:nocolor:focus { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "move(1)", "Next choice", show=False),
        Binding("left,h", "move(-1)", "Previous choice", show=False),
        Binding("delete,backspace", "choose(-1)", "No answer", show=False),
        Binding("enter", "leave('enter')", "Next field", show=False),
    ]

    def __init__(self, field: Field, answer: Any, keys: Keys) -> None:
        super().__init__()
        self._field = field
        self.answer = answer
        """What the user chose; MISSING before that."""
        self.bind_keys(keys)

    def show_field(self, field: Field) -> None:
        """Show another state of the field."""
        self._field = field
        self.refresh()

    def render(self) -> Content:
        return draw_choices(self._field, self.size.width)

    def action_move(self, by: int) -> None:
        """Select the next choice, after the last one the first."""
        if self._field.choices:
            self.action_choose(self._field.next_index(by))

    def on_click(self, event: events.Click) -> None:
        if draw_choices(self._field).cell_length > self.size.width:
            self.action_move(1)
        elif (index := choice_at(event.style)) is not None:
            self.action_choose(index)

    def action_choose(self, index: int) -> None:
        """Select a choice; -1 removes the answer."""
        if index >= 0:
            self.answer = self._field.choices[index].value
        elif self.answer is MISSING:
            return
        else:
            self.answer = MISSING
        values = () if index < 0 else (self.answer,)
        self.show_field(self._field._replace(selection=values))
        self.post_message(EntryEdited())


TextEntry = LineEntry | BoxEntry
Entry = TextEntry | ChoiceEntry | SwitchEntry


def make_entry(field: Field, answer: Any, keys: Keys, replaces: bool = False) -> Entry:
    """Return the entry of a field; `answer` is the typed or chosen answer, MISSING if none, and
    `replaces` as in `LineEntry`."""
    entry: Entry
    if field.kind == "switch":
        entry = SwitchEntry(field, answer, keys)
    elif field.kind in ("one", "some"):
        entry = ChoiceEntry(field, answer, keys)
    else:
        text = answer if isinstance(answer, str) else field.text
        if field.kind == "box":
            entry = BoxEntry(field, text, keys)
        else:
            entry = LineEntry(field, text, keys, replaces)
    entry.add_class("entry")
    return entry
