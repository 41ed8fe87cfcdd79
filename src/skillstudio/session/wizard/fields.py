"""The questions of a template as fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from skillstudio.scaffold.new.copier_file import read_value
from skillstudio.scaffold.new.interview import AskedQuestion
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.fields import (
    YES_NO,
    Field,
    FieldChoice,
    FieldKind,
    FieldState,
    one_paragraph,
)
from skillstudio.session.wizard.state import WHERE, WizardState
from skillstudio.text.safe import safe_text

_MOST_HELP = 600


def fields_of(state: WizardState, place: str) -> list[Field]:
    """The field for the new folder, which is shown as `place`, and the fields of the questions."""
    fault = state.where_fault
    where = Field(
        WHERE, "folder", "line", "The new folder, which gives the skill its name",
        FieldState("error", (fault,)) if fault else FieldState("ok", (f"creates {place}",)),
        hint="such as commit-helper", is_proposal=True, required=True,
    )  # fmt: skip
    return [where, *(_field(state, question) for question in state.shown)]


def kind_of(asked: AskedQuestion) -> FieldKind:
    """The kind of field for a question."""
    question = asked.question
    if asked.choices:
        return "some" if question.multiselect else "one"
    if asked.type == "bool" and not question.multiselect:
        return "switch"
    if question.secret:
        return "secret"
    return "box" if question.multiline or "\n" in text_of(asked, asked.default) else "line"


def options(asked: AskedQuestion) -> tuple[FieldChoice, ...]:
    """The choices of a question."""
    if asked.choices:
        return tuple(
            FieldChoice(
                choice.label, choice.value, f"not now: {choice.refused}" if choice.refused else ""
            )
            for choice in asked.choices
        )
    return YES_NO if kind_of(asked) == "switch" else ()


def _chosen(asked: AskedQuestion, given: Any) -> tuple[Any, ...]:
    value = asked.default if given is MISSING else given
    if value is MISSING:
        return ()
    return tuple(value) if isinstance(value, list) and asked.question.multiselect else (value,)


def _field(state: WizardState, asked: AskedQuestion) -> Field:
    kind = kind_of(asked)
    return Field(
        asked.name,
        asked.name,
        kind,
        one_paragraph(asked.help, _MOST_HELP),
        state_of(state, asked),
        safe_text(text_of(asked, asked.default), keep_newlines=kind == "box"),
        hint_of(asked),
        options(asked),
        _chosen(asked, state.typed.given.get(asked.name, MISSING)),
        required=asked.default is MISSING,
    )


def text_of(asked: AskedQuestion, value: Any) -> str:
    """A value as it is typed in a field; "" if it is missing or secret."""
    if value is MISSING or asked.question.secret:
        return ""
    if asked.type in ("json", "yaml") or asked.question.multiselect:
        return _data(asked, value)
    return value if isinstance(value, str) else json.dumps(value)


def hint_of(asked: AskedQuestion) -> str:
    """The text shown in an empty field."""
    if asked.question.secret and asked.default is not MISSING:
        return "the template's default"
    if asked.placeholder:
        return asked.placeholder
    return {"int": "a whole number", "float": "a number", "json": "JSON", "yaml": "YAML"}.get(
        asked.type, ""
    )


def state_of(state: WizardState, asked: AskedQuestion) -> FieldState:
    """The state of an answer."""
    if asked.problems:
        return FieldState(
            "error", tuple(problem.removeprefix(":").strip() for problem in asked.problems)
        )
    if asked.answer is MISSING:
        return FieldState("missing", ("required",))
    if state.namesake and asked.name == state.name_question:
        return FieldState("warning", (f"{state.namesake} has the same name",))
    return FieldState("ok" if asked.given else "default", ())


def summary(state: WizardState) -> str:
    """The fields that the preview still needs, "" for none; why one is invalid is shown there."""
    missing = state.missing
    groups = {
        "invalid": [name for name in state.lacking if name not in missing],
        "required": [name for name in state.lacking if name in missing],
    }
    return "; ".join(f"{word}: {_names(names)}" for word, names in groups.items() if names)


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(name or 'the folder' for name in names[:3])}{more}"


def _data(asked: AskedQuestion, value: Any) -> str:
    """A value as JSON, which is also YAML; a string unquoted if YAML reads it unchanged."""
    if isinstance(value, str) and asked.type == "yaml":
        try:
            if read_value(value) == value:
                return value
        except ValueError:
            pass
    return json.dumps(value, ensure_ascii=False)
