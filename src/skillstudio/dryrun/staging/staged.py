"""Where the copies of a run lie, and which original each path of them stands for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple

from skillstudio.dryrun.plan import Roots
from skillstudio.files.changeset import Snapshot
from skillstudio.files.paths import below

Root = Literal["workspace", "skill"]


class StagingRefused(Exception):
    """A folder that is not copied: a sentence that says why and what to do."""


class Skipped(NamedTuple):
    """What was left out of the copies."""

    path: str
    """Absolute, in the original."""
    why: str


class Copy(NamedTuple):
    """One folder that was copied whole."""

    original: str
    folder: str
    baseline: Snapshot
    """What lay in the copy before anything ran."""


class Staged(NamedTuple):
    """The copies of both roots: one of them, where the skill lies in the workspace."""

    folder: str
    """What holds the copies and what a run writes beside them; it belongs to one run."""
    roots: Roots
    """The copies."""
    original: Roots
    copies: tuple[Copy, ...]
    home: str
    temporary: str
    skipped: tuple[Skipped, ...]
    size: int
    """Bytes that were copied."""

    def copy_of(self, path: str) -> str | None:
        """Where the copy of an original lies; None of what is in no root."""
        return _moved(path, ((each.original, each.folder) for each in self.copies))

    def original_of(self, path: str) -> str | None:
        """What a path in a copy stands for; None of what is in no copy."""
        return _moved(path, ((each.folder, each.original) for each in self.copies))

    def root_of(self, original: str) -> tuple[Root, str] | None:
        """The root that an original path is told under, and the path in it.

        A skill inside the workspace is told under `skill` alone.
        """
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
