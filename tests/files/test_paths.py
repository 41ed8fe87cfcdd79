"""Paths from manifests: what is judged by its words, and what by the links on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.files.paths import glob, judge_path, name_matches, normalise, path_matches

TREE = MemoryTree({"SKILL.md": b"", "scripts/run.sh": b"", "scripts/deep/a b.py": b""})


@pytest.mark.parametrize(
    ("text", "problem", "path"),
    [
        ("SKILL.md", None, "SKILL.md"),
        ("./scripts//run.sh", None, "scripts/run.sh"),
        ("scripts/../SKILL.md", None, "SKILL.md"),
        ("scripts/deep/../run.sh", None, "scripts/run.sh"),
        ("scripts/", None, "scripts"),
        ("scripts/deep/a b.py", None, "scripts/deep/a b.py"),
        ("", None, ""),
        (".", None, ""),
        ("/etc/passwd", "path-absolute", ""),
        ("//server/share", "path-absolute", ""),
        ("\\\\server\\share", "path-absolute", ""),
        ("\\root", "path-absolute", ""),
        ("C:\\file", "path-absolute", ""),
        ("c:file", "path-absolute", ""),
        ("~/file", "path-absolute", ""),
        ("~root/file", "path-absolute", ""),
        ("SKILL.md\0.txt", "path-absolute", ""),
        ("..", "path-outside", ""),
        ("../other/SKILL.md", "path-outside", ""),
        ("scripts/../../skill/SKILL.md", "path-outside", ""),
        ("scripts\\..\\..\\x", "path-outside", "scripts\\..\\..\\x"),
        ("absent.txt", "path-missing", "absent.txt"),
        ("scripts\\run.sh", "path-missing", "scripts\\run.sh"),
    ],
)
def test_verdicts(text: str, problem: str | None, path: str) -> None:
    assert judge_path(TREE, text) == (problem, path)


@pytest.mark.parametrize(
    ("text", "problem", "path"),
    [
        ("scripts\\run.sh", None, "scripts/run.sh"),
        ("scripts\\..\\SKILL.md", None, "SKILL.md"),
        ("scripts\\..\\..\\x", "path-outside", ""),
        ("\\SKILL.md", "path-absolute", ""),
    ],
)
def test_windows_paths(text: str, problem: str | None, path: str) -> None:
    assert judge_path(TREE, text, windows=True) == (problem, path)


@pytest.fixture
def linked(tmp_path: Path) -> DiskTree:
    root = tmp_path / "skill"
    (root / "real").mkdir(parents=True)
    (root / "real" / "file").write_text("")
    (tmp_path / "outside" / "folder").mkdir(parents=True)
    (tmp_path / "outside" / "secret").write_text("")
    for name, target in {
        "inner": "real",
        "to_file": "real/file",
        "out": "../outside",
        "deep_out": "../outside/folder",
        "absolute": str(tmp_path / "outside"),
        "absolute_in": str(root / "real"),
        "loop": "loop",
        "dangling": "real/absent",
        "dangling_out": "../outside/absent",
        "chain": "out",
    }.items():
        os.symlink(target, root / name)
    return DiskTree(root)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("inner/file", None),
        ("to_file", None),
        ("absolute_in/file", None),
        ("out/secret", "path-link-outside"),
        ("out", "path-link-outside"),
        ("absolute/secret", "path-link-outside"),
        ("chain/secret", "path-link-outside"),
        ("deep_out/../secret", "path-link-outside"),
        ("dangling_out", "path-link-outside"),
        ("dangling", "path-missing"),
        ("loop", "path-missing"),
        ("inner/absent", "path-missing"),
    ],
)
def test_links(linked: DiskTree, text: str, problem: str | None) -> None:
    assert judge_path(linked, text).problem == problem


@pytest.mark.parametrize(
    ("text", "path"),
    [("a/./b//c/", "a/b/c"), ("a/../b", "b"), ("..", None), ("/a", None), ("a\\b", "a\\b")],
)
def test_normalise(text: str, path: str | None) -> None:
    assert normalise(text) == path


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("SKILL.md", ["SKILL.md"]),
        ("scripts/*", ["scripts/run.sh"]),
        ("scripts/*.py", []),
        ("**/*.py", ["scripts/deep/a b.py"]),
        ("scripts/**", ["scripts/deep/a b.py", "scripts/run.sh"]),
        ("**", ["SKILL.md", "scripts/deep/a b.py", "scripts/run.sh"]),
        ("**/run.sh", ["scripts/run.sh"]),
        ("*/*/[a-c]?b.py", ["scripts/deep/a b.py"]),
        ("scripts", []),
        ("../*", []),
        ("/etc/*", []),
    ],
)
def test_glob(pattern: str, found: list[str]) -> None:
    assert glob(TREE, pattern) == found


def test_glob_stops_at_its_limit() -> None:
    tree = MemoryTree({f"{index:03}.txt": b"" for index in range(100)})
    assert len(glob(tree, "*.txt")) == 100
    assert len(glob(tree, "*.txt", limit=10)) == 10


def test_glob_stays_in_the_tree(linked: DiskTree) -> None:
    assert glob(linked, "**/secret") == []
    assert glob(linked, "out/*") == []
    assert glob(linked, "inner/*") == ["inner/file"]


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("recipe.yaml", "*.yaml", True),
        ("recipe.yml", "*.yaml", False),
        ("ab", "a?", True),
        ("a", "a?", False),
        ("a1", "a[0-9]", True),
        ("ax", "a[!0-9]", True),
        ("a]", "a]", True),
        ("a[", "a[", True),
        ("", "**", True),
        ("abcbd", "a*b*d", True),
        ("a" * 200, "*a" * 60 + "b", False),
    ],
)
def test_name_matches(name: str, pattern: str, expected: bool) -> None:
    assert name_matches(name, pattern) is expected


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("skills/a", "skills/*", True),
        ("skills/a", "skills", True),
        ("skills/a", "./skills/", True),
        ("skills", "skills/*", False),
        ("skills/a/b", "skills/*", True),
        ("skills/a", "**/a", True),
        ("a", "**/a", True),
        ("x/y/a/z", "**/a", True),
        ("x/y/b", "**/a", False),
        ("skills/a", "**", True),
        (".", "**", True),
        ("anything", ".", True),
        ("skills/a", "skill", False),
    ],
)
def test_path_matches(path: str, pattern: str, expected: bool) -> None:
    assert path_matches(path, pattern) is expected
