"""Saving: the bytes, the permission bits, the link, and what a failure leaves behind."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skillstudio.files.saving.writer import write_file

posix = pytest.mark.skipif(os.name == "nt", reason="permission bits and links are POSIX")


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_new_file(tmp_path: Path) -> None:
    write_file(tmp_path / "new", b"\r\n\xff")
    assert (tmp_path / "new").read_bytes() == b"\r\n\xff"
    assert names(tmp_path) == ["new"]


@posix
@pytest.mark.parametrize("bits", [0o600, 0o644, 0o755])
def test_the_bits_of_the_old_file_stay(tmp_path: Path, bits: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(bits)
    write_file(file, b"new")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", bits)


@posix
def test_a_protected_file_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write_file(file, b"new")
    assert (file.read_bytes(), names(tmp_path)) == (b"old", ["file"])


@posix
def test_bits_can_be_given(tmp_path: Path) -> None:
    write_file(tmp_path / "run.sh", b"", mode=0o700)
    assert stat.S_IMODE((tmp_path / "run.sh").stat().st_mode) == 0o700


@posix
def test_a_new_file_has_the_bits_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_file(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real = tmp_path / "folder" / "real"
    real.write_bytes(b"old")
    (tmp_path / "link").symlink_to("folder/real")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert real.read_bytes() == b"new"
    assert names(tmp_path / "folder") == ["real"]


def test_a_failed_rename_leaves_the_old_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write_file(file, b"new")
    assert (names(tmp_path), file.read_bytes()) == (["file"], b"old")


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        write_file(tmp_path / "folder", b"")
    assert names(tmp_path) == ["folder"]


def test_no_folder_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "absent" / "file", b"")


@posix
def test_a_disk_that_fills_up_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    import resource

    file = tmp_path / "file"
    file.write_bytes(b"old")
    # So few bytes wait in memory until the file is closed: what fails then fails twice.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(OSError):
            write_file(file, b"new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (file.read_bytes(), names(tmp_path)) == (b"old", ["file"])
