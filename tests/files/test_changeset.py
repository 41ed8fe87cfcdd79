"""What changed in a folder between two moments."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.files.changeset import HOLE, SnapshotLimit, compare, pieces, snapshot


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "docs").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "docs" / "a.md").write_text("alpha")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "link").symlink_to("run.sh")
    return root


def rewrite_with_old_times(path: Path) -> None:
    """Other bytes of the same length behind the same time of content."""
    about = path.stat()
    path.write_text("ALPHA")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


def replace_folder(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("a file now")


def relink(path: Path) -> None:
    path.unlink()
    path.symlink_to("docs")


CHANGES: list[tuple[str, Callable[[Path], object], tuple[list[str], list[str], list[str]]]] = [
    ("nothing", lambda f: None, ([], [], [])),
    ("a new file", lambda f: (f / "new").write_text("x"), (["new"], [], [])),
    ("a new empty folder", lambda f: (f / "dir").mkdir(), (["dir"], [], [])),
    ("a file in new folders", lambda f: _deep(f), (["p/q/r"], [], [])),
    ("a file in an empty folder", lambda f: (f / "empty/x").write_text(""), (["empty/x"], [], [])),
    ("other bytes", lambda f: (f / "docs/a.md").write_text("beta"), ([], ["docs/a.md"], [])),
    ("the same bytes", lambda f: (f / "docs/a.md").write_text("alpha"), ([], [], [])),
    ("a touch", lambda f: os.utime(f / "docs/a.md", (1, 1)), ([], [], [])),
    ("old times put back", lambda f: rewrite_with_old_times(f / "docs/a.md"),
     ([], ["docs/a.md"], [])),
    ("another mode", lambda f: (f / "run.sh").chmod(0o755), ([], ["run.sh"], [])),
    ("another mode of a folder", lambda f: (f / "docs").chmod(0o700), ([], ["docs"], [])),
    ("another target", lambda f: relink(f / "link"), ([], ["link"], [])),
    ("a removed file", lambda f: (f / "run.sh").unlink(), ([], [], ["run.sh"])),
    ("a removed folder", lambda f: shutil.rmtree(f / "docs"), ([], [], ["docs/a.md"])),
    ("a removed empty folder", lambda f: (f / "empty").rmdir(), ([], [], ["empty"])),
    ("a folder that is a file now", lambda f: replace_folder(f / "docs"),
     ([], ["docs"], ["docs/a.md"])),
    ("a FIFO", lambda f: os.mkfifo(f / "pipe"), (["pipe"], [], [])),
]  # fmt: skip


def _deep(folder: Path) -> None:
    (folder / "p/q").mkdir(parents=True)
    (folder / "p/q/r").write_text("x")


@pytest.mark.parametrize(("what", "act", "expected"), CHANGES, ids=[row[0] for row in CHANGES])
def test_a_change_is_told_once(
    folder: Path,
    what: str,
    act: Callable[[Path], object],
    expected: tuple[list[str], list[str], list[str]],
) -> None:
    before = snapshot(str(folder))
    act(folder)
    found = compare(before, snapshot(str(folder), before))
    assert tuple([each.path for each in side] for side in found) == expected
    assert bool(found) == any(expected)


def test_both_sides_of_a_change_are_kept(folder: Path) -> None:
    before = snapshot(str(folder))
    (folder / "docs/a.md").write_text("longer than before")
    [changed] = compare(before, snapshot(str(folder), before)).modified
    assert changed.before is not None
    assert changed.after is not None
    assert (changed.before.size, changed.after.size) == (5, 18)
    assert changed.before.digest != changed.after.digest


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x")
    (folder / "out").symlink_to(tmp_path / "outside")
    assert not any(path.startswith("out/") for path in snapshot(str(folder)))


def test_a_name_that_is_not_utf_8_is_told(folder: Path) -> None:
    before = snapshot(str(folder))
    with open(os.path.join(os.fsencode(folder), b"caf\xe9"), "wb"):
        pass
    [added] = compare(before, snapshot(str(folder), before)).added
    assert os.fsencode(added.path) == b"caf\xe9"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        snapshot(str(tmp_path / "gone"))


def test_a_path_that_is_longer_than_the_system_takes(folder: Path) -> None:
    before = snapshot(str(folder))
    here = os.open(folder, os.O_RDONLY)
    for _ in range(40):
        os.mkdir("n" * 200, dir_fd=here)
        inner = os.open("n" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    found = compare(before, snapshot(str(folder)))
    assert [each.path.count("/") > 10 for each in found.added] == [True]
    assert not found.modified
    assert not found.removed


class Clock:
    """Says stop from a certain call on."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_what_was_not_read_in_time_is_named_and_never_called_the_same(folder: Path) -> None:
    before = snapshot(str(folder))
    (folder / "large").write_bytes(bytes(3 << 20))
    (folder / "docs" / "a.md").write_text("ALPHA")
    listed = 3  # one look at the clock for each folder
    bound = SnapshotLimit(Clock(listed + 2))
    after = snapshot(str(folder), before, limit=bound)
    # The smaller one is read first.
    assert (bound.unread, bound.unlisted_folders) == (["large"], [])
    assert after["large"].digest == ""
    assert [each.path for each in compare(before, after).modified] == ["docs/a.md"]


def test_folders_that_were_not_listed_in_time_are_named(folder: Path) -> None:
    bound = SnapshotLimit(Clock(1))
    snapshot(str(folder), limit=bound)
    assert sorted(bound.unlisted_folders) == ["docs", "empty"]
    bound = SnapshotLimit(Clock(0))
    assert (snapshot(str(folder), limit=bound), bound.unlisted_folders) == ({}, [""])


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (b"a",),
        (b"a" * (3 << 20),),
        (b"a", 5 << 20, b"b"),
        (5 << 20,),
        (3 << 20, b"x" * 5000, 2 << 20),
        (b"y" * 4096, (1 << 20) + 7, b"z", 100),
    ],
)
def test_the_pieces_of_a_file_with_holes_are_its_bytes(
    tmp_path: Path, parts: tuple[bytes | int, ...]
) -> None:
    """A number is a hole of so many bytes."""
    path = tmp_path / "file"
    with path.open("wb") as file:
        for part in parts:
            if isinstance(part, int):
                file.truncate(file.seek(part, os.SEEK_CUR))
            else:
                file.write(part)
    with open(path, "rb", 0) as raw:
        found = list(pieces(raw))
    assert b"".join(found) == path.read_bytes()
    assert all(each is HOLE or len(each) <= len(HOLE) for each in found)
