"""Recognise git repositories, whatever their folder is called.

A bare repository, `git init --separate-git-dir` and the store of a work tree are not called `.git`,
and contain programs that git starts: hooks, and those that its settings name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillstudio.dryrun.applying.changes import ApplyChange

_SHAPES = (frozenset({"head", "objects", "refs"}), frozenset({"head", "commondir"}))
"""Entries by which git recognises its folder, case-folded."""
_NAMES = frozenset().union(*_SHAPES)


class Repositories:
    """Which folders are repositories before or after some changes."""

    def __init__(self, changes: Iterable[ApplyChange]) -> None:
        self._coming: dict[str, set[str]] = {}
        self._known: dict[str, bool] = {}
        for each in changes:
            if each.after is not None:
                self._note(each)

    def fault(self, each: ApplyChange) -> str:
        """Why a change must not be made; "" when no parent is a repository."""
        folder = each.folder
        if self._is_one(folder):
            return _message("its folder")
        for part in each.path.split("/")[:-1]:
            folder = os.path.join(folder, part)
            if self._is_one(folder):
                return _message(os.path.relpath(folder, each.folder))
        return ""

    def _note(self, each: ApplyChange) -> None:
        folder = each.folder
        for part in each.path.split("/"):
            if part.casefold() in _NAMES:
                self._coming.setdefault(folder, set()).add(part.casefold())
            folder = os.path.join(folder, part)

    def _is_one(self, folder: str) -> bool:
        if folder not in self._known:
            names = self._coming.get(folder, set()) | {
                name for name in _NAMES if os.path.lexists(os.path.join(folder, _written(name)))
            }
            self._known[folder] = any(shape <= names for shape in _SHAPES)
        return self._known[folder]


def _written(name: str) -> str:
    return name.upper() if name == "head" else name


def _message(shown: str) -> str:
    return f"is in a Git repository ({shown}), which skillstudio never changes; leave this path out"
