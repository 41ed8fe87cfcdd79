"""A new folder appears whole or not at all, and never in the place of another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillstudio.files import placing
from skillstudio.files.placing import (
    NotPlaced,
    destination_fault,
    path_fault,
    place,
    place_file,
    tree_fault,
    tree_faults,
)

FILES = {"SKILL.md": b"text\n", "scripts/run.sh": b"#!/bin/sh\n", "a/b/c.txt": b""}
POSIX = pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_all_files_are_there_and_nothing_else(tmp_path: Path) -> None:
    place(FILES, str(tmp_path / "new" / "skill"), {"scripts/run.sh"})
    skill = tmp_path / "new" / "skill"
    assert {
        path.relative_to(skill).as_posix(): path.read_bytes()
        for path in skill.rglob("*")
        if path.is_file()
    } == FILES
    assert os.listdir(tmp_path / "new") == ["skill"]


@POSIX
@pytest.mark.parametrize(
    ("umask", "plain", "program"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700)]
)
def test_who_may_read_a_program_may_run_it(
    tmp_path: Path, umask: int, plain: int, program: int
) -> None:
    before = os.umask(umask)
    try:
        place(FILES, str(tmp_path / "skill"), {"scripts/run.sh"})
    finally:
        os.umask(before)
    assert (tmp_path / "skill" / "SKILL.md").stat().st_mode & 0o777 == plain
    assert (tmp_path / "skill" / "scripts" / "run.sh").stat().st_mode & 0o777 == program


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "empty"),
        ("/etc/passwd", "absolute"),
        ("../x", "points outside"),
        ("a/../../x", "points outside"),
        ("a//b", "empty part"),
        ("a/", "empty part"),
        ("./a", "empty part"),
        ("a\\b", "character"),
        ("c:x", "character"),
        ("a\x1bb", "character"),
        ("a\nb", "character"),
        ("a\0b", "character"),
        ("a\u202eb", "character"),
        ("con.txt", "device"),
        ("x/NUL", "device"),
        (".git/hooks/pre-commit", "version control"),
        ("a/.GIT/config", "version control"),
        ("GIT~1/config", "version control"),
        (".hg/hgrc", "version control"),
        (".git", "version control"),
        ("a ", "space"),
        ("a.", "dot"),
        ("\udc80", "character"),
        ("é" * 128, "255 bytes"),
    ],
)
def test_paths_that_are_not_written(tmp_path: Path, path: str, said: str) -> None:
    assert said in path_fault(path)
    with pytest.raises(NotPlaced):
        place({"good": b"", path: b""}, str(tmp_path / "skill"))
    assert everything(tmp_path) == []


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "SKILL.md",
        ".skillignore",
        ".gitignore",
        ".github/x.yml",
        "git/x",
        "a/b c/d.e",
        "é",
        "日本",
        "..a",
        "a..b",
    ],
)
def test_paths_that_are(path: str) -> None:
    assert path_fault(path) == ""


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["A.md", "a.md"], "the same file"),
        (["e\u0301", "\u00e9"], "the same file"),
        (["a", "a/b"], "both a file and a folder"),
        (["A", "a/b"], "both a file and a folder"),
        (["A/x", "a/y"], "the same folder"),
        (["a/B/x", "a/b/c/y"], "the same folder"),
        (["a/b", "a/c", "ab"], ""),
        (["a/b/c", "b/a/c", "a/b/d"], ""),
    ],
)
def test_paths_that_cannot_lie_in_one_folder(paths: list[str], said: str) -> None:
    fault = tree_fault(paths)
    assert said in fault
    assert bool(said) == bool(fault)


def test_each_fault_is_told_once() -> None:
    assert list(tree_faults(["A/x", "a/y", "a/z", "nul", "b", "b/c", "b/d"])) == [
        "the path 'nul' has the part nul, which is a device on Windows",
        "'A' and 'a' are the same folder on some systems",
        "'b' would be both a file and a folder",
    ]


def test_what_exists_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    os.symlink("nowhere", tmp_path / "link")
    for name in ("folder", "file", "link"):
        with pytest.raises(NotPlaced, match="already exists"):
            place(FILES, str(tmp_path / name))
    with pytest.raises(NotPlaced, match="is a file"):
        place(FILES, str(tmp_path / "file" / "below"))
    assert everything(tmp_path) == ["file", "folder", "link"]
    assert (tmp_path / "file").read_text() == "mine"


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root writes anywhere")
def test_a_protected_folder_is_named_before_anything_is_tried(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert "protected" in destination_fault(str(tmp_path / "skill"))
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_that_comes_up_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = placing._write

    def write(path: str, data: bytes, executable: bool) -> None:
        (tmp_path / "skill").mkdir(exist_ok=True)
        written(path, data, executable)

    monkeypatch.setattr(placing, "_write", write)
    with pytest.raises(NotPlaced, match="in the meantime"):
        place(FILES, str(tmp_path / "skill"))
    assert everything(tmp_path) == ["skill"]


FULL = """
import resource, sys
from skillstudio.files.placing import NotPlaced, place
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    place({"a": b"x", "b/c": b"x" * 10000, "d": b"x"}, sys.argv[1])
except NotPlaced as error:
    sys.exit(str(error))
"""


@POSIX
def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path) -> None:
    """The system itself refuses to write on, in a process that may not write large files."""
    target = str(tmp_path / "made" / "too" / "skill")
    done = subprocess.run(
        [sys.executable, "-c", FULL, target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith("nothing was created")
    assert everything(tmp_path) == []


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(path: str, data: bytes, executable: bool) -> None:
        if path.endswith("run.sh"):
            raise KeyboardInterrupt

    monkeypatch.setattr(placing, "_write", write)
    with pytest.raises(KeyboardInterrupt):
        place(FILES, str(tmp_path / "made" / "skill"))
    assert everything(tmp_path) == []


@POSIX
def test_links_are_made_as_given_and_none_is_written_through(tmp_path: Path) -> None:
    place({"a/b": b"x"}, str(tmp_path / "skill"), links={"c": "a/b", "a/up": "../a"})
    skill = tmp_path / "skill"
    assert os.readlink(skill / "c") == "a/b"
    assert (skill / "c").read_bytes() == b"x"
    assert os.readlink(skill / "a" / "up") == "../a"
    with pytest.raises(NotPlaced, match="both a file and a folder"):
        place({"c/x": b""}, str(tmp_path / "other"), links={"c": "/etc"})
    assert os.listdir(tmp_path) == ["skill"]


def test_a_file_is_placed_with_the_folders_above_it(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "file"
    place_file(b"one", str(target))
    assert target.read_bytes() == b"one"
    assert os.listdir(target.parent) == ["file"]


def test_a_file_takes_the_place_of_another_only_when_asked(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with pytest.raises(NotPlaced, match="it already exists"):
        place_file(b"new", str(target))
    assert target.read_bytes() == b"old"
    place_file(b"new", str(target), replace=True)
    assert target.read_bytes() == b"new"
    with pytest.raises(NotPlaced, match="it is a folder"):
        place_file(b"new", str(tmp_path), replace=True)


FULL_FILE = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from skillstudio.files.placing import NotPlaced, place_file
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    place_file(b"x" * 10000, sys.argv[1], len(sys.argv) > 2)
except NotPlaced as error:
    sys.exit(str(error))
"""


@POSIX
@pytest.mark.parametrize("there", [False, True], ids=["new", "over another"])
def test_a_file_for_which_the_disk_is_too_small_leaves_nothing(tmp_path: Path, there: bool) -> None:
    target = tmp_path / "file" if there else tmp_path / "made" / "file"
    if there:
        target.write_bytes(b"old")
    words = [str(target), *(["replace"] if there else [])]
    done = subprocess.run(
        [sys.executable, "-c", FULL_FILE, *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.strip()[-19:]) == (1, "nothing was written")
    assert everything(tmp_path) == (["file"] if there else [])
    assert not there or target.read_bytes() == b"old"
