"""Where the settings of a folder are."""

from __future__ import annotations

import os

FILE = "skillstudio.toml"


def find_settings(start: str | os.PathLike[str]) -> str | None:
    """The nearest `skillstudio.toml` from a folder upwards, within the repository it lies in."""
    folder = os.path.abspath(start)
    while True:
        file = os.path.join(folder, FILE)
        if os.path.isfile(file):
            return file
        above = os.path.dirname(folder)
        # A worktree and a submodule have a file `.git` where others have a folder.
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above
