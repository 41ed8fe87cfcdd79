"""Advice for a text that is not a version of a skill."""

from __future__ import annotations

from skillstudio.files.git import GitError
from skillstudio.files.repository import open_repository
from skillstudio.skill.lookup import workspace_of


def ambiguous(name: str, paths: list[str]) -> str:
    """The message for a name that several skills have."""
    listed = " and ".join(path or "." for path in paths[:5])
    return f"{len(paths)} skills are named {name}: {listed}; use a path instead"


def no_skill(name: str, here: str) -> str:
    """The message for an unknown name, with the syntax of versions."""
    return f"no skill in {workspace_of(here)} is named {name}; {_advice(name, here)}"


def _advice(name: str, here: str) -> str:
    try:
        open_repository(here).commit(name)
    except GitError:
        return "use a folder, PATH@REF, PATH@1.2.0, REF:path, an archive or a skill's name"
    return f"{name} is a revision; add a path: PATH@{name}"
