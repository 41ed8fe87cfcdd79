"""The messages of the wizard's threads to its screen, and its result.

`number` is that of the request; the screen ignores the results of earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from textual.message import Message

from skillstudio.session.wizard.state import LoadedTemplate, WizardPreview, WizardState
from skillstudio.session.wizard.wizard import TemplateChoice


@dataclass
class TemplatesListed(Message):
    """The templates were found."""

    offers: list[TemplateChoice]


@dataclass
class TemplateRead(Message):
    """A template was read, or the attempt failed."""

    number: int
    begun: LoadedTemplate


@dataclass
class QuestionsAsked(Message):
    """The questions were evaluated with the answers."""

    number: int
    state: WizardState


@dataclass
class PreviewDrawn(Message):
    """The new files were rendered."""

    number: int
    preview: WizardPreview


@dataclass
class SkillMade(Message):
    """The skill was written; otherwise `trouble` is the reason."""

    preview: WizardPreview
    trouble: str


class WizardResult(NamedTuple):
    """How the wizard ended."""

    made: str = ""
    """The absolute path of the new folder; "" if none was created."""
    quit: bool = False
    """Whether to leave the program."""
