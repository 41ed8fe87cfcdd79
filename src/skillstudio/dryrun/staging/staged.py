"""The copies of a run, and how paths of copies and originals correspond."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple

from skillstudio.dryrun.plan import Roots
from skillstudio.files.changeset import Snapshot
from skillstudio.files.paths import below

Root = Literal["workspace", "skill"]


class StagingRefused(Exception):
    """A folder that cannot be copied: a sentence with the reason and the fix."""


class Skipped(NamedTuple):
    """Something left out of the copies."""

    path: str
    """Absolute, in the original."""
    why: str


class Copy(NamedTuple):
    """A copied folder."""

    original: str
    folder: str
    baseline: Snapshot
    """The state of the copy before the run."""


class Staged(NamedTuple):
    """The copies of both roots: a single one when the skill is in the workspace."""

    folder: str
    """The folder of the copies and of what a run writes beside them."""
    roots: Roots
    """The roots in the copies."""
    original: Roots
    copies: tuple[Copy, ...]
    home: str
    temporary: str
    skipped: tuple[Skipped, ...]
    size: int
    """Bytes copied."""

    def copy_of(self, path: str) -> str | None:
        """The copy of a path in an original; None outside all roots."""
        return _moved(path, ((each.original, each.folder) for each in self.copies))

    def original_of(self, path: str) -> str | None:
        """The original of a path in a copy; None outside all copies."""
        return _moved(path, ((each.folder, each.original) for each in self.copies))

    def root_of(self, original: str) -> tuple[Root, str] | None:
        """The root of an original path, and the path in it; a skill inside the workspace counts as
        `skill` only."""
        named: tuple[Root, ...] = ("skill", "workspace")
        for root in named:
            inside = below(original, getattr(self.original, root))
            if inside is not None:
                return root, inside
        return None


def _moved(path: str, pairs: Iterable[tuple[str, str]]) -> str | None:
    for start, end in pairs:
        inside = below(path, start)
        if inside is not None:
            return os.path.join(end, inside) if inside else end
    return None
