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
    refused: str = ""


class AskedQuestion(NamedTuple):
    """One question, evaluated with the answers before it."""

    question: Question
    shown: bool  # Whether its condition is true; if not, its default is the answer.
    type: str
    help: str
    placeholder: str
    choices: tuple[AnswerChoice, ...]
    default: Any = MISSING
    given: bool = False
    answer: Any = MISSING  # The given value, else the default; MISSING if neither is usable.
    problems: tuple[str, ...] = ()
    """Problems of the answer, each phrased to follow the question's name."""

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def open(self) -> bool:
        """Whether it still needs an answer."""
        return self.shown and not self.given

    @property
    def sentences(self) -> list[str]:
        """The problems, each prefixed with the question's name."""
        # The default of a name is the folder's name, which was typed.
        typed = self.given or self.name in NAMES
        who = self.name if typed else f"the default of {self.name}"
        return [f"{who}{'' if problem[:1] == ':' else ' '}{problem}" for problem in self.problems]


class Interview(AbstractContextManager["Interview"]):
    """The questions of one template for one new folder. Close it to end its process."""

    def __init__(
        self, template: Template, folder: str, confinement: Confinement | None = None
    ) -> None:
        """`folder` is the name of the new folder. Raises TemplateFault."""
        self.template = template
        self.folder = folder
        self.contents = read_contents(template.tree, template.shown, template.preserves_links)
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

    def walk(self, given: Mapping[str, Any]) -> list[AskedQuestion]:
        """Evaluate every question with the answers. Raises TemplateFault, RendererMissing."""
        found: list[AskedQuestion] = []
        answers: dict[str, Any] = {}
        for question in self.template.questions:
            asked = self._ask(question, given, answers, len(answers) == len(found))
            found.append(asked)
            if asked.answer is not MISSING:
                answers[question.name] = asked.answer
        return found

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
            path = f"{self.template.shown}/{failure.name}"
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
        found = [at for mark in marks_of(self.template.envops) if (at := text.find(mark)) >= 0]
        return CopierPosition(line, min(found, default=len(text) - len(text.lstrip())) + 1)

    def _ask(
        self, question: Question, given: Mapping[str, Any], answers: dict[str, Any], complete: bool
    ) -> AskedQuestion:
        """`complete`: every earlier question has an answer, so undefined names are errors."""
        rendered = _Rendered(self, question, self.context(answers), complete)
        kind = rendered.text("type") or "yaml"
        if kind not in TYPES:
            raise self.template.config.fault(
                f"unknown type {kind!r}; use one of {', '.join(TYPES)}", question.name, "type"
            )
        shown = truth(rendered.value("when"))
        choices = rendered.choices()
        texts = (rendered.text("help"), rendered.text("placeholder"))
        asked = AskedQuestion(question, shown, kind, *texts, choices)
        default = rendered.value("default")
        if default is MISSING and question.name == self.name_question:
            default = self.folder
        if default is not MISSING:
            try:
                default = _read(asked, default)
            except NotThatType as error:
                if shown:
                    why = f"the default {error}"
                    raise self.template.config.fault(why, question.name, "default") from None
        asked = asked._replace(default=default, answer=default)
        if not shown:
            return asked
        answer = default
        problems: list[str] = []
        if question.name in given:
            asked = asked._replace(given=True)
            try:
                answer = _read(asked, given[question.name])
            except NotThatType as error:
                return asked._replace(answer=MISSING, problems=(str(error),))
            # An empty string is not an answer if the template has no default.
            if default is MISSING and isinstance(answer, str) and not answer.strip():
                problems.append("is empty")
        if answer is not MISSING:
            problems += self._problems(asked, answer, answers)
        return asked._replace(answer=answer, problems=tuple(problems))

    @property
    def name_question(self) -> str:
        """The question that asks for the skill's name, or ""."""
        known = {question.name for question in self.template.questions}
        return next((name for name in NAMES if name in known), "")

    def _problems(self, asked: AskedQuestion, answer: Any, answers: dict[str, Any]) -> list[str]:
        question = asked.question
        found = text_faults(answer, question.multiline or asked.type in ("json", "yaml"))
        if found:
            return found
        if question.name == self.name_question and isinstance(answer, str):
            dialect = self.template.dialect
            # Without a declared dialect, `name` may be the name of anything.
            if dialect or question.name == "skill_name":
                found = name_faults(answer, self.folder, dialect)
        if question.validator:
            context = self.context({**answers, question.name: answer})
            (said,) = self.renderer.render(context, [RenderItem("text", question.validator)])
            if isinstance(said, RenderFailure):
                place = self.template.config.place(question.name, "validator")
                raise self.fault_of(said, self.template.config.path, place)
            if said.strip():
                found.append(f": {said.strip()[:500]}")
        return found


class _Rendered:
    """Evaluate the parts of one question with the answers before it."""

    def __init__(
        self, interview: Interview, question: Question, context: Mapping[str, Any], complete: bool
    ) -> None:
        self._interview = interview
        self._question = question
        self._complete = complete
        wanted: dict[str, str] = {}
        for part in ("type", "help", "placeholder", "when", "default", "choices"):
            _collect(getattr(question, part), part, wanted)
        said = interview.renderer.render(context, [RenderItem("text", text) for text in wanted])
        self._said = dict(zip(wanted, said, strict=True))
        self._parts = wanted

    def text(self, part: str) -> str:
        return str(self.value(part) or "")

    def value(self, part: str) -> Any:
        """A part with all strings rendered; MISSING for an absent default."""
        return self._filled(getattr(self._question, part))

    def choices(self) -> tuple[AnswerChoice, ...]:
        """The choices with their labels. Raises TemplateFault."""
        found = self.value("choices")
        if isinstance(found, str):
            try:
                found = read_value(found)
            except ValueError as error:
                raise self._fault(f"choices {error}") from None
        if isinstance(found, dict):
            found = [[key, value] for key, value in found.items()]
        if found is MISSING or found is None:
            return ()
        if not isinstance(found, list):
            raise self._fault("choices must be a list or a mapping")
        return tuple(map(self._choice, found))

    def _choice(self, choice: Any) -> AnswerChoice:
        if isinstance(choice, list) and len(choice) == 2:
            label, value = choice
            if isinstance(value, dict):
                if "value" not in value:
                    raise self._fault("a choice has no value")
                return AnswerChoice(str(label), value["value"], str(value.get("validator") or ""))
            return AnswerChoice(str(label), value)
        return AnswerChoice(str(choice), choice)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            said = self._said[value]
            return self._failed(value, said) if isinstance(said, RenderFailure) else said
        if isinstance(value, list):
            return [self._filled(element) for element in value]
        if isinstance(value, Mapping):
            return {self._filled(key): self._filled(element) for key, element in value.items()}
        return value

    def _failed(self, text: str, failure: RenderFailure) -> Any:
        unset = failure.kind == "undefined" and "'UNSET'" in failure.message
        if unset or (failure.kind == "undefined" and not self._complete):
            return MISSING
        config = self._interview.template.config
        place = config.place(self._question.name, self._parts[text])
        raise self._interview.fault_of(failure, config.path, place)

    def _fault(self, message: str) -> TemplateFault:
        return self._interview.template.config.fault(message, self._question.name, "choices")


def _collect(value: Any, part: str, found: dict[str, str]) -> None:
    """Every string in a question, with the part it first occurs in."""
    if isinstance(value, str):
        found.setdefault(value, part)
    elif isinstance(value, list):
        for element in value:
            _collect(element, part, found)
    elif isinstance(value, Mapping):
        _collect([*value, *value.values()], part, found)


def _read(asked: AskedQuestion, value: Any) -> Any:
    """Parse a value by the question's type and choices. Raises NotThatType."""
    if asked.question.multiselect:
        items = cast("yaml", value)
        if not isinstance(items, list):
            raise NotThatType("must be a list, such as [a, b]")
        chosen = [_chosen(asked, cast(asked.type, element)) for element in items]
        return (
            [option for option in _values(asked) if option in chosen] if asked.choices else chosen
        )
    return _chosen(asked, cast(asked.type, value))


def _values(asked: AskedQuestion) -> list[Any]:
    return [cast(asked.type, choice.value) for choice in asked.choices]


def _chosen(asked: AskedQuestion, value: Any) -> Any:
    if not asked.choices:
        return value
    for choice, known in zip(asked.choices, _values(asked), strict=True):
        if known == value:
            if choice.refused:
                raise NotThatType(f"cannot be {value}: {choice.refused}")
            return value
    offered = ", ".join(str(choice.value) for choice in asked.choices if not choice.refused)
    raise NotThatType(f"must be one of {offered}")


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
    seen = value.replace("\n", "").replace("\t", "") if multiline else value
    unsafe = next((character for character in seen if safe_text(character) != character), "")
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
    found = float(value)
    if not math.isfinite(found):
        raise NotThatType("must be a finite number")
    return found


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
