"""What workers tell the screen. They touch no widget; a burst is one message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from skillstudio.session.workspace import SkillEntry


@dataclass
class SkillsFound(Message):
    """The workspace was searched; `faults` are those of its settings."""

    entries: Sequence[SkillEntry]
    faults: Sequence[str] = ()
    is_first: bool = False
    """Whether no skill was known before."""


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
