"""What opens over a row to change it: a line, a box of lines, a list of choices.

There is never more than one. Each posts `EntrySubmitted` or `EntryCancelled`; the form does the
rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from skillstudio.tui.widgets.entry import EntryArea, EntryLine
from skillstudio.tui.widgets.rows import Rows


@dataclass
class EntrySubmitted(Message):
    """The user is done with what was typed; `step` fields on is the next to go to."""

    step: int = 0


class EntryCancelled(Message):
    """The user wants the field as it was."""


@dataclass
class EntryBlurred(Message):
    """The focus went elsewhere."""

    entry: FormEntry


class FormEntry(Widget):
    """What opens over a row: esc leaves the field as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Leave as it was", show=False),
    ]

    def on_blur(self) -> None:
        self.post_message(EntryBlurred(self))

    def action_give_up(self) -> None:
        self.post_message(EntryCancelled())


class FormTextEntry(FormEntry):
    """What is typed into: tab keeps it and goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "keep(1)", "Keep, next field", show=False),
        Binding("shift+tab", "keep(-1)", "Keep, field before", show=False),
    ]

    def action_keep(self, step: int) -> None:
        self.post_message(EntrySubmitted(step))


class FormLineEntry(EntryLine, FormTextEntry):
    """One line of text."""

    HELP = "Enter keeps what you type and tab goes on to the next field; esc leaves it as it was."

    def __init__(self, text: str, placeholder: str) -> None:
        super().__init__(text, placeholder, compact=True, select_on_focus=False, classes="entry")
        self.cursor_blink = False

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(EntrySubmitted())

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    @property
    def typed(self) -> str:
        return self.value


class FormBoxEntry(EntryArea, FormTextEntry):
    """Several lines of text."""

    HELP = "Tab keeps what you type and goes on to the next field; esc leaves it as it was."

    def __init__(self, text: str, placeholder: str) -> None:
        super().__init__(
            text,
            compact=True,
            tab_behavior="focus",
            placeholder=Content(placeholder),
            classes="entry",
        )
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()

    @property
    def typed(self) -> str:
        return self.text


class Picker(Rows, FormEntry):
    """A few choices under the field."""

    HELP = "Enter takes the selected choice; esc leaves the field as it was."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left,tab,shift+tab", "give_up", "Leave as it was", show=False),
    ]

    @dataclass
    class Picked(Message):
        """A choice was taken."""

        choice: Any

    def __init__(self, choices: Sequence[tuple[Any, Content]], here: int) -> None:
        super().__init__(classes="entry")
        self._choices = list(choices)
        self._here = here

    def on_mount(self) -> None:
        self.show([line for _, line in self._choices], self._here)

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.post_message(self.Picked(self._choices[event.index][0]))

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()


Entry = FormLineEntry | FormBoxEntry | Picker
