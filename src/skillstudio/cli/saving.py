"""Write a changed text to its file, if the file is still the one that was read."""

from __future__ import annotations

import os

from skillstudio.files.disk import DiskTree
from skillstudio.resources import INSTALLED, is_installed
from skillstudio.skill.lookup import workspace_of
from skillstudio.text.source import decode


class NotSaved(Exception):
    """The file was left as it is; the text says why."""


OUTSIDE = "it is a link that leads out of the workspace, so it is neither read nor written"


def leads_out(path: str) -> bool:
    """Whether a path on disk is a link to what no command should write there.

    That is whatever lies outside of the repository of the link's folder, else outside of the
    folder, and what git keeps for itself: a repository from elsewhere may hold such links.
    """
    if not os.path.islink(path):
        return False
    root = os.path.realpath(workspace_of(os.path.realpath(os.path.dirname(path) or os.curdir)))
    inside = root.rstrip(os.sep) + os.sep
    real = os.path.realpath(path)
    return not real.startswith(inside) or ".git" in real[len(inside) :].lower().split(os.sep)


def save(disk: DiskTree, path: str, old: str | None, new: str) -> None:
    """Put `new` in the place of `old`; an old text of None is a file that is not there yet.

    Raises NotSaved where the file holds anything else by now, and OSError.
    """
    from skillstudio.files.atomic import write_atomic

    if leads_out(disk.path(path)):
        raise NotSaved(OUTSIDE)
    if is_installed(disk.path(path)):
        raise NotSaved(INSTALLED)
    try:
        data = new.encode()
    except UnicodeEncodeError:
        raise NotSaved("the value holds half a surrogate pair, which no file can") from None
    there = disk.read(path) if disk.kind(path) is not None else None
    if there is not None and decode(there)[1] is not None:
        raise NotSaved("the file is not UTF-8, so it was not changed")
    if there != (None if old is None else old.encode()):
        raise NotSaved("the file has changed on disk since it was read, so it was not changed")
    write_atomic(disk.path(path), data)
