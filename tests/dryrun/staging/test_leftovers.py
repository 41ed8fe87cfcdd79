"""What killed runs leave behind is found, and only that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillstudio.dryrun.staging.leftovers import OWNER, claim, leftovers
from skillstudio.files.folders import remove


def test_the_folder_of_a_run_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = claim(str(tmp_path / "state" / "runs"))
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert leftovers(str(tmp_path / "state" / "runs")) == []


def test_a_killed_run_is_found_with_its_size(tmp_path: Path) -> None:
    program = (
        "import os, sys, signal; from skillstudio.dryrun.staging.leftovers import claim; "
        "print(claim(sys.argv[1]), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True
    )
    folder = ended.stdout.strip()
    Path(folder, "copy.bin").write_bytes(bytes(1000))
    [found] = leftovers(str(tmp_path))
    assert found.folder == folder
    assert found.size == 1000 + os.path.getsize(os.path.join(folder, OWNER))
    remove(folder)
    assert leftovers(str(tmp_path)) == []
    assert not os.path.exists(folder)


def test_a_number_given_again_is_another_process(tmp_path: Path) -> None:
    folder = claim(str(tmp_path))
    Path(folder, OWNER).write_text(json.dumps({"pid": os.getpid(), "started": "1"}))
    assert [each.folder for each in leftovers(str(tmp_path))] == [folder]


def test_a_folder_without_an_owner_is_nobodys(tmp_path: Path) -> None:
    folder = claim(str(tmp_path))
    for content in ("", "[]", '{"pid": "x", "started": ""}'):
        Path(folder, OWNER).write_text(content)
        os.utime(folder)
        assert leftovers(str(tmp_path)) == []  # Somebody may be writing the name this moment.
        os.utime(folder, (0, 0))
        assert [each.folder for each in leftovers(str(tmp_path))] == [folder]


def test_other_folders_and_links_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "run-link").symlink_to(tmp_path / "notes")
    assert leftovers(str(tmp_path)) == []
    assert leftovers(str(tmp_path / "gone")) == []


def test_folders_of_another_beginning_are_asked_for_by_it(tmp_path: Path) -> None:
    for name in ("canary-old", "canary-new", "run-old"):
        (tmp_path / name).mkdir()
    (tmp_path / "canary-file").write_text("")
    for name in ("canary-old", "run-old", "canary-file"):
        os.utime(tmp_path / name, (0, 0))
    found = leftovers(str(tmp_path), "canary-")
    assert [each.folder for each in found] == [str(tmp_path / "canary-old")]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root makes such folders")
def test_folders_of_other_users_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run-other"
    folder.mkdir()
    os.utime(folder, (0, 0))
    assert len(leftovers(str(tmp_path))) == 1
    os.chown(folder, 65534, 65534)
    assert leftovers(str(tmp_path)) == []
