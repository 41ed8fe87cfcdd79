"""Every skill that changed between two commits, or is staged."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.files.git import GitError
from skillstudio.files.git_tree import staged_files, staged_tree
from skillstudio.files.repository import open_repository
from skillstudio.skill.versions.between import Pair, ends_of, pairs, read_range
from skillstudio.skill.versions.operands import OperandError


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("v1..v2", ("v1", "v2", False)),
        ("v1...v2", ("v1", "v2", True)),
        ("v1..", ("v1", "HEAD", False)),
        ("..v2", ("HEAD", "v2", False)),
        ("origin/main..feature/x", ("origin/main", "feature/x", False)),
        ("a@1.0.0..a@2.0.0", ("a@1.0.0", "a@2.0.0", False)),
        ("HEAD~1..HEAD^2", ("HEAD~1", "HEAD^2", False)),
        ("..@", ("HEAD", "@", False)),
        ("..@{u}", ("HEAD", "@{u}", False)),
        ("..@~1", ("HEAD", "@~1", False)),
        ("..@HEAD", None),
        ("..@1.0.0", None),
        ("..", None),
        ("...", None),
        ("../folder", None),
        ("../folder@v1", None),
        ("a/../b@v1", None),
        ("..\\folder", None),
        ("a..b..c", None),
        ("a....b", None),
        ("folder", None),
        ("v1.0@v2", None),
    ],
)
def test_a_range_is_told_from_a_path(text: str, ends: tuple[str, str, bool] | None) -> None:
    assert read_range(text) == ends


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit(
        {
            "kept/SKILL.md": plain("kept"),
            "changed/SKILL.md": plain("changed"),
            "changed/inner/SKILL.md": plain("inner"),
            "gone/SKILL.md": plain("gone"),
            "here/SKILL.md": plain("mover"),
            "readme.md": "x",
        },
        "base",
    )
    made.git("mv", "here", "there")
    made.commit(
        {
            "changed/notes.md": "x",
            "gone/SKILL.md": None,
            "new/SKILL.md": plain("new"),
            "readme.md": "y",
        },
        "head",
    )
    return made


def told(found: list[Pair]) -> list[tuple[str, str, str]]:
    return [
        ("added" if p.old.tree is None else "removed" if p.new.tree is None else "changed",
         p.old.path, p.new.path)
        for p in found
    ]  # fmt: skip


def between(repo: Repo, text: str, within: str = "") -> list[Pair]:
    repository = open_repository(repo.root)
    range_ = read_range(text)
    assert range_
    old, new = ends_of(repository, *range_)
    return pairs(repository, old, new, repository.files_changed(old.commit, new.commit), within)


ALL = [
    ("changed", "changed", "changed"),
    ("removed", "gone", "gone"),
    ("added", "new", "new"),
    ("changed", "here", "there"),
]


@needs_git
def test_changed_new_gone_and_moved_skills_are_paired(repo: Repo) -> None:
    found = between(repo, "base..head")
    assert told(found) == ALL
    assert found[3].old.note == "at base it is in here"
    assert told(between(repo, "head..base")) == [
        ("changed", "changed", "changed"),
        ("added", "gone", "gone"),
        ("changed", "there", "here"),
        ("removed", "new", "new"),
    ]
    assert between(repo, "head..head") == []


@needs_git
@pytest.mark.parametrize(
    ("within", "expected"),
    [
        ("changed", [("changed", "changed", "changed")]),
        ("gone", [("removed", "gone", "gone")]),
        ("new", [("added", "new", "new")]),
        ("kept", []),
        ("there", [("changed", "here", "there")]),
        ("here", [("changed", "here", "there")]),
    ],
)
def test_a_path_restricts_the_skills(
    repo: Repo, within: str, expected: list[tuple[str, str, str]]
) -> None:
    assert told(between(repo, "base..head", within)) == expected


@needs_git
def test_a_path_that_is_at_neither_end_is_refused(repo: Repo) -> None:
    with pytest.raises(OperandError, match="the folder nowhere does not exist at base or head"):
        between(repo, "base..head", "nowhere")


@needs_git
def test_three_dots_start_where_two_branches_parted(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side", "base")
    repo.commit({"side/SKILL.md": plain("side")}, "side-head")
    assert told(between(repo, "main...side")) == [("added", "side", "side")]
    assert len(between(repo, "main..side")) == 5
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit({})
    with pytest.raises(GitError, match="no common ancestor"):
        between(repo, "main...alone")


@needs_git
def test_what_is_staged_is_read_from_the_index_alone(repo: Repo) -> None:
    repo.write({"new/SKILL.md": plain("new", "1.1.0")})
    repo.git("add", "-A")
    repo.write({"new/SKILL.md": plain("new", "9.9.9"), "kept/SKILL.md": plain("kept", "9.9.9")})
    root = str(repo.root)
    assert staged_files(root, "HEAD") == ["new/SKILL.md"]
    tree = staged_tree(root, "repo")
    assert tree.read("new/SKILL.md").decode() == plain("new", "1.1.0")
    assert tree.size("new/SKILL.md") == len(plain("new", "1.1.0"))
    assert tree.name == "repo"


@needs_git
def test_the_index_that_git_hands_to_a_hook_is_read(repo: Repo, tmp_path: Path) -> None:
    other = str(tmp_path / "index")
    repo.write({"kept/SKILL.md": plain("kept", "1.1.0")})
    repo.git("read-tree", "HEAD", GIT_INDEX_FILE=other)
    repo.git("add", "kept", GIT_INDEX_FILE=other)
    assert staged_files(str(repo.root), "HEAD") == []
    assert staged_files(str(repo.root), "HEAD", other) == ["kept/SKILL.md"]
    assert "1.1.0" in staged_tree(str(repo.root), "x", other).read("kept/SKILL.md").decode()


@needs_git
def test_a_conflict_in_the_index_is_refused(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side", "base")
    repo.commit({"readme.md": "z"})
    os.environ.pop("GIT_INDEX_FILE", None)
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "main")
    with pytest.raises(GitError, match="has an unresolved merge conflict"):
        staged_tree(str(repo.root), "repo")
