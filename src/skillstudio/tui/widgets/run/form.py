"""The inputs of an operation: the fields of a new skill's questions, with their own words."""

from __future__ import annotations

from typing import Any, ClassVar

from skillstudio.session.wizard_fields import FieldShown
from skillstudio.tui.widgets.new.entries import BoxEntry, ChoiceEntry, Entry, LineEntry
from skillstudio.tui.widgets.new.field import Field
from skillstudio.tui.widgets.new.form import QuestionForm

_WORDS = """What is typed is checked against the schema at every key, and the plan beside follows.
An empty field gives nothing, which is never null; "" is the text that is empty. Enter, up and down
go from field to field, esc leaves the form, f5 runs."""


class InputLine(LineEntry):
    """One line."""

    HELP = _WORDS


class SecretLine(LineEntry):
    """One line that is not shown."""

    HELP = """A sensitive value. It is not shown, not kept with the run and in no sample; where the
field stays empty a dummy stands for it. Enter, up and down go from field to field, esc leaves the
form, f5 runs."""


class InputBox(BoxEntry):
    """Several lines: JSON, or a long text."""

    HELP = f"""Several lines; tab goes to the next field. {_WORDS}"""


class InputChoice(ChoiceEntry):
    """The values that there are."""

    HELP = """The values that this input takes, as they are: the one under the cursor is given.
Enter goes to the next field, esc leaves the form, f5 runs."""


class InputField(Field):
    """One input with its state."""

    def make_entry(self, shown: FieldShown, given: Any) -> Entry:
        if shown.kind == "one":
            return InputChoice(False, shown.choices, shown.marked, given)
        text = given if isinstance(given, str) else shown.text
        if shown.kind == "box":
            return InputBox(text, shown.hint)
        if shown.kind == "secret":
            return SecretLine(text, shown.hint, secret=True)
        return InputLine(text, shown.hint)


class InputForm(QuestionForm):
    """The inputs, the variables, and how it is run."""

    DEFAULT_CSS = """
    InputForm { width: 1fr; height: 1fr; min-width: 20; min-height: 3; }
    """
    FIELD: ClassVar[type[Field]] = InputField

    def go_to_first(self) -> None:
        """Focus the first field that something stands against, else the first."""
        fields = self.fields
        wanting = [f for f in fields if f.shown.state.standing in ("wrong", "open")]
        for field in (wanting or fields)[:1]:
            field.entry.focus()
