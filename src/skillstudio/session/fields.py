"""The fields of forms: the questions of a wizard, the inputs of a run, the keys of a manifest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from skillstudio.scaffold.new.template import MISSING

FieldKind = Literal["line", "secret", "box", "switch", "one", "some"]
"""A line, a hidden line, several lines; choices side by side, in rows, or any number of them."""
FieldStatus = Literal["error", "missing", "warning", "info", "default", "ok"]


class FieldChoice(NamedTuple):
    """A value to choose."""

    label: str
    value: Any
    description: str = ""


YES_NO = (FieldChoice("yes", True), FieldChoice("no", False))


class FieldState(NamedTuple):
    """Whether the value of a field is valid, with messages."""

    status: FieldStatus
    sentences: tuple[str, ...]


class Field(NamedTuple):
    """The content of a field."""

    name: str
    label: str
    kind: FieldKind
    help: str = ""
    state: FieldState = FieldState("ok", ())
    text: str = ""  # The text before the user edits it.
    hint: str = ""  # The text shown while it is empty.
    choices: tuple[FieldChoice, ...] = ()
    selection: tuple[Any, ...] = ()  # The values of the selected choices.
    is_proposal: bool = False  # Whether the text is the answer unless the user edits it.
    required: bool = False
    unset: str = ""  # What the field has without an answer; "" if that is no choice.

    @property
    def chosen_index(self) -> int:
        """The index of the first selected choice; -1 if none is."""
        indexes = (
            index
            for index, choice in enumerate(self.choices)
            if any(same(choice.value, value) for value in self.selection)
        )
        return next(indexes, -1)

    def next_index(self, by: int = 1) -> int:
        """The index of the next choice, after the last one the first; at first the first."""
        here = self.chosen_index
        return (here + by) % len(self.choices) if here >= 0 else 0


def same(value: Any, other: Any) -> bool:
    """Whether two values are equal in JSON, where true is not 1."""
    return type(value) is type(other) and bool(value == other)


def shown_value(value: Any) -> str:
    """A value as it is typed: a string unquoted unless it is empty, anything else as JSON."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def default_text(default: Any, choices: Sequence[FieldChoice] = ()) -> str:
    """The default of a field without an answer, as its choice if it has choices."""
    labels = [choice.label for choice in choices if same(choice.value, default)]
    return f"default: {labels[0] if labels else shown_value(default)}"


def one_paragraph(text: str, most: int) -> str:
    """A help text in one paragraph of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most]}…"


def answer_of(field: Field, text: str) -> Any:
    """The answer for a typed text; MISSING while the text is not edited."""
    return MISSING if text == field.text and not field.is_proposal else text
