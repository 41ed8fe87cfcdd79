"""The one gate: every path of an original that an isolation level is handed goes through here.

A program may have put a link where a folder was, in an earlier step or an earlier pass of
`--twice`. So each path is opened inside its copy at the moment of the start, and what is handed on
is the descriptor where the receiver can take one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from skillstudio.dryrun.prepared import CopiedFolder, RunFolders
from skillstudio.files.beneath import leaves, open_beneath
from skillstudio.files.paths import below

FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_ANY = getattr(os, "O_PATH", os.O_RDONLY)


class GateRefused(ValueError):
    """A path that would leave its copy, or that cannot be opened: a sentence for the user."""

    def __init__(self, message: str, leaves: bool) -> None:
        super().__init__(message)
        self.leaves = leaves
        """Whether it would leave the copy; else nothing is there, or it cannot be read."""


def enter(path: str, ground: RunFolders, flags: int) -> int:
    """A descriptor of the copy of `path`, an absolute path of an original.

    A path of no original is opened as it is. Raises GateRefused.
    """
    copy = copy_of(path, ground)
    try:
        if copy is None:
            return os.open(path, flags)
        held = _open_copy(copy, ground)
        try:
            return open_beneath(held, path[len(copy.original) :].lstrip(os.sep), flags)
        finally:
            os.close(held)
    except OSError as error:
        raise _refusal(path, error) from None


def check_process(argv: Sequence[str], cwd: str, ground: RunFolders) -> None:
    """Raise GateRefused where a process, its folder or an argument would leave the copies.

    What is in no copy, and what is not there, is left to whoever opens it.
    """
    check_ground(ground)
    program = os.path.join(cwd, argv[0]) if os.sep in argv[0] else argv[0]
    for path in (cwd, program, *argv[1:]):
        if copy_of(path, ground) is None:
            continue
        try:
            os.close(enter(path, ground, _ANY))
        except GateRefused as refused:
            if refused.leaves:
                raise


def check_ground(ground: RunFolders) -> None:
    """Raise GateRefused where a copy, or a folder beside the copies, is a link or is missing."""
    try:
        for copy in ground.copies:
            os.close(_open_copy(copy, ground))
        for folder in (ground.home, ground.temporary):
            os.close(_open_inside(folder, ground))
    except OSError as error:
        raise _refusal(error.filename or ground.folder, error) from None


def copy_of(path: str, ground: RunFolders) -> CopiedFolder | None:
    """The innermost copy whose original holds a path by its words."""
    holding = [each for each in ground.copies if below(path, each.original) is not None]
    return max(holding, key=lambda each: len(each.original), default=None)


def _open_copy(copy: CopiedFolder, ground: RunFolders) -> int:
    return _open_inside(copy.folder, ground)


def _open_inside(folder: str, ground: RunFolders) -> int:
    inside = below(folder, ground.folder)
    if inside is None:
        return os.open(folder, FOLDER | getattr(os, "O_NOFOLLOW", 0))
    return open_beneath(ground.folder, inside, FOLDER, links=False)


def _refusal(path: str, error: OSError) -> GateRefused:
    if leaves(error):
        said = f"{path} leads out of its copy, by a link or by `..`: use a path inside the folder"
        return GateRefused(said, leaves=True)
    said = f"{path} cannot be opened in its copy: {error.strerror or error}"
    return GateRefused(said, leaves=False)
