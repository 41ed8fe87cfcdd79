"""What an answer is given in: a line, a box of lines, a list of choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, TextArea

from skillstudio.scaffold.new.interview import AnswerChoice
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.entry import EntryArea, EntryLine
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

MOST_ROWS = 6
"""Choices in sight at once."""


class AnswerEdited(Message):
    """The answer is another now."""


class FieldLeft(Message):
    """The user goes on to the next field, or back to the one before."""

    def __init__(self, step: int = 1, answered: bool = True) -> None:
        """`answered`: the field was left as one that is done, so the last one ends the form."""
        super().__init__()
        self.step = step
        self.answered = answered


class WizardLineEntry(EntryLine):
    """One line."""

    HELP = """The answer is checked while you type, and what is wrong with it stands below. Enter
goes to the next field, from the last one to the preview; up and down go from field to field, esc
goes back a step and keeps every answer."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1)", "Field before", show=False),
        Binding("down", "go(1)", "Next field", show=False),
    ]

    def __init__(self, text: str, hint: str, secret: bool = False, replace: bool = False) -> None:
        """`replace`: what is typed first takes the place of the text."""
        super().__init__(
            text, safe_text(hint), compact=True, password=secret, select_on_focus=replace
        )
        self.cursor_blink = False

    def show_text(self, text: str) -> None:
        """Hold another text; where nobody types its beginning is in sight."""
        self.value = text
        self.cursor_position = len(text) if self.has_focus else 0

    @property
    def text(self) -> str:
        return self.value

    def on_focus(self) -> None:
        if not self.cursor_position:
            self.cursor_position = len(self.value)
        # Only the first time: later on what is typed is somebody's.
        self.call_later(setattr, self, "select_on_focus", False)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(AnswerEdited())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(FieldLeft())

    def _on_paste(self, event: events.Paste) -> None:
        # What comes from elsewhere may hold what steers a terminal. The widget takes it after this.
        event.text = safe_text(event.text, keep_newlines=True)

    def action_go(self, step: int) -> None:
        self.post_message(FieldLeft(step, answered=False))


class WizardBoxEntry(EntryArea):
    """Several lines."""

    HELP = """Several lines of text. Tab goes to the next field, shift+tab to the one before; esc
goes back a step and keeps every answer."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(
            text, compact=True, tab_behavior="focus", placeholder=Content(safe_text(hint))
        )
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    def show_text(self, text: str) -> None:
        """Hold another text."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(AnswerEdited())

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = safe_text(event.text, keep_newlines=True)


class ChoiceEntry(Rows):
    """Choices: the selected one is taken, or each with a key of its own."""

    HELP = """The choices of a question. The selected one is taken; where more than one may
be, space takes it or lets it go. Enter goes to the next field, esc goes back a step."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "Take or let go", show=False),
    ]

    def __init__(
        self, several: bool, choices: Sequence[AnswerChoice], marked: Sequence[Any], given: Any
    ) -> None:
        """`several`: any number may be taken; `marked` are the values of those that are."""
        super().__init__(empty=Content("nothing to choose"))
        self._several = several
        self._choices = tuple(choices)
        self._marked = list(marked)
        self.given = given
        """What the user chose; MISSING while nothing was touched."""

    def on_mount(self) -> None:
        self.show_choices(self._choices, self._marked)

    def show_choices(self, choices: Sequence[AnswerChoice], marked: Sequence[Any]) -> None:
        """Show these choices and those that are taken."""
        self._choices, self._marked = tuple(choices), list(marked)
        self.styles.height = min(max(len(choices), 1), MOST_ROWS)
        at = next((i for i, each in enumerate(choices) if each.value in self._marked), 0)
        self._draw(self.cursor if self._several else at)

    def _draw(self, cursor: int) -> None:
        self.show([self._line(each) for each in self._choices], cursor)

    def _line(self, choice: AnswerChoice) -> Content:
        taken = choice.value in self._marked
        mark = ("[x]" if taken else "[ ]") if self._several else ("(•)" if taken else "( )")
        off = plain(f"  not now: {choice.refused}", "dim") if choice.refused else Content("")
        return joined(f"{mark} ", plain(choice.label), off)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        # At once and not by a message: the next key may ask for the answer.
        if old != new and not self._several and new < len(self._choices):
            self._take(new)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not self._several and not self._marked:
            self._take(event.index)
        self.post_message(FieldLeft())

    def _take(self, index: int) -> None:
        self._marked = [self._choices[index].value]
        self._give(self._marked[0], index)

    def _give(self, value: Any, cursor: int) -> None:
        self.given = value
        self._draw(cursor)
        self.post_message(AnswerEdited())

    def action_switch(self) -> None:
        """Take the selected choice, or let go of it where several may be taken."""
        if not self._choices:
            return
        if not self._several:
            self._take(self.cursor)
            return
        value = self._choices[self.cursor].value
        kept = [each for each in self._marked if each != value]
        self._marked = kept if len(kept) < len(self._marked) else [*self._marked, value]
        self._give(list(self._marked), self.cursor)


Entry = WizardLineEntry | WizardBoxEntry | ChoiceEntry
