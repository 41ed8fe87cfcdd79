"""One question on the form: what it asks, its answer, and how the answer stands."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from skillstudio.session.wizard.fields import FieldState, FieldStatus, FieldView, answer_of
from skillstudio.session.wizard.state import WHERE
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.new.entries import (
    AnswerEdited,
    ChoiceEntry,
    Entry,
    WizardBoxEntry,
    WizardLineEntry,
)
from skillstudio.tui.widgets.new.sentences import Sentences
from skillstudio.tui.words import joined, plain

SIGNS: dict[FieldStatus, tuple[str, str]] = {
    "wrong": ("✗", "$text-error"),
    "open": ("○", "$text-warning"),
    "taken": ("!", "$text-warning"),
    "default": ("·", "dim"),
    "good": ("✓", "$text-success"),
}


class QuestionField(Vertical):
    """Three lines: the question, its entry, its state. A bar on the left shows the focus."""

    DEFAULT_CSS = """
    QuestionField { height: auto; min-width: 24; border-left: blank; padding: 0 1 0 0; }
    QuestionField:focus-within { border-left: outer $primary; }
    QuestionField > Input, QuestionField > TextArea, QuestionField > ChoiceEntry {
        background: $surface;
    }
    QuestionField > TextArea { height: 5; }
    """

    class AnswerChanged(Message):
        """The answer to a question is another."""

    def __init__(self, shown: FieldView, given: Any) -> None:
        """`given` is the answer as it was typed or chosen; MISSING where it was not."""
        super().__init__()
        self.shown = shown
        self._title = Sentences(_title(shown))
        self._entry = self.make_entry(shown, given)
        self._state = Sentences(_state(shown.state))

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._entry
        yield self._state

    def make_entry(self, shown: FieldView, given: Any) -> Entry:
        """What the answer is given in."""
        if shown.kind in ("one", "some"):
            return ChoiceEntry(shown.kind == "some", shown.choices, shown.marked, given)
        text = given if isinstance(given, str) else shown.text
        if shown.kind == "box":
            return WizardBoxEntry(text, shown.hint)
        return WizardLineEntry(text, shown.hint, shown.kind == "secret", shown.name == WHERE)

    @property
    def entry(self) -> Entry:
        """What takes the focus."""
        return self._entry

    @property
    def question(self) -> str:
        """The name of the question, or WHERE."""
        return self.shown.name

    async def show(self, shown: FieldView, given: Any) -> None:
        """Show how the question stands now; what somebody typed stays."""
        before, self.shown = self.shown, shown
        self._title.say(_title(shown))
        self._state.say(_state(shown.state))
        entry = self._entry
        if shown.kind != before.kind:
            focused = entry.has_focus
            self._entry = self.make_entry(shown, given)
            await self.mount(self._entry, before=entry)
            await entry.remove()
            if focused:
                self._entry.focus()
        elif isinstance(entry, ChoiceEntry):
            if (shown.choices, shown.marked) != (before.choices, before.marked):
                entry.show_choices(shown.choices, shown.marked)
        elif shown.text != before.text and entry.text == before.text:
            entry.show_text(shown.text)

    @property
    def answer(self) -> Any:
        """What is typed or chosen now; MISSING while it is what the template has."""
        entry = self._entry
        return entry.given if isinstance(entry, ChoiceEntry) else answer_of(self.shown, entry.text)

    def on_answer_edited(self, event: AnswerEdited) -> None:
        event.stop()
        self.post_message(self.AnswerChanged())

    def on_descendant_focus(self) -> None:
        # The question and its state are to be seen with what is typed.
        self.scroll_visible(animate=False)


def _title(shown: FieldView) -> Content:
    help_ = plain(f"  {shown.help}", "$foreground 70%") if shown.help else Content("")
    return joined(plain(shown.title, "bold"), help_)


def _state(state: FieldState) -> Content:
    glyph, style = SIGNS[state.status]
    lines = [Content.styled(f"{glyph} {safe_text(each)}", style) for each in state.sentences]
    return Content("\n").join(lines)
