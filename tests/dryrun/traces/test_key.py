"""The user's key: made once, for its owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skillstudio.dryrun.traces.key import KeyUnusable, read_key


def test_it_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = read_key(str(folder))
    assert len(key.secret) == 32
    assert read_key(str(folder)) == key
    [file] = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_users_have_two_keys(tmp_path: Path) -> None:
    assert read_key(str(tmp_path / "a")) != read_key(str(tmp_path / "b"))


@pytest.mark.parametrize("content", ["", "zz" * 32, "00" * 31, "00" * 33])
def test_what_is_no_key_is_told(tmp_path: Path, content: str) -> None:
    file = tmp_path / "trace.key"
    file.write_text(content)
    file.chmod(0o600)
    with pytest.raises(KeyUnusable, match="is not a key of traces"):
        read_key(str(tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="permission bits of Unix")
def test_a_key_that_others_read_is_not_used(tmp_path: Path) -> None:
    read_key(str(tmp_path))
    (tmp_path / "trace.key").chmod(0o644)
    with pytest.raises(KeyUnusable, match="readable by others"):
        read_key(str(tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of Unix")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_not_followed(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "trace.key"
    if kind == "link":
        (tmp_path / "other").write_text("00" * 32)
        place.symlink_to("other")
    elif kind == "pipe":
        os.mkfifo(place, 0o600)
    else:
        place.mkdir(0o700)
    with pytest.raises(KeyUnusable):
        read_key(str(tmp_path))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyUnusable, match="file"):
        read_key(str(tmp_path / "file"))
