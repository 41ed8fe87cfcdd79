"""The changes below a folder, watched in this process and by another one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillstudio.files import watching


@pytest.fixture(params=["here", "by a process"])
def changes(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Iterator[frozenset[str]]]:
    """The changes below `tmp_path`, whose watch has begun."""
    (tmp_path / "below" / "deep").mkdir(parents=True)
    if request.param != "here":
        monkeypatch.setattr(watching, "_FEW", 1)
    stop = threading.Event()
    following = watching.changes(str(tmp_path), stop)
    way = "_here" if request.param == "here" else "_by_process"
    assert way in repr(following)
    assert next(following) == frozenset()
    yield following
    stop.set()
    assert list(following) == []


@pytest.mark.slow  # It starts a process, and waits for what the system reports.
def test_changes_in_folders_below_and_new_ones(
    changes: Iterator[frozenset[str]], tmp_path: Path
) -> None:
    for name in ("below/deep/file", "below/new/file"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
        assert any(str(file) in changed for changed in changes if changed)
        file.write_text("y")
        assert any(str(file) in changed for changed in changes if changed)


@pytest.mark.slow  # It starts a process.
def test_a_folder_that_cannot_be_watched_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_has_many", lambda _: True)
    with pytest.raises(OSError, match=r"No such file|not found|No path was found"):
        next(watching.changes(str(tmp_path / "missing"), threading.Event()))


@pytest.mark.parametrize(("most", "is_large"), [(2, True), (3, False), (100, False)])
def test_a_tree_is_large_by_its_folders(
    most: int, is_large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_FEW", most)
    for name in ("a/b", "c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    assert watching._has_many(str(tmp_path)) is is_large
