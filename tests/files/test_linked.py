"""Links that lead out of a tree are what they lead to, within the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.linked import in_repository
from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import Overlay, walk

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links of Unix")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill in a repository with a shared folder, and a secret beside the repository."""
    (tmp_path / "secret").write_text("secret")
    root = tmp_path / "repository"
    for path in (".git/config", ".env", "shared/a.md", "shared/refs/b.md", "skills/x/own.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    (root / "shared" / "out.md").symlink_to("../../secret")
    (root / "shared" / "refs" / "c.md").symlink_to("b.md")
    return root / "skills" / "x"


@pytest.mark.parametrize(
    ("target", "files"),
    [
        ("../../shared/a.md", {"link": "shared/a.md"}),
        ("../../shared/refs", {"link/b.md": "shared/refs/b.md", "link/c.md": None}),
        ("own.md", {"link": None}),
        (".", {"link": None}),
        ("..", {"link": None}),
        ("../..", {"link": None}),
        ("../../shared/none.md", {"link": None}),
        ("../../shared/out.md", {"link": None}),
        ("../../../secret", {"link": None}),
        ("/etc/passwd", {"link": None}),
        ("../../.git/config", {"link": None}),
        ("../../.git", {"link": None}),
        ("../../.env", {"link": None}),
        ("link", {"link": None}),
    ],
)
def test_what_a_link_is(skill: Path, target: str, files: dict[str, str | None]) -> None:
    """None is a link that stays one."""
    (skill / "link").symlink_to(target)
    tree = in_repository(DiskTree(skill))
    shown = dict(walk(tree))
    assert shown.pop("own.md").kind == "file"
    assert {path: entry.kind for path, entry in shown.items()} == {
        path: "link" if text is None else "file" for path, text in files.items()
    }
    for path, text in files.items():
        assert tree.kind(path) == shown[path].kind
        if text is not None:
            assert tree.read(path) == b"".join(tree.chunks(path, 3)) == text.encode()
            assert (tree.size(path), tree.mode(path) & 0o600) == (shown[path].size, 0o600)
            assert tree.resolve(path) == path
    assert bool(tree.followed_links) == (None not in files.values() or len(files) > 1)


def test_a_chain_leads_to_its_end(skill: Path) -> None:
    (skill / "a.md").symlink_to("b.md")
    (skill / "b.md").symlink_to("../../shared/a.md")
    tree = in_repository(DiskTree(skill))
    assert tree.read("a.md") == b"shared/a.md"
    assert tree.followed_links == {"a.md": "shared/a.md"}


def test_a_link_to_a_folder_of_the_skill_is_that_folder(skill: Path) -> None:
    (skill / "docs").mkdir()
    (skill / "docs" / "d.md").write_text("d")
    (skill / "link").symlink_to("docs")
    tree = in_repository(Overlay(DiskTree(skill), {"own.md": b"new"}))
    assert (tree.read("link/d.md"), tree.read("own.md")) == (b"d", b"new")
    assert tree.followed_links == {"link": "skills/x/docs"}


def test_outside_of_a_repository_links_out_of_the_tree_stay(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "x" / "docs").mkdir(parents=True)
    (tmp_path / "x" / "out").symlink_to("../a.md")
    (tmp_path / "x" / "in").symlink_to("docs")
    tree = in_repository(DiskTree(tmp_path / "x"))
    assert (tree.kind("out"), tree.target("out"), tree.kind("in")) == ("link", "../a.md", "folder")


def test_files_in_memory_are_as_they_are() -> None:
    tree = in_repository(MemoryTree({"a/b.md": b"x"}, "x"))
    assert (tree.name, tree.read("a/b.md"), tree.kind("c")) == ("x", b"x", None)
