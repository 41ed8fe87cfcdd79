"""How the questions of a template are put on a form: the kind of field, its text, its state."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from skillstudio.scaffold.new.copier_file import read_value
from skillstudio.scaffold.new.interview import AnswerChoice, AskedQuestion
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.wizard.state import WHERE, WizardState
from skillstudio.text.safe import safe_text

Kind = Literal["line", "secret", "box", "one", "some"]
"""A line, one that is not shown, several lines, one of some choices, any number of them."""
FieldStatus = Literal["wrong", "open", "taken", "default", "good"]
"""`taken` may stay as it is, but someone should know."""

_YES_NO = (AnswerChoice("yes", True), AnswerChoice("no", False))
_MOST_TOLD = 600
"""Characters of a help text that are shown."""


class FieldState(NamedTuple):
    """How a field stands, in sentences."""

    status: FieldStatus
    sentences: tuple[str, ...]


class FieldView(NamedTuple):
    """All that a field shows."""

    name: str
    """The question's, or WHERE."""
    title: str
    help: str
    kind: Kind
    state: FieldState
    text: str = ""
    """What the field holds while nobody has touched it."""
    hint: str = ""
    choices: tuple[AnswerChoice, ...] = ()
    marked: tuple[Any, ...] = ()
    """The values of the choices that are taken."""


def fields_of(state: WizardState, place: str) -> list[FieldView]:
    """The field for the new folder, which is shown as `place`, and those of the questions."""
    where = FieldView(
        WHERE, "folder", "The new folder, which the skill is named after", "line",
        _where_state(state, place), hint="such as commit-helper",
    )  # fmt: skip
    return [where, *(_field(state, each) for each in state.shown)]


def answer_of(field: FieldView, typed: str) -> Any:
    """The answer that a typed text is; MISSING where the field is as the template has it."""
    return MISSING if field.name != WHERE and typed == field.text else typed


def kind_of(asked: AskedQuestion) -> Kind:
    """The field that a question needs."""
    question = asked.question
    if asked.choices:
        return "some" if question.multiselect else "one"
    if asked.type == "bool" and not question.multiselect:
        return "one"
    if question.secret:
        return "secret"
    return "box" if question.multiline or "\n" in text_of(asked, asked.default) else "line"


def options(asked: AskedQuestion) -> tuple[AnswerChoice, ...]:
    """What there is to choose."""
    return asked.choices or (_YES_NO if kind_of(asked) == "one" else ())


def _marked(asked: AskedQuestion, given: Any) -> tuple[Any, ...]:
    """The values that are taken: those that were given, else those of the default."""
    value = asked.default if given is MISSING else given
    if value is MISSING:
        return ()
    return tuple(value) if isinstance(value, list) and asked.question.multiselect else (value,)


def _field(state: WizardState, asked: AskedQuestion) -> FieldView:
    kind = kind_of(asked)
    return FieldView(
        asked.name,
        asked.name,
        help_of(asked),
        kind,
        state_of(state, asked),
        safe_text(text_of(asked, asked.default), keep_newlines=kind == "box"),
        hint_of(asked),
        options(asked),
        _marked(asked, state.typed.given.get(asked.name, MISSING)),
    )


def text_of(asked: AskedQuestion, value: Any) -> str:
    """A value as it is typed in a field; "" where there is none or it is not shown."""
    if value is MISSING or asked.question.secret:
        return ""
    if asked.type in ("json", "yaml") or asked.question.multiselect:
        return _data(asked, value)
    return value if isinstance(value, str) else json.dumps(value)


def help_of(asked: AskedQuestion) -> str:
    """What the question asks, in one paragraph."""
    text = " ".join(asked.help.split())
    return text if len(text) <= _MOST_TOLD else f"{text[:_MOST_TOLD]}…"


def hint_of(asked: AskedQuestion) -> str:
    """What an empty field says."""
    if asked.question.secret and asked.default is not MISSING:
        return "as the template has it"
    if asked.placeholder:
        return asked.placeholder
    return {"int": "a whole number", "float": "a number", "json": "JSON", "yaml": "YAML"}.get(
        asked.type, ""
    )


def state_of(state: WizardState, asked: AskedQuestion) -> FieldState:
    """How the answer to a question stands."""
    if asked.problems:
        return FieldState("wrong", tuple(each.removeprefix(":").strip() for each in asked.problems))
    if asked.answer is MISSING:
        return FieldState("open", ("needs an answer",))
    if state.namesake and asked.name == state.name_question:
        return FieldState("taken", (f"taken: {state.namesake} has this name, too",))
    return FieldState("good", ("good",)) if asked.given else FieldState("default", ("the default",))


def _where_state(state: WizardState, place: str) -> FieldState:
    """How the destination stands; `place` is how it is shown."""
    if state.where_fault:
        return FieldState("wrong", (state.where_fault,))
    return FieldState("good", (f"makes {place}",))


def summary(state: WizardState) -> str:
    """What is left to do before the preview; "" where nothing is."""
    lacking = ["the folder" if name == WHERE else name for name in state.lacking]
    if not lacking:
        return ""
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return f"still to do: {', '.join(lacking[:3])}{more}"


def _data(asked: AskedQuestion, value: Any) -> str:
    """A value as JSON, which is YAML too; a plain text as it is where it reads as itself."""
    if isinstance(value, str) and asked.type == "yaml":
        try:
            if read_value(value) == value:
                return value
        except ValueError:
            # It would be read as something else: quotes keep it what it is.
            return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)
