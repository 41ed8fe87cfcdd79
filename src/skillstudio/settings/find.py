"""Where the settings of a folder are: the nearest `skillstudio.toml` at or above it."""

from __future__ import annotations

import os

NAME = "skillstudio.toml"


def find_settings(start: str) -> str | None:
    """The path of the settings that hold in a folder, or None.

    The search ends at the root of a git repository, or of the file system.
    """
    folder = os.path.abspath(start)
    while True:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above
