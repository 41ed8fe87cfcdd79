"""Which folders of a tree are searched for skills."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git

from skillstudio.files.disk import DiskTree
from skillstudio.skill.discover import MAX_DEPTH, find_skills

DEEP = "/".join(["a"] * (MAX_DEPTH + 1))


@pytest.mark.parametrize(
    ("folder", "is_searched"),
    [
        ("tea", True),
        ("skills/tea", True),
        (".claude/skills/tea", True),
        ("build/tea", True),
        (DEEP, True),
        (f"{DEEP}/a", False),
        (".git/tea", False),
        ("node_modules/package/skills/tea", False),
        (".venv/tea", False),
        (".tools/lib/python3.12/site-packages/package/tea", False),
        (".tools/Lib/site-packages/package/tea", False),
        (".nox/tests/share/tea", False),
        (".ruff_cache/tea", False),
    ],
)
def test_folders_of_tools_and_packages_are_not_searched(
    tmp_path: Path, folder: str, is_searched: bool
) -> None:
    skill = tmp_path / folder
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\n")
    assert list(find_skills(DiskTree(tmp_path))) == ([folder] if is_searched else [])


@needs_git
@pytest.mark.parametrize(
    ("searched", "skills"),
    [
        (".", ["repo/skills/tea"]),
        ("repo", ["skills/tea"]),
        ("repo/.claude", []),
        ("repo/.claude/worktrees", ["mend/skills/tea"]),
        ("repo/.claude/worktrees/mend", ["skills/tea"]),
    ],
)
def test_another_work_tree_is_searched_only_where_it_is_named(
    tmp_path: Path, searched: str, skills: list[str]
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"skills/tea/SKILL.md": "---\nname: tea\n---\n"}, "base")
    repo.git("worktree", "add", "-q", ".claude/worktrees/mend")
    assert list(find_skills(DiskTree(tmp_path / searched))) == skills


@needs_git
def test_a_skill_cannot_pretend_to_be_a_work_tree(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    skill = "---\nname: tea\n---\n"
    repo.commit({"tea/SKILL.md": skill, "cake/SKILL.md": skill, "jam/SKILL.md": skill}, "base")
    repo.git("worktree", "add", "-q", ".claude/worktrees/mend")
    (repo.root / "tea" / ".git").write_text("gitdir: ../.git/worktrees/mend\n")
    (repo.root / "cake" / ".git").write_text("gitdir: ../.git/worktrees/none\n")
    if hasattr(os, "mkfifo"):
        os.mkfifo(repo.root / "jam" / ".git")
    assert list(find_skills(DiskTree(repo.root))) == ["cake", "jam", "tea"]


@needs_git
def test_work_trees_without_the_first_one_and_submodules_are_searched(tmp_path: Path) -> None:
    source = Repo(tmp_path / "source")
    source.commit({"tea/SKILL.md": "---\nname: tea\n---\n"}, "base")
    source.git("clone", "-q", "--bare", ".", "../project/.git")
    project = tmp_path / "project"
    for branch in ("one", "two"):
        source.git("-C", str(project), "worktree", "add", "-q", "-b", branch, branch)
    assert list(find_skills(DiskTree(project))) == ["one/tea", "two/tea"]
    outer = Repo(tmp_path / "outer")
    outer.commit({"readme.md": "Skills.\n"}, "base")
    allowed = ("-c", "protocol.file.allow=always")
    outer.git(*allowed, "submodule", "add", "-q", str(source.root), "inner")
    assert list(find_skills(DiskTree(outer.root))) == ["inner/tea"]
    stores = tmp_path / "stores"
    stores.mkdir()
    outer.git("clone", "-q", "--separate-git-dir", str(stores / "a.git"), "../source", "../first")
    outer.git("-C", "../first", "worktree", "add", "-q", str(stores / "second"))
    assert list(find_skills(DiskTree(stores))) == ["second/tea"]
