"""The entries of fields: a line, a box of lines, a list of choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from skillstudio.session.fields import Field, FieldChoice
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.entry import EntryArea, EntryLine
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

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

    help_text = ""

    def bind_keys(self, keys: Keys) -> None:
        """Bind keys of this entry, not of the widgets around it: see `widgets.entry`."""
        for key, how in keys.items():
            self._bindings.bind(key, f"leave('{how}')", show=False)

    def on_blur(self) -> None:
        self.post_message(EntryBlurred(self))

    def action_leave(self, how: How) -> None:
        self.post_message(EntryLeft(how))


class LineEntry(EntryLine, Leaving):
    """One line of text, hidden if it is secret."""

    def __init__(self, field: Field, text: str, keys: Keys) -> None:
        super().__init__(
            text,
            safe_text(field.hint),
            compact=True,
            password=field.kind == "secret",
            select_on_focus=field.is_proposal,
        )
        self.cursor_blink = False
        self.bind_keys(keys)

    @property
    def text(self) -> str:
        return self.value

    def show_text(self, text: str) -> None:
        """Show another text, from its start unless it has the focus."""
        self.value = text
        self.cursor_position = len(text) if self.has_focus else 0

    def on_focus(self) -> None:
        if not self.cursor_position:
            self.cursor_position = len(self.value)
        # Only on the first focus: later the text may be the user's.
        self.call_later(setattr, self, "select_on_focus", False)

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

    def __init__(self, field: Field, text: str, keys: Keys) -> None:
        hint = Content(safe_text(field.hint))
        super().__init__(text, compact=True, tab_behavior="focus", placeholder=hint)
        self.cursor_blink = False
        self.move_cursor(self.document.end)
        # The arrows move in the text.
        self.bind_keys({key: how for key, how in keys.items() if key not in ("up", "down")})

    def show_text(self, text: str) -> None:
        """Show another text."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(EntryEdited())

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = safe_text(event.text, keep_newlines=True)


class ChoiceEntry(Rows):
    """Choices with marks: the selected one, or with a key any number of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "Choose or release", show=False),
    ]

    def __init__(self, field: Field, given: Any) -> None:
        super().__init__(empty=Content("nothing to choose"))
        self._several = field.kind == "some"
        self._choices = field.choices
        self._chosen = list(field.chosen)
        self.given = given
        """What the user chose; MISSING before that."""

    def on_mount(self) -> None:
        self.show_choices(self._choices, self._chosen)

    def show_choices(self, choices: Sequence[FieldChoice], chosen: Sequence[Any]) -> None:
        """Show other choices; `chosen` are the values of the marked ones."""
        self._choices, self._chosen = tuple(choices), list(chosen)
        self.styles.height = min(max(len(choices), 1), MOST_ROWS)
        at = next((i for i, each in enumerate(choices) if each.value in self._chosen), 0)
        self._draw(self.cursor if self._several else at)

    def _draw(self, cursor: int) -> None:
        self.show([self._line(each) for each in self._choices], cursor)

    def _line(self, choice: FieldChoice) -> Content:
        is_chosen = choice.value in self._chosen
        marks = ("[ ]", "[x]") if self._several else ("( )", "(•)")
        mark = marks[is_chosen]
        off = plain(f"  not now: {choice.refused}", "dim") if choice.refused else Content("")
        return joined(f"{mark} ", plain(choice.label), off)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        # Without a message: the next key may read the answer.
        if old != new and not self._several and new < len(self._choices):
            self._take(new)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not self._several and not self._chosen:
            self._take(event.index)
        self.post_message(EntryLeft("enter"))

    def _take(self, index: int) -> None:
        self._chosen = [self._choices[index].value]
        self._give(self._chosen[0], index)

    def _give(self, value: Any, cursor: int) -> None:
        self.given = value
        self._draw(cursor)
        self.post_message(EntryEdited())

    def action_switch(self) -> None:
        """Choose the selected line; if several may be chosen, release a chosen one."""
        if not self._choices:
            return
        if not self._several:
            self._take(self.cursor)
            return
        value = self._choices[self.cursor].value
        kept = [each for each in self._chosen if each != value]
        self._chosen = kept if len(kept) < len(self._chosen) else [*self._chosen, value]
        self._give(list(self._chosen), self.cursor)


class SwitchEntry(Leaving, can_focus=True):
    """Choices side by side, of which one is selected; where they do not fit, only that one."""

    DEFAULT_CSS = """
    SwitchEntry { height: 1; width: 1fr; }
    SwitchEntry:focus { text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "move(1)", "Next choice", show=False),
        Binding("left,h", "move(-1)", "Previous choice", show=False),
        Binding("enter", "leave('enter')", "Next field", show=False),
    ]

    def __init__(self, field: Field, given: Any, keys: Keys) -> None:
        super().__init__()
        self._choices = field.choices
        self._chosen: tuple[Any, ...] = tuple(field.chosen)
        self._places: list[tuple[int, int, int]] = []
        self.given = given
        """What the user chose; MISSING before that."""
        self.bind_keys(keys)

    @property
    def _index(self) -> int:
        values = [choice.value for choice in self._choices]
        return next((i for i, value in enumerate(values) if value in self._chosen), -1)

    def show_choices(self, choices: Sequence[FieldChoice], chosen: Sequence[Any]) -> None:
        """Show other choices; `chosen` has the value of the selected one."""
        self._choices, self._chosen = tuple(choices), tuple(chosen)
        self.refresh()

    def render(self) -> Content:
        labels = [f" {safe_text(choice.label)} " for choice in self._choices]
        index, room = self._index, self.size.width
        self._places = []
        if not labels:
            return Content.styled("nothing to choose", "dim")
        if sum(map(cell_len, labels)) > room:
            label = labels[index] if index >= 0 else " choose "
            return joined("‹", plain(label, "reverse"), f"› {index + 1} of {len(labels)}")
        pieces, at = [], 0
        for i, label in enumerate(labels):
            self._places.append((at, at + cell_len(label), i))
            at += cell_len(label)
            pieces.append(plain(label, "reverse" if i == index else ""))
        return joined(*pieces)

    def action_move(self, by: int) -> None:
        """Select the next choice, after the last one the first."""
        if self._choices:
            here = self._index
            self._choose((here + by) % len(self._choices) if here >= 0 or by > 0 else 0)

    def on_click(self, event: events.Click) -> None:
        if not self._places:
            self.action_move(1)
        for start, end, index in self._places:
            if start <= event.x < end:
                self._choose(index)

    def _choose(self, index: int) -> None:
        choice = self._choices[index]
        self._chosen, self.given = (choice.value,), choice.value
        self.refresh()
        self.post_message(EntryEdited())


class MenuEntry(Rows, Leaving):
    """Choices without marks: enter chooses the selected one."""

    HELP = "Enter chooses the selected line; esc leaves the field unchanged."

    def __init__(self, field: Field, keys: Keys) -> None:
        super().__init__()
        self._field = field
        self.given: Any = None
        """What the user chose."""
        self.bind_keys(keys)

    def on_mount(self) -> None:
        choices, chosen = self._field.choices, self._field.chosen
        lines = [
            joined(f" {safe_text(each.label)}  ", plain(each.description, "dim"))
            for each in choices
        ]
        self.show(lines, next((i for i, each in enumerate(choices) if each.value in chosen), 0))

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.given = self._field.choices[event.index].value
        self.post_message(EntryLeft("enter"))


TextEntry = LineEntry | BoxEntry


def text_entry(field: Field, text: str, keys: Keys) -> TextEntry:
    """Return the entry of a text field."""
    return (BoxEntry if field.kind == "box" else LineEntry)(field, text, keys)
