"""The copy that the tour works on: fresh, a repository, never over changes of the user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git

from skillstudio.files.placing import NotPlaced
from skillstudio.session.tour_copy import copy_for_tour

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = EXAMPLES / "worklog"


def copied(state: Path) -> Path:
    return Path(copy_for_tour(str(EXAMPLES), str(state)).folder)


@needs_git
def test_a_copy_is_as_the_example_and_has_a_version(tmp_path: Path) -> None:
    folder = copied(tmp_path / "state")
    assert folder == tmp_path / "state" / "tour" / "worklog"
    files = [path for path in SOURCE.rglob("*") if path.is_file()]
    assert files
    for path in files:
        copy = folder / path.relative_to(SOURCE)
        assert copy.read_bytes() == path.read_bytes()
        assert os.access(copy, os.X_OK) == os.access(path, os.X_OK)
    repo = Repo(folder)
    assert repo.git("log", "--format=%s %an %as") == "The example skillstudio 2025-01-01"
    assert repo.git("status", "--porcelain") == ""


def test_an_unchanged_copy_is_used_again(tmp_path: Path) -> None:
    first = copied(tmp_path)
    assert copied(tmp_path) == first
    assert [path.name for path in (tmp_path / "tour").iterdir()] == ["worklog"]


def test_a_changed_copy_stays(tmp_path: Path) -> None:
    first = copied(tmp_path)
    (first / "notes.md").write_text("Mine.\n")
    copy = copy_for_tour(str(EXAMPLES), str(tmp_path))
    assert Path(copy.folder) == tmp_path / "tour-2" / "worklog"
    assert copy.earlier_copy == str(first)
    assert (first / "notes.md").read_text() == "Mine.\n"
    assert copied(tmp_path) == Path(copy.folder)


@needs_git
def test_a_copy_with_another_commit_stays(tmp_path: Path) -> None:
    first = copied(tmp_path)
    Repo(first).git("commit", "--quiet", "--allow-empty", "--message=Mine")
    assert copied(tmp_path) == tmp_path / "tour-2" / "worklog"


def test_without_git_there_is_a_copy_and_later_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        folder = copied(tmp_path)
        assert not (folder / ".git").exists()
        assert (folder / "SKILL.md").is_file()
    assert copied(tmp_path) == folder


def test_a_state_folder_that_cannot_be_used_is_replaced_by_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file\n")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    folder = copied(tmp_path / "state")
    assert folder.is_relative_to(tmp_path / "temporary")
    assert (folder / "SKILL.md").is_file()


def test_where_nothing_can_be_written_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file\n")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(NotPlaced, match="no folder for a copy of worklog"):
        copied(tmp_path / "state")
    with pytest.raises(NotPlaced, match="worklog"):
        copy_for_tour(str(tmp_path / "none"), str(tmp_path))
