"""Locate a skill from the perspective of its clients, with the other skills that they find."""

from __future__ import annotations

import os
from itertools import islice

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.discover import find_skills
from skillstudio.skill.visibility import Placed, clients

MOST = 500


def project_of(folder: str, home: str) -> str | None:
    """The root of the project that contains a folder: its repository, else the parent of a client's
    folder above it. None for the user's own folders and in all other cases."""
    at = folder
    while at != home and os.path.dirname(at) != at:
        if os.path.exists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    parts = folder.split(os.sep)
    for wanted in _folders():
        size = len(wanted)
        for start in range(1, len(parts) - size):
            root = os.sep.join(parts[:start])
            if parts[start : start + size] == wanted and root != home:
                return root
    return None


def where_is(folder: str, home: str) -> str:
    """A folder relative to its project with `/`, starting with `~/` if it is the user's."""
    root = project_of(folder, home)
    if root is not None:
        return os.path.relpath(folder, root).replace(os.sep, "/")
    if folder.startswith(home + os.sep):
        return "~/" + os.path.relpath(folder, home).replace(os.sep, "/")
    return os.path.basename(folder)


def neighbours(folder: str, home: str) -> list[Placed]:
    """The skills in the folders that clients search, in the project and in the home folder."""
    root = project_of(folder, home)
    found: dict[str, Placed] = {}
    for wanted in _folders():
        for above, shown in ((root, ""), (home, "~/")):
            if above is None:
                continue
            inside = "/".join(wanted)
            tree = DiskTree(os.path.join(above, *wanted))
            for path in islice(find_skills(tree), MOST):
                try:
                    skill = locate(DiskTree(tree.path(path))).skill
                except OSError:
                    # A skill that cannot be listed does not shadow another.
                    continue
                where = f"{shown}{inside}/{path}".rstrip("/")
                found.setdefault(where, Placed(where, skill))
    return list(found.values())


def _folders() -> list[list[str]]:
    """The folders that any client searches, without their `~/`, each once."""
    names = {
        folder.removeprefix("~/")
        for client in clients().values()
        for folder in client.get("folders", ())
    }
    return [name.split("/") for name in sorted(names)]
