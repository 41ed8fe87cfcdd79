"""What counts as a change of a repository: commits, tags and branches, wherever git keeps them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.files import git_state as module
from skillstudio.files.git_state import git_state

pytestmark = needs_git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"plain/SKILL.md": plain()})
    return made


def packed(repo: Repo) -> None:
    repo.git("pack-refs", "--all")


def nothing(_: Repo) -> None:
    pass


@pytest.mark.parametrize("prepare", [nothing, packed], ids=["loose", "packed"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("tag", "v1.0.0"),
        ("tag", "-f", "old", "HEAD^"),
        ("tag", "-d", "old"),
        ("branch", "other"),
        ("checkout", "-q", "-b", "other"),
        ("checkout", "-q", "--detach"),
        ("commit", "-q", "--allow-empty", "-m", "next"),
        ("update-ref", "refs/remotes/origin/main", "HEAD"),
        ("symbolic-ref", "HEAD", "refs/heads/unborn"),
    ],
    ids=" ".join,
)
def test_a_change_of_references_changes_the_state(
    repo: Repo, prepare: Callable[[Repo], None], arguments: tuple[str, ...]
) -> None:
    repo.commit({}, "old")
    prepare(repo)
    before = git_state(str(repo.root / "plain"))
    assert before == git_state(str(repo.root / "plain"))
    repo.git(*arguments)
    assert git_state(str(repo.root / "plain")) != before


def test_packing_the_references_changes_the_state(repo: Repo) -> None:
    before = git_state(str(repo.root))
    packed(repo)
    assert git_state(str(repo.root)) != before


def test_reading_and_editing_leave_the_state_alone(repo: Repo) -> None:
    before = git_state(str(repo.root))
    repo.write({"plain/SKILL.md": plain(version="2.0.0")})
    repo.git("status")
    repo.git("log")
    repo.git("add", "-A")
    assert git_state(str(repo.root)) == before


def test_a_linked_work_tree_has_its_own_head_and_the_tags_of_all(
    repo: Repo, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "side", str(linked))
    assert (linked / ".git").is_file()
    steps: list[Callable[[], object]] = [
        lambda: repo.git("tag", "v1"),
        lambda: repo.git("-C", str(linked), "commit", "-q", "--allow-empty", "-m", "side"),
        lambda: repo.git("-C", str(linked), "checkout", "-q", "--detach"),
        lambda: packed(repo),
    ]
    for step in steps:
        before = git_state(str(linked / "plain"))
        step()
        assert git_state(str(linked / "plain")) != before


def test_a_folder_of_git_elsewhere_is_followed(tmp_path: Path) -> None:
    root, git = tmp_path / "work", tmp_path / "elsewhere"
    subprocess.run(["git", "init", "-q", f"--separate-git-dir={git}", str(root)], check=True)
    assert (root / ".git").is_file()
    before = git_state(str(root))
    subprocess.run(["git", "-C", str(root), "symbolic-ref", "HEAD", "refs/heads/x"], check=True)
    assert git_state(str(root)) != before


def test_a_repository_that_begins_or_ends_changes_the_state(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    states = [git_state(str(inner))]
    Repo(tmp_path / "outer")
    states.append(git_state(str(inner)))
    Repo(inner)
    states.append(git_state(str(inner)))
    (inner / ".git" / "HEAD").unlink()
    states.append(git_state(str(inner)))
    assert states[1] == states[3]
    assert len(set(states)) == 3


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_leads_to_the_repository_of_its_target(repo: Repo, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repo.root / "plain")
    before = git_state(str(link))
    assert before == git_state(str(repo.root / "plain"))
    repo.git("tag", "v1")
    assert git_state(str(link)) != before


@pytest.mark.parametrize(
    "text", [b"", b"gitdir: \0", b"gitdir: nowhere", b"\xff\xfe", b"gitdir: " + b"/x" * 9000]
)
def test_a_file_that_names_no_folder_is_no_fault(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".git").write_bytes(text)
    assert git_state(str(tmp_path)) == git_state(str(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_hostile_folder_of_references_costs_little(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo.root / ".git" / "refs" / "tags" / "loop").symlink_to(repo.root, target_is_directory=True)
    assert str(repo.root / "plain") not in repr(git_state(str(repo.root)))
    monkeypatch.setattr(module, "_MOST_ENTRIES", 3)
    for number in range(9):
        (repo.root / ".git" / "refs" / "deep" / str(number) / "x").mkdir(parents=True)
    assert len(git_state(str(repo.root))) < 12
