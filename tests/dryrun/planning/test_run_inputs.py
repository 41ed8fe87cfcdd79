"""The folders of a run: a repository, and never a home folder or a whole machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.planning.run_inputs import WorkspaceRefused, find_roots


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A repository with folders in it, a skill beside it, and a home."""
    for folder in ("repo/.git", "repo/apps/one", "plain/sub", "skills/tool", "home/me/x/.git"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


FOUND = [
    (None, None, "repo/apps", "repo", ""),
    (None, None, "plain/sub", "plain/sub", ""),
    ("../plain", None, "repo", "plain", ""),
    (None, "apps/one", "repo", "repo", "repo/apps/one"),
    (".", "apps", "repo", "repo", "repo/apps"),
    (None, "../repo", "plain", "repo", ""),
    (None, None, "home/me/x", "home/me/x", ""),
]


@pytest.mark.parametrize(("workspace", "repo_root", "cwd", "root", "repository"), FOUND)
def test_the_workspace(
    there: Path, workspace: str | None, repo_root: str | None, cwd: str, root: str, repository: str
) -> None:
    found = find_roots(
        str(there / "skills/tool"), workspace, repo_root, str(there / cwd), str(there / "home/me")
    )
    real = os.path.realpath(there)
    inside = f"{real}/{repository}" if repository else ""
    assert found == Roots(f"{real}/{root}", f"{real}/skills/tool", inside)


REFUSED = [
    ("home/me", None, "repo", "your home folder"),
    ("home", None, "repo", "which contains your home folder"),
    ("/", None, "repo", "the whole machine"),
    (None, None, "home/me", "your home folder"),
    ("nowhere", None, "repo", "no such folder"),
    (None, "../plain/none", "repo", "no such folder"),
    ("repo", "plain", "repo", "is outside the workspace"),
]


@pytest.mark.parametrize(("workspace", "repo_root", "cwd", "said"), REFUSED)
def test_folders_that_no_run_may_work_in(
    there: Path, workspace: str | None, repo_root: str | None, cwd: str, said: str
) -> None:
    named = [None if each is None else str(there / each) for each in (workspace, repo_root)]
    with pytest.raises(WorkspaceRefused) as error:
        find_roots(str(there / "skills/tool"), *named, str(there / cwd), str(there / "home/me"))
    assert said in str(error.value)


def test_a_home_folder_is_known_through_a_link(there: Path) -> None:
    (there / "link").symlink_to(there / "home/me")
    with pytest.raises(WorkspaceRefused, match="your home folder"):
        find_roots(
            str(there / "skills/tool"), str(there / "link"), None, "/", str(there / "home/me")
        )


def test_a_skill_that_is_a_home_folder(there: Path) -> None:
    with pytest.raises(WorkspaceRefused, match="the skill's folder would be your home folder"):
        find_roots(str(there / "home/me"), None, None, str(there / "repo"), str(there / "home/me"))
