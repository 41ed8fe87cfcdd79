"""The folders of a run: workspace, skill and repository."""

from __future__ import annotations

import os

from skillstudio.dryrun.plan import Roots
from skillstudio.skill.lookup import workspace_of

_ADVICE = "name a folder with --workspace DIR"


class WorkspaceRefused(Exception):
    """A folder that no run may use: a sentence with the fix."""


def find_roots(
    skill_folder: str, workspace: str | None, repo_root: str | None, cwd: str, home: str
) -> Roots:
    """The real paths of the folders of a run.

    The default workspace is the repository around `repo_root` or `cwd`, else that folder. A home
    folder, a parent of one, and `/` are refused, as all of it would be copied. Raises
    WorkspaceRefused.
    """
    skill = os.path.realpath(skill_folder)
    _judge(skill, home, "the skill's folder", "move the skill into a folder of its own")
    start = os.path.join(cwd, repo_root) if repo_root else cwd
    chosen = os.path.join(cwd, workspace) if workspace else workspace_of(start)
    for option, folder in (("--repo-root", start), ("--workspace", chosen)):
        if not os.path.isdir(folder):
            raise WorkspaceRefused(f"{option} {folder}: no such folder")
    root = os.path.realpath(chosen)
    _judge(root, home, "the workspace", _ADVICE)
    repository = os.path.realpath(start) if repo_root else root
    if not is_within(repository, root):
        raise WorkspaceRefused(f"--repo-root {repo_root} is outside the workspace {root}")
    return Roots(root, skill, "" if repository == root else repository)


def is_within(path: str, folder: str) -> bool:
    """Whether a real path is a folder or below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _judge(folder: str, home: str, what: str, advice: str) -> None:
    own = os.path.realpath(home) if home else ""
    if folder == os.path.dirname(folder):
        raise WorkspaceRefused(f"{what} would be {folder}, the whole machine; {advice}")
    if own and folder == own:
        raise WorkspaceRefused(f"{what} would be your home folder, {folder}; {advice}")
    if own and is_within(own, folder):
        raise WorkspaceRefused(
            f"{what} would be {folder}, which contains your home folder; {advice}"
        )
