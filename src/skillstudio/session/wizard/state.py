"""The input for a new skill, and the state that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillstudio.scaffold.new.creation import SkillDraft
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.scripts.drafting import Drafted, draft_operations
from skillstudio.scaffold.new.scripts.gathering import Gathered
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
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WizardState:
    """The questions evaluated with an input."""

    typed: WizardInput
    destination: str
    asked: tuple[AskedQuestion, ...] = ()
    where_fault: str = ""  # Why no skill can be created there.
    name_question: str = ""
    namesake: str = ""  # The folder of another skill with the same name.
    trouble: str = ""

    @property
    def shown(self) -> list[AskedQuestion]:
        """The questions whose condition is true."""
        return [question for question in self.asked if question.shown]

    @property
    def lacking(self) -> list[str]:
        """The names of the fields that are missing or invalid."""
        found = [WHERE] if self.where_fault else []
        return found + [
            question.name
            for question in self.shown
            if question.problems or question.answer is MISSING
        ]

    @property
    def missing(self) -> list[str]:
        """The names of the fields that have no text."""
        found = [] if self.typed.where.strip() else [WHERE]
        return found + [
            question.name
            for question in self.shown
            if question.answer is MISSING and not question.problems
        ]

    @property
    def ready(self) -> bool:
        """Whether a skill can be created from the answers."""
        return not self.trouble and not self.lacking


@dataclass(frozen=True)
class WizardPreview:
    """The files of the new skill, or why there are none."""

    state: WizardState
    draft: SkillDraft | None = None
    trouble: str = ""


def script_summaries(gathered: Gathered) -> list[ScriptSummary]:
    """The programs by path, then the files that are omitted, unreadable or not programs."""
    operations, notes = draft_operations(gathered)
    others = {note.path for note in notes} - set(gathered.programs)
    found = []
    for path in [*gathered.programs, *sorted(others)]:
        script = gathered.programs.get(path)
        found.append(
            ScriptSummary(
                path,
                script.language if script is not None else "",
                tuple(sorted(script.effects)) if script is not None else (),
                tuple(_operation(operation) for operation in operations if path in operation.paths),
                tuple(n.text.removeprefix(path).lstrip(": ") for n in notes if n.path == path),
            )
        )
    return found


def _operation(drafted: Drafted) -> OperationSummary:
    inputs = tuple(
        name if schema["required"] else f"{name}={schema['default']}"
        for name, schema in drafted.operation.inputs.items()
    )
    return OperationSummary(drafted.name, drafted.operation.description, inputs)
