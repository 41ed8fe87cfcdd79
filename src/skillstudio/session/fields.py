"""The fields that forms show: the questions of a wizard, the inputs of a run, a manifest's keys."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from skillstudio.scaffold.new.template import MISSING

FieldKind = Literal["line", "secret", "box", "one", "some"]
"""One line, one hidden line, several lines, one of the choices, any number of the choices."""
FieldStatus = Literal["error", "missing", "warning", "default", "ok"]


class FieldChoice(NamedTuple):
    """A value to choose."""

    label: str
    value: Any
    description: str = ""
    refused: str = ""
    """Why it cannot be chosen now."""


class FieldState(NamedTuple):
    """Whether the value of a field can be used, in sentences."""

    status: FieldStatus
    sentences: tuple[str, ...]


class Field(NamedTuple):
    """All that a field shows."""

    name: str
    label: str
    kind: FieldKind
    help: str = ""
    state: FieldState = FieldState("ok", ())
    text: str = ""
    """The text before the user edits it."""
    hint: str = ""
    """What an empty field shows."""
    choices: tuple[FieldChoice, ...] = ()
    chosen: tuple[Any, ...] = ()
    """The values of the choices that are taken."""
    is_proposal: bool = False
    """Whether the text is an answer unless the user types another over it."""


def answer_of(field: Field, typed: str) -> Any:
    """The answer that a typed text is; MISSING while the text is not edited."""
    return MISSING if typed == field.text and not field.is_proposal else typed
