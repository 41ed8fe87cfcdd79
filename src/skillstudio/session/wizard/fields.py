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
    return [where, *(_field(state, question) for question in state.visible_questions)]


def kind_of(asked_question: AskedQuestion) -> FieldKind:
    """The kind of field for a question."""
    question = asked_question.question
    if asked_question.choices:
        return "some" if question.multiselect else "one"
    if asked_question.type == "bool" and not question.multiselect:
        return "switch"
    if question.secret:
        return "secret"
    return (
        "box"
        if question.multiline or "\n" in text_of(asked_question, asked_question.default)
        else "line"
    )


def options(asked_question: AskedQuestion) -> tuple[FieldChoice, ...]:
    """The choices of a question."""
    if asked_question.choices:
        return tuple(
            FieldChoice(
                choice.label, choice.value, f"not now: {choice.refusal}" if choice.refusal else ""
            )
            for choice in asked_question.choices
        )
    return YES_NO if kind_of(asked_question) == "switch" else ()


def _find_selection(asked_question: AskedQuestion, answer: Any) -> tuple[Any, ...]:
    value = asked_question.default if answer is MISSING else answer
    if value is MISSING:
        return ()
    return (
        tuple(value)
        if isinstance(value, list) and asked_question.question.multiselect
        else (value,)
    )


def _field(state: WizardState, asked_question: AskedQuestion) -> Field:
    kind = kind_of(asked_question)
    return Field(
        asked_question.name,
        asked_question.name,
        kind,
        one_paragraph(asked_question.help, _MOST_HELP),
        state_of(state, asked_question),
        safe_text(text_of(asked_question, asked_question.default), keep_newlines=kind == "box"),
        hint_of(asked_question),
        options(asked_question),
        _find_selection(asked_question, state.content.answers.get(asked_question.name, MISSING)),
        required=asked_question.default is MISSING,
    )


def text_of(asked_question: AskedQuestion, value: Any) -> str:
    """A value as it is typed in a field; "" if it is missing or secret."""
    if value is MISSING or asked_question.question.secret:
        return ""
    if asked_question.type in ("json", "yaml") or asked_question.question.multiselect:
        return _data(asked_question, value)
    return value if isinstance(value, str) else json.dumps(value)


def hint_of(asked_question: AskedQuestion) -> str:
    """The text shown in an empty field."""
    if asked_question.question.secret and asked_question.default is not MISSING:
        return "the template's default"
    if asked_question.placeholder:
        return asked_question.placeholder
    return {"int": "a whole number", "float": "a number", "json": "JSON", "yaml": "YAML"}.get(
        asked_question.type, ""
    )


def state_of(state: WizardState, asked_question: AskedQuestion) -> FieldState:
    """The state of an answer."""
    if asked_question.problems:
        return FieldState(
            "error", tuple(problem.removeprefix(":").strip() for problem in asked_question.problems)
        )
    if asked_question.answer is MISSING:
        return FieldState("missing", ("required",))
    if state.namesake and asked_question.name == state.name_question:
        return FieldState("warning", (f"{state.namesake} has the same name",))
    return FieldState("ok" if asked_question.was_given else "default", ())


def summary(state: WizardState) -> str:
    """The fields that the preview still needs, "" for none; why one is invalid is shown there."""
    missing = state.missing
    groups = {
        "invalid": [name for name in state.problem_fields if name not in missing],
        "required": [name for name in state.problem_fields if name in missing],
    }
    return "; ".join(f"{word}: {_names(names)}" for word, names in groups.items() if names)


def _names(names: Sequence[str]) -> str:
    suffix = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(name or 'the folder' for name in names[:3])}{suffix}"


def _data(asked_question: AskedQuestion, value: Any) -> str:
    """A value as JSON, which is also YAML; a string unquoted if YAML reads it unchanged."""
    if isinstance(value, str) and asked_question.type == "yaml":
        try:
            if read_value(value) == value:
                return value
        except ValueError:
            pass
    return json.dumps(value, ensure_ascii=False)
