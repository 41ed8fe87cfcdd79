"""Messages from workers to the screen. Workers touch no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from skillstudio.session.workspace import SkillEntry


@dataclass
class SkillsFound(Message):
    """The workspace was searched; `faults` are problems with its settings."""

    entries: Sequence[SkillEntry]
    faults: Sequence[str] = ()
    is_first: bool = False  # Whether no skill was known before.


@dataclass
class DiskEvents(Message):
    """Files below the workspace changed; several messages are merged."""

    paths: frozenset[str]

    def can_replace(self, message: Message) -> bool:
        if isinstance(message, DiskEvents):
            self.paths |= message.paths
            return True
        return False


@dataclass
class OpenPath(Message):
    """Asks the application to open another skill or folder."""

    path: str
