"""The gate: the only way from a path of an original to its copy when a process starts. A program of
an earlier step may have replaced a folder with a link, so each path is opened inside its copy."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from skillstudio.dryrun.prepared import CopiedFolder, RunFolders
from skillstudio.files.beneath import check_beneath, has_folder_handles, leaves, open_beneath
from skillstudio.files.paths import below

FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_ANY = getattr(os, "O_PATH", os.O_RDONLY)


class GateRefused(ValueError):
    """A path that would leave its copy or cannot be opened: a sentence for the user."""

    def __init__(self, message: str, leaves: bool) -> None:
        super().__init__(message)
        self.leaves = leaves
        """Whether the path leads out of the copy, rather than being missing or unreadable."""


def enter(path: str, run_folders: RunFolders, flags: int) -> int:
    """Open the copy of an absolute path of an original; others as they are. Raises GateRefused."""
    copy = copy_of(path, run_folders)
    try:
        if copy is None:
            return os.open(path, flags)
        folder_fd = _open_inside(copy.folder, run_folders)
        try:
            return open_beneath(folder_fd, path[len(copy.original) :].lstrip(os.sep), flags)
        finally:
            os.close(folder_fd)
    except OSError as error:
        raise _refusal(path, error) from None


def check_path(path: str, run_folders: RunFolders) -> None:
    """Raise GateRefused where `enter` would, for a file or folder of any kind."""
    if has_folder_handles():
        os.close(enter(path, run_folders, _ANY))
        return
    copy = copy_of(path, run_folders)
    try:
        if copy is None:
            os.stat(path)
            return
        _check_inside(copy.folder, run_folders)
        check_beneath(copy.folder, path[len(copy.original) :].lstrip(os.sep))
    except OSError as error:
        raise _refusal(path, error) from None


def check_process(argv: Sequence[str], cwd: str, run_folders: RunFolders) -> None:
    """Raise GateRefused when a program, its folder or an argument would leave the copies."""
    check_folders(run_folders)
    program = os.path.join(cwd, argv[0]) if os.sep in argv[0] else argv[0]
    for path in (cwd, program, *argv[1:]):
        if copy_of(path, run_folders) is None:
            continue
        try:
            check_path(path, run_folders)
        except GateRefused as refusal:
            if refusal.leaves:
                raise


def check_folders(run_folders: RunFolders) -> None:
    """Raise GateRefused when a copy or a folder beside the copies is a link or is missing."""
    try:
        for copy in run_folders.copies:
            _check_inside(copy.folder, run_folders)
        for folder in (run_folders.home, run_folders.temporary):
            _check_inside(folder, run_folders)
    except OSError as error:
        raise _refusal(error.filename or run_folders.folder, error) from None


def copy_of(path: str, run_folders: RunFolders) -> CopiedFolder | None:
    """The innermost copy whose original contains a path, by its wording."""
    copies = [copy for copy in run_folders.copies if below(path, copy.original) is not None]
    return max(copies, key=lambda copy: len(copy.original), default=None)


def _open_inside(folder: str, run_folders: RunFolders) -> int:
    inside = below(folder, run_folders.folder)
    if inside is None:
        return os.open(folder, FOLDER | getattr(os, "O_NOFOLLOW", 0))
    return open_beneath(run_folders.folder, inside, FOLDER, links=False)


def _check_inside(folder: str, run_folders: RunFolders) -> None:
    """Raise OSError where `_open_inside` would."""
    if has_folder_handles():
        os.close(_open_inside(folder, run_folders))
        return
    inside = below(folder, run_folders.folder)
    if inside is None:
        check_beneath(folder, "", links=False)
    else:
        check_beneath(run_folders.folder, inside, links=False)
    if not os.path.isdir(folder):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)


def _refusal(path: str, error: OSError) -> GateRefused:
    if leaves(error):
        message = (
            f"{path} leads out of its copy through a link or `..`; use a path inside the folder"
        )
        return GateRefused(message, leaves=True)
    message = f"{path} cannot be opened in its copy: {error.strerror or error}"
    return GateRefused(message, leaves=False)
