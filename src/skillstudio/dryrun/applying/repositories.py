"""Folders that git takes for a repository whatever they are called.

A bare repository, what `git init --separate-git-dir` makes, and the store of a work tree have
another name than `.git`, and hold programs that git starts: hooks, and those that its settings
name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillstudio.dryrun.applying.changes import ApplyChange

_SHAPES = (frozenset({"head", "objects", "refs"}), frozenset({"head", "commondir"}))
"""Names by which git knows its own folder, as they are where case does not count."""
_NAMES = frozenset().union(*_SHAPES)


class Repositories:
    """Which folders are repositories, before some changes or after them."""

    def __init__(self, changes: Iterable[ApplyChange]) -> None:
        self._coming: dict[str, set[str]] = {}
        self._known: dict[str, bool] = {}
        for each in changes:
            if each.after is not None:
                self._note(each)

    def fault(self, each: ApplyChange) -> str:
        """Why a change is none to be made; "" where no repository is above it."""
        folder = each.folder
        if self._is_one(folder):
            return _told("its folder")
        for part in each.path.split("/")[:-1]:
            folder = os.path.join(folder, part)
            if self._is_one(folder):
                return _told(os.path.relpath(folder, each.folder))
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


def _told(shown: str) -> str:
    return (
        f"lies in a repository of git ({shown}), where nothing is ever written; leave this path "
        "out and let git do it"
    )
