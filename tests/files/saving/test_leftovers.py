"""Temporary files of killed writers: no tree shows them, and the next save removes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import ListedEntry, ListedTree
from skillstudio.files.placing import place
from skillstudio.files.saving.leftovers import Removal, remove_leftovers
from skillstudio.files.saving.writer import prepare_save, write_file
from skillstudio.files.temporary import (
    FILE,
    FOLDER,
    NEW,
    beside,
    has_temporary,
    is_temporary,
    temporary_name,
)

HEX = "0123456789abcdef"


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        (f".skillstudio-{HEX}.save", True),
        (f".skillstudio-{HEX}.folder", True),
        (f".skillstudio-{HEX}-0.new", True),
        (f".skillstudio-{HEX}-12.old", True),
        (f".skillstudio-{HEX}-12.old.going", True),
        (".skillstudio-notes.md", False),
        (f".skillstudio-{HEX}", False),
        (f".skillstudio-{HEX}.save.md", False),
        (f"skillstudio-{HEX}.save", False),
        (".SKILL.md.0123456789ab.tmp", False),
    ],
)
def test_which_names_are_ours(name: str, ours: bool) -> None:
    assert is_temporary(name) is ours
    assert has_temporary(f"a/{name}/b") is ours


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill with leftovers of each sort, the innermost in a folder of a killed `new`."""
    skill = tmp_path / "skill"
    (skill / "docs" / temporary_name(FOLDER)).mkdir(parents=True)
    for folder in (skill, skill / "docs"):
        (folder / temporary_name(FILE)).write_bytes(b"half")
        (folder / "file").write_bytes(b"")
    (skill / "docs" / temporary_name(FOLDER)).mkdir()
    for folder in (skill / "docs").glob(".*.folder"):
        (folder / "SKILL.md").write_bytes(b"")
    return skill


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_no_tree_shows_them(skill: Path) -> None:
    tree = DiskTree(skill)
    assert [each.name for each in tree.list()] == ["docs", "file"]
    assert [each.name for each in tree.list("docs")] == ["file"]
    for path in skill.rglob(".skillstudio-*"):
        assert tree.kind(path.relative_to(skill).as_posix()) is None
    entries = {
        name: ListedEntry("file", 0o644, 0, "") for name in ("a", f".skillstudio-{HEX}.save")
    }
    listed = ListedTree("skill", entries, DiskTree(skill))  # type: ignore[arg-type]
    assert [each.name for each in listed.list()] == ["a"]


def test_the_next_save_removes_them(skill: Path) -> None:
    with prepare_save([str(skill / "file")], str(skill)) as write:
        write(str(skill / "file"), b"new")
    assert files(skill) == ["docs/file", "file"]


def test_without_a_skill_only_the_own_folder_is_cleared(skill: Path) -> None:
    write_file(skill / "file", b"new")
    assert [name for name in files(skill) if "/" not in name] == ["file"]
    assert len(files(skill / "docs")) == 4


def test_a_new_folder_removes_what_a_killed_one_left(skill: Path) -> None:
    place({"SKILL.md": b""}, str(skill / "docs" / "new"))
    assert files(skill / "docs") == ["file", "new/SKILL.md"]


@pytest.mark.skipif(os.name == "nt", reason="files in use cannot be deleted there anyway")
def test_what_a_writer_uses_stays(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync
    seen: list[list[Removal]] = []

    def look(handle: int) -> None:
        seen.append([each for each in remove_leftovers(str(skill)) if not each.why])
        fsync(handle)

    remove_leftovers(str(skill))
    monkeypatch.setattr(os, "fsync", look)
    write_file(skill / "file", b"new")
    place({"SKILL.md": b"made"}, str(skill / "made"))
    assert seen
    assert not any(seen)
    assert files(skill) == ["docs/file", "file", "made/SKILL.md"]
    assert (skill / "file").read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links are POSIX")
def test_only_what_can_be_ours_is_removed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / f".skillstudio-{HEX}.save").symlink_to("mine")
    (tmp_path / f".skillstudio-{HEX}-1.old").write_bytes(b"of an apply")
    put_aside = beside(str(tmp_path / "mine")) + NEW
    Path(put_aside).write_bytes(b"of an apply")
    found = {os.path.basename(each.path): each.why for each in remove_leftovers(str(tmp_path))}
    assert "skillstudio did not make it" in found[f".skillstudio-{HEX}.save"]
    assert "the old content of a file, from an apply" in found[f".skillstudio-{HEX}-1.old"]
    assert "the new content of mine, from an apply" in found[os.path.basename(put_aside)]
    assert len(os.listdir(tmp_path)) == 4


@pytest.mark.parametrize("suffix", [FILE, FOLDER])
def test_a_new_name_is_one_of_ours(suffix: str) -> None:
    assert is_temporary(temporary_name(suffix))
