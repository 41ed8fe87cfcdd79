"""A folder on disk: how much of a file is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree


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
