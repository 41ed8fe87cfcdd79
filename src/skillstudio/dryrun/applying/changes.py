"""Changes to real folders, wherever the new content is stored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, NamedTuple

from skillstudio.files.changeset import FileState

Root = Literal["workspace", "skill"]


class ApplyChange(NamedTuple):
    """One entry of a root to change to what a run left."""

    root: Root
    folder: str  # The root's real folder, absolute.
    path: str  # Relative to the folder, with `/`.
    before: FileState | None  # The state when the run began, which must still be current.
    after: FileState | None  # The state to apply; None to remove the entry.
    source: str = ""
    """The file with the new content, absolute; not needed when the content is unchanged."""
    is_private: bool = False
    """Whether the old content contains a sensitive value and must not be shown."""

    @property
    def target(self) -> str:
        """The absolute path in the real folder."""
        return os.path.join(self.folder, *self.path.split("/"))

    @property
    def parents(self) -> list[str]:
        """The folders between the root and the path, outermost first."""
        parts = self.path.split("/")[:-1]
        return [os.path.join(self.folder, *parts[: end + 1]) for end in range(len(parts))]

    @property
    def is_moved(self) -> bool:
        """Whether the old entry disappears as a whole: it is removed or changes its kind."""
        kind = self.after.kind if self.after else None
        return self.before is not None and self.before.kind != kind


def with_real_roots(changes: Sequence[ApplyChange]) -> tuple[ApplyChange, ...]:
    """The changes with each root resolved now, so that no later link above it matters."""
    real = {folder: os.path.realpath(folder) for folder in {change.folder for change in changes}}
    return tuple(
        change
        if real[change.folder] == change.folder
        else change._replace(folder=real[change.folder])
        for change in changes
    )


class Conflict(NamedTuple):
    """Why a change cannot be applied."""

    root: Root
    path: str
    message: str


class ApplyConflicts(Exception):
    """Nothing was changed, because something differs from what the run began with."""

    def __init__(self, conflicts: tuple[Conflict, ...]) -> None:
        super().__init__(
            "; ".join(f"{conflict.path}: {conflict.message}" for conflict in conflicts)
        )
        self.conflicts = conflicts


class ApplyFailed(Exception):
    """Why nothing was applied, and what could not be restored, as a sentence."""
