"""Notice commits, tags and branches that are made elsewhere, without starting git."""

from __future__ import annotations

import os
from typing import TypeAlias

GitState: TypeAlias = tuple[object, ...]
"""A value to compare with a later one; empty outside of a repository."""

_MOST_ENTRIES = 20_000  # Branches and tags in files of their own that are looked at.
_MOST_BYTES = 1 << 14  # Bytes of a file that names another folder.
_FILES = ("HEAD", "packed-refs")
_FOLDERS = ("refs", "reftable")


def git_state(folder: str) -> GitState:
    """A value that changes with the commits, tags and branches that a folder's repository names.

    Git writes a reference as a new file and renames it, so names, inodes and times of folders are
    enough. Raises nothing: what cannot be read counts as absent.
    """
    at = os.path.realpath(folder)
    while True:
        if git := _git_folder(os.path.join(at, ".git")):
            break
        at, below = os.path.dirname(at), at
        if at == below:
            return ()
    state: list[object] = [git]
    # A linked work tree has its own HEAD, and shares the other references.
    common = _named_folder(os.path.join(git, "commondir"), git) or git
    for place in dict.fromkeys((git, common)):
        state += (_file(os.path.join(place, name)) for name in _FILES)
        for name in _FOLDERS:
            state += _folders(os.path.join(place, name))
    return tuple(state)


def _git_folder(marker: str) -> str:
    """The folder of a repository that a `.git` is or names; "" if it does neither."""
    if os.path.isdir(marker):
        return marker if os.path.lexists(os.path.join(marker, "HEAD")) else ""
    return _named_folder(marker, os.path.dirname(marker), "gitdir:")


def _named_folder(path: str, base: str, lead: str = "") -> str:
    """The folder that a file names, relative to `base`; "" if there is no such file."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            text = os.fsdecode(file.read(_MOST_BYTES)).strip()
    except OSError:
        return ""
    if "\0" in text or not text.startswith(lead):
        return ""
    return os.path.normpath(os.path.join(base, text.removeprefix(lead).strip()))


def _file(path: str) -> object:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino


def _folders(top: str) -> list[object]:
    """A folder and those below it, each with its entries. Links below `top` are not followed."""
    folders: list[object] = []
    pending, number = [top], 0
    while pending and number < _MOST_ENTRIES:
        path = pending.pop()
        try:
            time = os.stat(path).st_mtime_ns
            with os.scandir(path) as entries:
                inside = sorted(
                    (entry.name, entry.inode(), entry.is_dir(follow_symlinks=False))
                    for entry in entries
                )
        except OSError:
            continue
        number += len(inside)
        folders.append((path, time, tuple(inside)))
        pending += (os.path.join(path, name) for name, _, is_folder in inside if is_folder)
    return folders
