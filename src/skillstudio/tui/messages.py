"""What workers tell the screen. They touch no widget; a burst is one message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from skillstudio.session.workspace import SkillEntry

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis


@dataclass
class Analysed(Message):
    """The open skill was checked, as its texts were at `versions`."""

    skill: str
    analysis: Analysis
    stamp: tuple[tuple[str, int], ...]


@dataclass
class AnalysisFailed(Message):
    """The open skill could not be checked."""

    skill: str
    reason: str


@dataclass
class SkillsFound(Message):
    """The folder was searched; `faults` are those of its settings."""

    entries: Sequence[SkillEntry]
    faults: Sequence[str] = ()


@dataclass
class SkillsChecked(Message):
    """Some more skills were checked; `done` of `total`."""

    entries: Sequence[SkillEntry]
    done: int
    total: int


@dataclass
class SinceFound(Message):
    """Which skills changed since a revision, or why git does not say."""

    ref: str
    skills: frozenset[str]
    reason: str = ""


@dataclass
class DiskEvents(Message):
    """Files below the workspace changed."""

    paths: frozenset[str]

    def can_replace(self, message: Message) -> bool:
        if isinstance(message, DiskEvents):
            self.paths |= message.paths
            return True
        return False


@dataclass
class OpenPath(Message):
    """The application is to open another skill or folder."""

    path: str
