"""The questions of one template with the answers so far.

Every change evaluates all questions in order because each can depend on earlier answers.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from skillstudio.scaffold.new.copier_file import CopierPosition, TemplateFault, read_value
from skillstudio.scaffold.new.renderer import (
    Confinement,
    Renderer,
    RenderFailure,
    RenderItem,
    marks_of,
)
from skillstudio.scaffold.new.template import MISSING, TYPES, Question, Template, read_contents
from skillstudio.text.safe import safe_text

NAMES = ("name", "skill_name")  # Questions that ask for the skill's name.
_SYSTEMS = {"darwin": "macos", "win32": "windows"}
MAX_ANSWER = 10_000  # Characters in an answer.
_TRUE = frozenset({"y", "yes", "t", "true", "on", "1"})
_FALSE = frozenset({"n", "no", "f", "false", "off", "0", "", "~", "null", "none"})


class NotThatType(ValueError):
    """A value does not have the type of its question; the message says why."""


class AnswerChoice(NamedTuple):
    """A value to choose, its label, and why it cannot be chosen now, or ""."""

    label: str
    value: Any
    refusal: str = ""


class AskedQuestion(NamedTuple):
    """One question, evaluated with the answers before it."""

    question: Question
    is_shown: bool  # Whether its condition is true; if not, its default is the answer.
    type: str
    help: str
    placeholder: str
    choices: tuple[AnswerChoice, ...]
    default: Any = MISSING
    was_given: bool = False
    answer: Any = MISSING  # The given value, else the default; MISSING if neither is usable.
    problems: tuple[str, ...] = ()
    """Problems of the answer, each phrased to follow the question's name."""

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def open(self) -> bool:
        """Whether it still needs an answer."""
        return self.is_shown and not self.was_given

    @property
    def sentences(self) -> list[str]:
        """The problems, each prefixed with the question's name."""
        # The default of a name is the folder's name, which was typed.
        was_typed = self.was_given or self.name in NAMES
        who = self.name if was_typed else f"the default of {self.name}"
        return [f"{who}{'' if problem[:1] == ':' else ' '}{problem}" for problem in self.problems]


class Interview(AbstractContextManager["Interview"]):
    """The questions of one template for one new folder. Close it to end its process."""

    def __init__(
        self, template: Template, folder: str, confinement: Confinement | None = None
    ) -> None:
        """`folder` is the name of the new folder. Raises TemplateFault."""
        self.template = template
        self.folder = folder
        self.contents = read_contents(template.tree, template.location, template.preserves_links)
        options = (template.envops, self.contents.texts, template.extensions)
        self.renderer = Renderer(*options, confinement=confinement)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that renders."""
        self.renderer.close()

    def end(self) -> None:
        """Cancel a rendering in another thread; the interview stays usable."""
        self.renderer.end()

    def walk(self, given_answers: Mapping[str, Any]) -> list[AskedQuestion]:
        """Evaluate every question with the answers. Raises TemplateFault, RendererMissing."""
        asked_questions: list[AskedQuestion] = []
        answers: dict[str, Any] = {}
        for question in self.template.questions:
            asked_question = self._ask(
                question, given_answers, answers, len(answers) == len(asked_questions)
            )
            asked_questions.append(asked_question)
            if asked_question.answer is not MISSING:
                answers[question.name] = asked_question.answer
        return asked_questions

    def context(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The names that templates may use; the only local fact is the operating system."""
        secret = {question.name for question in self.template.questions if question.secret}
        return {
            **answers,
            "_folder_name": self.folder,
            "_copier_answers": {key: answers[key] for key in answers if key not in secret},
            "_copier_conf": {
                "answers_file": self.template.answers_file,
                "sep": "/",
                "os": _SYSTEMS.get(sys.platform, "linux"),
            },
            "_copier_operation": "copy",
            "_copier_phase": "prompt",
        }

    def fault_of(self, failure: RenderFailure, path: str, place: CopierPosition) -> TemplateFault:
        """A render error as a fault with its file and position."""
        if failure.name is not None:
            path = f"{self.template.location}/{failure.name}"
            place = self._place_in(failure.name, failure.line)
        elif failure.line is not None and failure.line > 1:
            place = CopierPosition(place.line + failure.line - 1, 1)
        return TemplateFault(failure.message, path, place)

    def _place_in(self, name: str, line: int | None) -> CopierPosition:
        """The position of the first template expression in a line of a file."""
        lines = self.contents.texts.get(name, "").split("\n")
        if line is None or not 1 <= line <= len(lines):
            return CopierPosition(1, 1)
        text = lines[line - 1]
        columns = [at for mark in marks_of(self.template.envops) if (at := text.find(mark)) >= 0]
        return CopierPosition(line, min(columns, default=len(text) - len(text.lstrip())) + 1)

    def _ask(
        self,
        question: Question,
        given_answers: Mapping[str, Any],
        answers: dict[str, Any],
        complete: bool,
    ) -> AskedQuestion:
        """`complete`: every earlier question has an answer, so undefined names are errors."""
        rendered_question = _RenderedQuestion(self, question, self.context(answers), complete)
        kind = rendered_question.text("type") or "yaml"
        if kind not in TYPES:
            raise self.template.config.fault(
                f"unknown type {kind!r}; use one of {', '.join(TYPES)}", question.name, "type"
            )
        is_shown = truth(rendered_question.value("when"))
        choices = rendered_question.choices()
        texts = (rendered_question.text("help"), rendered_question.text("placeholder"))
        asked_question = AskedQuestion(question, is_shown, kind, *texts, choices)
        default = rendered_question.value("default")
        if default is MISSING and question.name == self.name_question:
            default = self.folder
        if default is not MISSING:
            try:
                default = _read(asked_question, default)
            except NotThatType as error:
                if is_shown:
                    why = f"the default {error}"
                    raise self.template.config.fault(why, question.name, "default") from None
        asked_question = asked_question._replace(default=default, answer=default)
        if not is_shown:
            return asked_question
        answer = default
        problems: list[str] = []
        if question.name in given_answers:
            asked_question = asked_question._replace(was_given=True)
            try:
                answer = _read(asked_question, given_answers[question.name])
            except NotThatType as error:
                return asked_question._replace(answer=MISSING, problems=(str(error),))
            # An empty string is not an answer if the template has no default.
            if default is MISSING and isinstance(answer, str) and not answer.strip():
                problems.append("is empty")
        if answer is not MISSING:
            problems += self._problems(asked_question, answer, answers)
        return asked_question._replace(answer=answer, problems=tuple(problems))

    @property
    def name_question(self) -> str:
        """The question that asks for the skill's name, or ""."""
        question_names = {question.name for question in self.template.questions}
        return next((name for name in NAMES if name in question_names), "")

    def _problems(
        self, asked_question: AskedQuestion, answer: Any, answers: dict[str, Any]
    ) -> list[str]:
        question = asked_question.question
        problems = text_faults(
            answer, question.multiline or asked_question.type in ("json", "yaml")
        )
        if problems:
            return problems
        if question.name == self.name_question and isinstance(answer, str):
            dialect = self.template.dialect
            # Without a declared dialect, `name` may be the name of anything.
            if dialect or question.name == "skill_name":
                problems = name_faults(answer, self.folder, dialect)
        if question.validator:
            context = self.context({**answers, question.name: answer})
            (reply,) = self.renderer.render(context, [RenderItem("text", question.validator)])
            if isinstance(reply, RenderFailure):
                place = self.template.config.place(question.name, "validator")
                raise self.fault_of(reply, self.template.config.path, place)
            if reply.strip():
                problems.append(f": {reply.strip()[:500]}")
        return problems


class _RenderedQuestion:
    """Evaluate the parts of one question with the answers before it."""

    def __init__(
        self, interview: Interview, question: Question, context: Mapping[str, Any], complete: bool
    ) -> None:
        self._interview = interview
        self._question = question
        self._complete = complete
        parts: dict[str, str] = {}
        for part in ("type", "help", "placeholder", "when", "default", "choices"):
            _collect(getattr(question, part), part, parts)
        replies = interview.renderer.render(context, [RenderItem("text", text) for text in parts])
        self._replies = dict(zip(parts, replies, strict=True))
        self._parts = parts

    def text(self, part: str) -> str:
        return str(self.value(part) or "")

    def value(self, part: str) -> Any:
        """A part with all strings rendered; MISSING for an absent default."""
        return self._fill_value(getattr(self._question, part))

    def choices(self) -> tuple[AnswerChoice, ...]:
        """The choices with their labels. Raises TemplateFault."""
        choices = self.value("choices")
        if isinstance(choices, str):
            try:
                choices = read_value(choices)
            except ValueError as error:
                raise self._fault(f"choices {error}") from None
        if isinstance(choices, dict):
            choices = [[key, value] for key, value in choices.items()]
        if choices is MISSING or choices is None:
            return ()
        if not isinstance(choices, list):
            raise self._fault("choices must be a list or a mapping")
        return tuple(map(self._choice, choices))

    def _choice(self, choice: Any) -> AnswerChoice:
        if isinstance(choice, list) and len(choice) == 2:
            label, value = choice
            if isinstance(value, dict):
                if "value" not in value:
                    raise self._fault("a choice has no value")
                return AnswerChoice(str(label), value["value"], str(value.get("validator") or ""))
            return AnswerChoice(str(label), value)
        return AnswerChoice(str(choice), choice)

    def _fill_value(self, value: Any) -> Any:
        if isinstance(value, str):
            reply = self._replies[value]
            return self._handle_failure(value, reply) if isinstance(reply, RenderFailure) else reply
        if isinstance(value, list):
            return [self._fill_value(element) for element in value]
        if isinstance(value, Mapping):
            return {
                self._fill_value(key): self._fill_value(element) for key, element in value.items()
            }
        return value

    def _handle_failure(self, text: str, failure: RenderFailure) -> Any:
        unset = failure.kind == "undefined" and "'UNSET'" in failure.message
        if unset or (failure.kind == "undefined" and not self._complete):
            return MISSING
        config = self._interview.template.config
        place = config.place(self._question.name, self._parts[text])
        raise self._interview.fault_of(failure, config.path, place)

    def _fault(self, message: str) -> TemplateFault:
        return self._interview.template.config.fault(message, self._question.name, "choices")


def _collect(value: Any, part: str, parts: dict[str, str]) -> None:
    """Every string in a question, with the part it first occurs in."""
    if isinstance(value, str):
        parts.setdefault(value, part)
    elif isinstance(value, list):
        for element in value:
            _collect(element, part, parts)
    elif isinstance(value, Mapping):
        _collect([*value, *value.values()], part, parts)


def _read(asked_question: AskedQuestion, value: Any) -> Any:
    """Parse a value by the question's type and choices. Raises NotThatType."""
    if asked_question.question.multiselect:
        items = cast("yaml", value)
        if not isinstance(items, list):
            raise NotThatType("must be a list, such as [a, b]")
        chosen_values = [
            _check_choice(asked_question, cast(asked_question.type, element)) for element in items
        ]
        return (
            [option for option in _values(asked_question) if option in chosen_values]
            if asked_question.choices
            else chosen_values
        )
    return _check_choice(asked_question, cast(asked_question.type, value))


def _values(asked_question: AskedQuestion) -> list[Any]:
    return [cast(asked_question.type, choice.value) for choice in asked_question.choices]


def _check_choice(asked_question: AskedQuestion, value: Any) -> Any:
    if not asked_question.choices:
        return value
    for choice, choice_value in zip(asked_question.choices, _values(asked_question), strict=True):
        if choice_value == value:
            if choice.refusal:
                raise NotThatType(f"cannot be {value}: {choice.refusal}")
            return value
    offered_choices = ", ".join(
        str(choice.value) for choice in asked_question.choices if not choice.refusal
    )
    raise NotThatType(f"must be one of {offered_choices}")


def name_faults(name: str, folder: str, dialect: str | None) -> list[str]:
    """Problems of a name in a SKILL.md, each with the targets that reject it.

    Templates of dialects with their own manifest file validate ids themselves.
    """
    from skillstudio.manifest.registry import dialects

    if dialect not in (None, *(other.id for other in dialects() if other.carrier != "file")):
        return []
    from skillstudio.manifest.targets import name_refusals

    by_reason: dict[str, list[str]] = {}
    for target, reason in name_refusals(name, folder).items():
        by_reason.setdefault(reason, []).append(target)
    return [f"rejected by {', '.join(ids)}: {reason}" for reason, ids in by_reason.items()]


def cast(kind: str, value: Any) -> Any:
    """Convert a value to a question's type; strings are parsed. Raises NotThatType."""
    if isinstance(value, str) and len(value) > MAX_ANSWER:
        raise NotThatType(f"is longer than {MAX_ANSWER} characters")
    try:
        return _CASTS[kind](value)
    except NotThatType:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise NotThatType(f"must be {_NAMES[kind]}") from None


def truth(value: Any) -> bool:
    """Whether a rendered condition is true: boolean words, else non-empty text, as in Copier."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        try:
            return bool(float(word))
        except ValueError:
            return True
    return bool(value)


def text_faults(value: Any, multiline: bool = False) -> list[str]:
    """Problems of the strings in a value for any question: too long, or invisible characters."""
    if isinstance(value, list):
        return list(dict.fromkeys(fault for element in value for fault in text_faults(element)))
    if isinstance(value, dict):
        return text_faults([*value, *value.values()], multiline)
    if not isinstance(value, str):
        return []
    if len(value) > MAX_ANSWER:
        return [f"is longer than {MAX_ANSWER} characters"]
    if not multiline and ("\n" in value or "\r" in value):
        return ["contains a line break"]
    checked_text = value.replace("\n", "").replace("\t", "") if multiline else value
    unsafe = next(
        (character for character in checked_text if safe_text(character) != character), ""
    )
    return [f"contains the invisible character U+{ord(unsafe):04X}"] if unsafe else []


def _bool(value: Any) -> bool:
    if isinstance(value, (bool, int, float)):
        return bool(value)
    word = value.strip().lower()
    if word not in _TRUE | _FALSE:
        raise NotThatType("must be yes or no")
    return word in _TRUE


def _int(value: Any) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise NotThatType("must be an integer")
    return int(value)


def _float(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise NotThatType("must be a finite number")
    return number


def _str(value: Any) -> str:
    if not isinstance(value, (str, bool, int, float)):
        raise NotThatType("must be text")
    return str(value)


_CASTS: dict[str, Callable[[Any], Any]] = {
    "bool": _bool,
    "float": _float,
    "int": _int,
    "json": lambda value: json.loads(value) if isinstance(value, str) else value,
    "path": _str,
    "str": _str,
    "yaml": lambda value: read_value(value) if isinstance(value, str) else value,
}
_NAMES = {"bool": "true or false", "float": "a number", "int": "an integer"}
_NAMES |= {"json": "JSON", "path": "text", "str": "text", "yaml": "YAML"}
