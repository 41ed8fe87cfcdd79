"""What the threads of the wizard tell its screen, and how it ends. They touch no widget.

A number says what was asked for; what comes of an earlier one is of no use any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from textual.message import Message

from skillstudio.session.wizard.state import LoadedTemplate, WizardPreview, WizardState
from skillstudio.session.wizard.wizard import TemplateChoice


@dataclass
class TemplatesListed(Message):
    """The templates were looked for."""

    offers: list[TemplateChoice]


@dataclass
class TemplateRead(Message):
    """A template was read, or cannot be."""

    number: int
    begun: LoadedTemplate


@dataclass
class QuestionsAsked(Message):
    """The questions were asked with the answers of the time."""

    number: int
    state: WizardState


@dataclass
class PreviewDrawn(Message):
    """What would be made was rendered."""

    number: int
    preview: WizardPreview


@dataclass
class SkillMade(Message):
    """The skill was written; `trouble` says why it was not."""

    preview: WizardPreview
    trouble: str


class WizardResult(NamedTuple):
    """How the wizard ended."""

    made: str = ""
    """The new folder, absolute; "" where none was made."""
    quit: bool = False
    """Whether the user wants to leave the program."""
