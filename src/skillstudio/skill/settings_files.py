"""The search for the settings that apply in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from skillstudio.files.disk import DiskTree
from skillstudio.files.workspace import workspace_of
from skillstudio.settings.settings import CONFIG, FILE, PYPROJECT, SettingsFile, has_table
from skillstudio.skill.discover import is_skill

_NONE: Mapping[str, str] = {}


def find_settings(
    start: str | os.PathLike[str], unsaved_texts: Mapping[str, str] = _NONE
) -> SettingsFile | None:
    """The settings that apply in a folder; files are not merged.

    The file that `SKILLSTUDIO_CONFIG` names; else the nearest one, from the folder up to the root
    of its repository; else the user's own. Globs of the first and the last are relative to that
    root, outside of a repository to the working directory. `unsaved_texts` has the texts of files
    that are not as on disk, by their absolute path.

    A file in a skill counts only if there is none above: no skill sets its own rules.
    """
    folders = list(_folders_above(start))
    base = folders[-1] if os.path.exists(os.path.join(folders[-1], ".git")) else os.getcwd()
    if chosen_path := os.environ.get(CONFIG, ""):
        return SettingsFile(os.path.abspath(chosen_path), base, "chosen")
    files = [file for file in (settings_in(at, unsaved_texts) for at in folders) if file]
    if files:
        return next((file for file in files[:-1] if not _is_in_skill(file, folders)), files[-1])
    from skillstudio.files.state import config_folder

    user_path = os.path.join(config_folder(), FILE)
    return SettingsFile(user_path, base, "user") if os.path.isfile(user_path) else None


def settings_in(folder: str, unsaved_texts: Mapping[str, str] = _NONE) -> SettingsFile | None:
    """The file with settings in a folder itself."""
    for name in (FILE, PYPROJECT):
        file = os.path.join(folder, name)
        text = unsaved_texts.get(file)
        # A broken link may be to settings that are not checked out.
        is_broken = name == FILE and os.path.islink(file) and not os.path.exists(file)
        exists = text is not None or os.path.isfile(file) or is_broken
        if exists and (name == FILE or has_table(file, text)):
            return SettingsFile(file, folder)
    return None


def _folders_above(start: str | os.PathLike[str]) -> Iterator[str]:
    """A folder and its parents, up to the root of its repository."""
    folder = os.path.abspath(start)
    while True:
        yield folder
        if is_root(folder):
            return
        folder = folder_above(folder)


def folder_above(folder: str) -> str:
    """The folder that contains another; of a link, the one that contains what it leads to."""
    return os.path.dirname(os.path.realpath(folder) if os.path.islink(folder) else folder)


def is_root(folder: str) -> bool:
    """Whether the search for settings ends at a folder: it is the root of a repository.

    One that is a skill within another repository, such as a submodule, is not.
    """
    above = os.path.dirname(folder)
    # In a worktree or submodule, `.git` is a file.
    if above == folder or not os.path.exists(os.path.join(folder, ".git")):
        return above == folder
    if not is_skill(DiskTree(folder)):
        return True
    outer = workspace_of(above)
    return not os.path.exists(os.path.join(outer, ".git"))


def _is_in_skill(file: SettingsFile, folders: list[str]) -> bool:
    """Whether the folder of a file, or one of `folders` above it, is a skill; the last one, the
    root of the repository, belongs to whoever checks it."""
    return any(is_skill(DiskTree(at)) for at in folders[folders.index(file.base) : -1])
