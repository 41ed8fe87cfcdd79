"""Locks: who waits, who does not, and what is done where there are none."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from skillstudio.files.saving import locks
from skillstudio.files.saving.locks import LockBusy, hold_locks
from skillstudio.files.saving.writer import prepare_save, write_file

needs_locks = pytest.mark.skipif(os.name == "nt", reason="a lock is of a process there")


@needs_locks
def test_the_same_file_by_another_path_is_locked(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with (
        hold_locks([str(tmp_path / "folder" / "a")]),
        pytest.raises(LockBusy, match="another skillstudio is saving"),
        hold_locks([str(tmp_path / "link" / "a")], wait=0),
    ):
        pass


@needs_locks
def test_files_of_other_folders_are_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_STRIPES", 1 << 30)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with (
        hold_locks([str(tmp_path / "one" / "a")]),
        hold_locks([str(tmp_path / "other" / "a")], wait=0),
    ):
        pass


@needs_locks
@pytest.mark.parametrize("other", ["state", "folder"])
def test_one_of_both_locks_is_enough(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only home has no lock files; another user's process has other ones."""
    file = str(tmp_path / "file")
    if other == "state":
        monkeypatch.setattr(locks, "_opened_folder", lambda _: None)
    else:
        monkeypatch.setattr(locks, "_opened_file", lambda _: None)
    with hold_locks([file]), pytest.raises(LockBusy), hold_locks([file], wait=0):
        pass


def test_without_any_lock_a_file_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locks, "take", refuse)
    write_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_save_waits_for_the_one_before_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    entered = threading.Event()

    def append() -> None:
        entered.set()
        with prepare_save([str(file)]) as write:
            write(str(file), file.read_bytes() + b"second")

    with prepare_save([str(file)]) as write:
        thread = threading.Thread(target=append)
        thread.start()
        entered.wait()
        write(str(file), b"first ")
    thread.join()
    assert file.read_bytes() == b"first second"


@pytest.mark.slow
def test_many_files_are_locked_with_few_handles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[str] = []
    monkeypatch.setattr(locks, "_opened_folder", folders.append)
    with hold_locks(str(tmp_path / f"folder{n}" / "file") for n in range(5000)):
        assert 0 < len(folders) <= 200
