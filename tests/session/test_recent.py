"""The folders that were opened last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.session.recent import recent_folders, remember_folder


def test_the_last_folder_is_first_and_named_once(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    for folder in (*folders, folders[0]):
        remember_folder(state, str(folder))
    assert recent_folders(state) == [str(folders[0]), str(folders[1])]
    folders[0].rmdir()
    assert recent_folders(state) == [str(folders[1])]


def test_at_most_twelve_folders_are_kept(tmp_path: Path) -> None:
    for number in range(15):
        (tmp_path / f"{number}").mkdir()
        remember_folder(str(tmp_path / "state"), str(tmp_path / f"{number}"))
    found = recent_folders(str(tmp_path / "state"))
    assert [os.path.basename(each) for each in found] == [str(n) for n in range(14, 2, -1)]


@pytest.mark.parametrize("text", ["", "{}", "[1, null]", "\x00", '["/does/not/exist"]'])
def test_a_broken_file_names_no_folder(tmp_path: Path, text: str) -> None:
    (tmp_path / "recent.json").write_text(text)
    assert recent_folders(str(tmp_path)) == []


def test_a_state_that_cannot_be_written_to_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    remember_folder(str(tmp_path / "file"), str(tmp_path))
    remember_folder(str(tmp_path), str(tmp_path / "missing"))
    assert recent_folders(str(tmp_path)) == []
