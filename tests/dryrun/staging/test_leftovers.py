"""What killed runs leave behind is found, and only that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from skillstudio.dryrun.staging.leftovers import OWNER, claim, leftovers, remove


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


def test_what_a_program_protected_is_removed(tmp_path: Path) -> None:
    folder = claim(str(tmp_path))
    locked = Path(folder, "a", "b")
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(0o500)
    locked.parent.chmod(0o000)
    remove(folder)
    assert not os.path.exists(folder)
    remove(folder)


def test_what_no_path_reaches_is_removed(tmp_path: Path) -> None:
    """Longer than a path may be, and deeper than calls go."""
    folder = claim(str(tmp_path))
    for name, depth in (("n" * 200, 40), ("s", 1200)):
        here = os.open(folder, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=here)
            inner = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        os.close(here)
    remove(folder)
    assert not os.path.exists(folder)
