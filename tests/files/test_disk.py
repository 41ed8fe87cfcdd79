"""A folder on disk: how much of a file is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree, WatchedTree


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 100_000])
@pytest.mark.parametrize("limit", [None, 0, 1, 10, 100_001])
def test_at_most_the_limit_is_read(size: int, limit: int | None, tmp_path: Path) -> None:
    data = os.urandom(size)
    (tmp_path / "file").write_bytes(data)
    assert DiskTree(tmp_path).read("file", limit) == data[:limit]


@pytest.mark.parametrize("limit", [3, 300_000])
def test_a_file_that_grows_is_read_up_to_the_limit(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 200_000)
    size = os.fstat

    def smaller(handle: int) -> os.stat_result:
        state = list(size(handle))
        state[6] = 1
        return os.stat_result(state)

    monkeypatch.setattr(os, "fstat", smaller)
    assert DiskTree(tmp_path).read("file", limit) == b"x" * min(limit, 200_000)


def aged(path: Path, seconds: float = 10.0) -> None:
    """Give a file a time of change that is long ago."""
    then = path.stat().st_mtime_ns - int(seconds * 1e9)
    os.utime(path, ns=(then, then))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file was changed long ago, except where a test changes it again."""
    monkeypatch.setattr("skillstudio.files.disk._SETTLING_TIME", -(10**18))


def test_a_file_is_read_again_only_after_it_changed(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    tree = WatchedTree(tmp_path)
    assert tree.read("file", 10) is tree.read("file", 10)
    assert tree.read("file", 2) == b"on"
    aged(file)  # The same bytes with other times.
    assert tree.read("file") == b"one"
    file.write_bytes(b"two")
    assert tree.read("file") == b"two"
    (tmp_path / "new").write_bytes(b"333")
    os.replace(tmp_path / "new", file)
    assert tree.read("file") == b"333"
    file.unlink()
    with pytest.raises(FileNotFoundError):
        tree.read("file")


def test_a_part_of_a_file_is_no_whole(tmp_path: Path, settled: None) -> None:
    (tmp_path / "file").write_bytes(b"123456")
    tree = WatchedTree(tmp_path)
    assert tree.read("file", 3) == b"123"
    assert tree.read("file") == b"123456"


def test_a_file_that_just_changed_is_read_each_time(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    tree = WatchedTree(tmp_path)
    tree.read("file")
    before = file.stat()
    file.write_bytes(b"two")  # Within the precision of a time, as a file system may have it.
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert tree.read("file") == b"two"


def test_large_files_are_not_kept(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillstudio.files.disk._MOST_KEPT", 5)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(name.encode() * 4)
    tree = WatchedTree(tmp_path)
    assert tree.read("a") is tree.read("a")
    assert tree.read("b") is not tree.read("b")
    assert tree.read("b") == b"bbbb"
