"""The temporary workspace of a sample."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from skillstudio.dryrun.sampling.sample import REPO_ROOT, SampleRefused, SampleWorkspace
from skillstudio.dryrun.staging.leftovers import claim
from skillstudio.files.folders import remove
from skillstudio.files.git import GitError, ask_git
from skillstudio.files.paths import below
from skillstudio.files.temporary import is_temporary

_MOMENT = "2025-01-01T12:00:00Z"
_AUTHOR = ("-c", "user.name=skillstudio", "-c", "user.email=skillstudio@localhost",
           "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false")  # fmt: skip


@contextmanager
def sample_folder(
    workspace: SampleWorkspace, skill_folder: str, parent: str
) -> Iterator[str | None]:
    """A new folder with copies as the sample requests; None for the skill's repository. Raises
    SampleRefused, and OSError when it cannot be created."""
    if workspace.folder == REPO_ROOT and not workspace.git:
        yield None
        return
    own = claim(parent)
    try:
        made = os.path.join(own, "workspace")
        _fill(workspace, skill_folder, made)
        if workspace.git:
            _commit(made)
        yield made
    finally:
        remove(own)


def _fill(workspace: SampleWorkspace, skill_folder: str, made: str) -> None:
    if not workspace.folder:
        os.mkdir(made)
        return
    source = os.path.realpath(os.path.join(skill_folder, workspace.folder))
    if below(source, os.path.realpath(skill_folder)) is None or not os.path.isdir(source):
        raise SampleRefused(f"the workspace {workspace.folder} is not a folder of the skill")
    shutil.copytree(
        source, made, symlinks=True, ignore=lambda _, names: list(filter(is_temporary, names))
    )


def _commit(folder: str) -> None:
    try:
        ask_git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
        ask_git(folder, "add", "--all", "--force")
        ask_git(folder, *_AUTHOR, "commit", "--quiet", "--allow-empty", "--message=Begin",
                f"--date={_MOMENT}")  # fmt: skip
    except GitError as error:
        raise SampleRefused(f"the workspace cannot be made a repository: {error}") from None
