"""What is to be changed in real folders, wherever the new bytes are kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, NamedTuple

from skillstudio.files.changeset import FileState

Root = Literal["workspace", "skill"]


class ApplyChange(NamedTuple):
    """One entry of a root that is to be as a run left it."""

    root: Root
    folder: str
    """The root's real folder, absolute."""
    path: str
    """Relative to the folder, with `/`."""
    before: FileState | None
    """What lay there when the run began; it must lie there still."""
    after: FileState | None
    """What is to lie there; None to remove it."""
    source: str = ""
    """Where the new bytes of a file lie, absolute. Where they are the old ones, none is needed."""
    is_private: bool = False
    """Whether the old bytes hold a sensitive value: they are shown nowhere."""

    @property
    def target(self) -> str:
        """Where it lies in the real folder, absolute."""
        return os.path.join(self.folder, *self.path.split("/"))

    @property
    def is_moved(self) -> bool:
        """Whether what lay there goes as a whole: it is removed, or becomes of another kind."""
        kind = self.after.kind if self.after else None
        return self.before is not None and self.before.kind != kind


def settled(changes: Sequence[ApplyChange]) -> tuple[ApplyChange, ...]:
    """The changes with each root as it is found now, so that no link above it counts later."""
    real = {folder: os.path.realpath(folder) for folder in {each.folder for each in changes}}
    return tuple(
        each if real[each.folder] == each.folder else each._replace(folder=real[each.folder])
        for each in changes
    )


class Conflict(NamedTuple):
    """Why a change cannot be applied."""

    root: Root
    path: str
    message: str
    """What is there, what was expected, and what to do."""


class Conflicting(Exception):
    """Nothing was changed, for what is there is not what the run began with."""

    def __init__(self, conflicts: tuple[Conflict, ...]) -> None:
        super().__init__("; ".join(f"{each.path}: {each.message}" for each in conflicts))
        self.conflicts = conflicts


class ApplyFailed(Exception):
    """A sentence: why nothing is applied, and what of it is left, if anything is."""


class ApplyBusy(ApplyFailed):
    """Another process of this user applies or recovers at this moment."""
