"""Locate `skillstudio.toml`."""

from __future__ import annotations

import os

FILE = "skillstudio.toml"


def find_settings(start: str | os.PathLike[str]) -> str | None:
    """The nearest `skillstudio.toml`, from a folder up to the root of its repository."""
    folder = os.path.abspath(start)
    while True:
        file = os.path.join(folder, FILE)
        if os.path.isfile(file):
            return file
        above = os.path.dirname(folder)
        # In a worktree or submodule, `.git` is a file.
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above
