"""The input for a new skill, and the state that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillstudio.scaffold.new.creation import SkillDraft
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.scripts.drafting import ScriptOperation, draft_operations
from skillstudio.scaffold.new.scripts.gathering import ScriptFolder
from skillstudio.scaffold.new.template import MISSING

WHERE = ""  # The name of the field for the new folder.


class OperationSummary(NamedTuple):
    """A drafted operation."""

    name: str
    about: str
    inputs: tuple[str, ...]  # Names, with defaults such as `limit=20`.


class ScriptSummary(NamedTuple):
    """A file, the operations drafted from it, and notes about it."""

    path: str
    language: str  # "" if it is not a program.
    effects: tuple[str, ...]
    operations: tuple[OperationSummary, ...]
    notes: tuple[str, ...]


class LoadedTemplate(NamedTuple):
    """A template or scripts, or why they cannot be used."""

    interview: Interview | None
    trouble: str = ""
    scripts: tuple[ScriptSummary, ...] = ()


@dataclass(frozen=True)
class WizardInput:
    """The content of the fields at one time, without unedited answers."""

    where: str
    answers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WizardState:
    """The questions evaluated with an input."""

    content: WizardInput
    destination: str
    questions: tuple[AskedQuestion, ...] = ()
    where_fault: str = ""  # Why no skill can be created there.
    name_question: str = ""
    namesake: str = ""  # The folder of another skill with the same name.
    trouble: str = ""

    @property
    def visible_questions(self) -> list[AskedQuestion]:
        """The questions whose condition is true."""
        return [question for question in self.questions if question.is_shown]

    @property
    def problem_fields(self) -> list[str]:
        """The names of the fields that are missing or invalid."""
        names = [WHERE] if self.where_fault else []
        return names + [
            question.name
            for question in self.visible_questions
            if question.problems or question.answer is MISSING
        ]

    @property
    def missing(self) -> list[str]:
        """The names of the fields that have no text."""
        names = [] if self.content.where.strip() else [WHERE]
        return names + [
            question.name
            for question in self.visible_questions
            if question.answer is MISSING and not question.problems
        ]

    @property
    def ready(self) -> bool:
        """Whether a skill can be created from the answers."""
        return not self.trouble and not self.problem_fields


@dataclass(frozen=True)
class WizardPreview:
    """The files of the new skill, or why there are none."""

    state: WizardState
    draft: SkillDraft | None = None
    trouble: str = ""


def script_summaries(script_folder: ScriptFolder) -> list[ScriptSummary]:
    """The programs by path, then the files that are omitted, unreadable or not programs."""
    operations, notes = draft_operations(script_folder)
    other_paths = {note.path for note in notes} - set(script_folder.programs)
    summaries = []
    for path in [*script_folder.programs, *sorted(other_paths)]:
        script = script_folder.programs.get(path)
        summaries.append(
            ScriptSummary(
                path,
                script.language if script is not None else "",
                tuple(sorted(script.effects)) if script is not None else (),
                tuple(_operation(operation) for operation in operations if path in operation.paths),
                tuple(n.text.removeprefix(path).lstrip(": ") for n in notes if n.path == path),
            )
        )
    return summaries


def _operation(draft: ScriptOperation) -> OperationSummary:
    inputs = tuple(
        name if schema["required"] else f"{name}={schema['default']}"
        for name, schema in draft.operation.inputs.items()
    )
    return OperationSummary(draft.name, draft.operation.description, inputs)
