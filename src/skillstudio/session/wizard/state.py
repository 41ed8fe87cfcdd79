"""What is typed for a new skill, and the state that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillstudio.scaffold.new.creation import SkillDraft
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.wizard.scripts import ScriptSummary

WHERE = ""
"""In the place of a question's name: the field for the new folder."""


class LoadedTemplate(NamedTuple):
    """A template or scripts that were read, or why they cannot be used."""

    interview: Interview | None
    trouble: str = ""
    scripts: tuple[ScriptSummary, ...] = ()
    """What was read, where a folder of scripts takes the place of a template."""


@dataclass(frozen=True)
class WizardInput:
    """What the fields held at one moment; answers that were not touched are not among them."""

    where: str
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class WizardState:
    """The questions as they stand with what was typed."""

    typed: WizardInput
    destination: str
    """The new folder, absolute."""
    asked: tuple[AskedQuestion, ...] = ()
    where_fault: str = ""
    """Why no skill can be made there."""
    name_question: str = ""
    """The question that asks for the skill's name."""
    namesake: str = ""
    """The folder of another skill that has the name."""
    trouble: str = ""
    """What is wrong with the template itself."""

    @property
    def shown(self) -> list[AskedQuestion]:
        """The questions whose condition holds."""
        return [each for each in self.asked if each.shown]

    @property
    def lacking(self) -> list[str]:
        """The fields that have to be seen to before anything can be made, by name."""
        found = [WHERE] if self.where_fault else []
        return found + [each.name for each in self.shown if each.problems or each.answer is MISSING]

    @property
    def ready(self) -> bool:
        """Whether a skill can be made of the answers."""
        return not self.trouble and not self.lacking


@dataclass(frozen=True)
class WizardPreview:
    """What would be made, or why it cannot be."""

    state: WizardState
    draft: SkillDraft | None = None
    trouble: str = ""
