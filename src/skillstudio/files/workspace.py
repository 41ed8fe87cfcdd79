"""The workspace around a path: its repository, and the links that lead out of it."""

from __future__ import annotations

import os

from skillstudio.files.paths import below

OUTSIDE = "the link leads out of the workspace, so it is neither read nor written"


def workspace_of(folder: str) -> str:
    """The repository that contains a folder, else the folder itself."""
    start = at = os.path.abspath(folder)
    while not os.path.exists(os.path.join(at, ".git")):
        at, below_at = os.path.dirname(at), at
        if at == below_at:
            return start
    return at


def leads_out(path: str) -> bool:
    """Whether a path is a link to a file that no command may read or write.

    Such a file is outside of the repository of the link's folder, else outside of the folder, or
    in .git: a repository from elsewhere may contain such links.
    """
    if not os.path.islink(path):
        return False
    root = os.path.realpath(workspace_of(os.path.realpath(os.path.dirname(path) or os.curdir)))
    inside = below(os.path.realpath(path), root)
    return not inside or ".git" in inside.lower().split(os.sep)
