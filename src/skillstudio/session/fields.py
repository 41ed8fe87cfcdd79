"""The fields of forms: the questions of a wizard, the inputs of a run, the keys of a manifest."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from skillstudio.scaffold.new.template import MISSING

FieldKind = Literal["line", "secret", "box", "one", "some"]
"""A line, a hidden line, several lines, one of the choices, any number of the choices."""
FieldStatus = Literal["error", "missing", "warning", "default", "ok"]


class FieldChoice(NamedTuple):
    """A value to choose."""

    label: str
    value: Any
    description: str = ""
    refused: str = ""


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
    chosen: tuple[Any, ...] = ()  # The values of the selected choices.
    is_proposal: bool = False  # Whether the text is the answer unless the user edits it.


def shown_value(value: Any) -> str:
    """A value as it is typed: a string unquoted unless it is empty, anything else as JSON."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def one_paragraph(text: str, most: int) -> str:
    """A help text in one paragraph of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most]}…"


def answer_of(field: Field, typed: str) -> Any:
    """The answer for a typed text; MISSING while the text is not edited."""
    return MISSING if typed == field.text and not field.is_proposal else typed
