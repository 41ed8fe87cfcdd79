"""Whole folders."""

from __future__ import annotations

import os
from pathlib import Path

from skillstudio.files.folders import folder_size, remove


def test_what_is_protected_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    locked = folder / "a" / "b"
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(0o500)
    locked.parent.chmod(0o000)
    remove(str(folder))
    assert not folder.exists()
    remove(str(folder))


def test_what_no_path_reaches_is_removed(tmp_path: Path) -> None:
    """Longer than a path may be, and deeper than calls go."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name, depth in (("n" * 200, 40), ("s", 1200)):
        here = os.open(folder, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=here)
            inner = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        os.close(here)
    remove(str(folder))
    assert not folder.exists()


def test_where_a_link_leads_nothing_is_removed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "kept")
    remove(str(tmp_path / "folder"))
    assert (tmp_path / "kept" / "file").read_text() == "x"


def test_a_folder_is_as_large_as_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_bytes(bytes(100))
    (tmp_path / "two").write_bytes(bytes(20))
    assert folder_size(str(tmp_path)) == 120
    assert folder_size(str(tmp_path / "gone")) == 0
