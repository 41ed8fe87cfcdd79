"""What of a run's changes is kept, and what comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import AFTER, BEFORE, changes, make, seen

from skillstudio.dryrun.applying import recorded_changes
from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.recorded_changes import (
    listing,
    of_paths,
    read_recorded_changes,
    select_changes,
    sources,
)


@pytest.fixture
def wanted(tmp_path: Path) -> list[ApplyChange]:
    real = make(tmp_path / "real", BEFORE)
    return changes(real, make(tmp_path / "copy", {**AFTER, "odd/\udcff\n": b"odd"}))


def stored(keeping: recorded_changes.RecordedChanges, folder: Path) -> str:
    for place, source in sources(keeping).items():
        target = os.path.join(folder, place)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "rb") as file, open(target, "xb") as made:
            made.write(file.read())
    folder.mkdir(exist_ok=True)
    (folder / recorded_changes.CHANGES).write_bytes(listing(keeping))
    return str(folder)


def nothing_secret(_: bytes) -> str:
    return ""


def test_what_is_kept_can_be_applied_when_the_copies_are_gone(
    wanted: list[ApplyChange], tmp_path: Path
) -> None:
    keeping = select_changes(wanted, nothing_secret)
    assert keeping.exclusions == ()
    folder = stored(keeping, tmp_path / "run")
    after = seen(tmp_path / "copy")
    (tmp_path / "copy").rename(tmp_path / "gone")
    back = read_recorded_changes(folder)
    assert [each[:3] for each in back.applicable_changes] == [each[:3] for each in wanted]
    apply(back.applicable_changes)
    assert seen(tmp_path / "real") == after


def test_nothing_of_a_sensitive_value_is_kept(wanted: list[ApplyChange]) -> None:
    keeping = select_changes(wanted, lambda data: "holds it" if b"made" in data else "")
    told = listing(keeping)
    assert "made/deep/er/file" not in sources(keeping)
    assert b"made" not in told
    assert [each.why for each in keeping.exclusions] == ["paths that contain a sensitive value (3)"]
    keeping = select_changes(wanted, lambda data: "holds it" if data == b"made\n" else "")
    [left] = keeping.exclusions
    assert (left.path, left.why) == (
        "made/deep/er/file",
        "holds it, so it is not recorded",
    )
    digest = next(w.after.digest for w in wanted if w.after and w.path == left.path)
    assert digest.encode() not in listing(keeping)


def test_what_is_too_much_is_left_out(
    wanted: list[ApplyChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_changes, "MAX_SIZE", 100)
    monkeypatch.setattr(recorded_changes, "MAX_CHANGES", len(wanted) - 1)
    keeping = select_changes(wanted, nothing_secret)
    assert {each.path: each.why for each in keeping.exclusions} == {
        "kept/edited.bin": "is too large to record (256 bytes)",
        "": f"changes over the limit of {len(wanted) - 1} (1)",
    }


def test_what_cannot_be_read_is_left_out(wanted: list[ApplyChange], tmp_path: Path) -> None:
    (tmp_path / "copy/new.txt").unlink()
    [left] = select_changes(wanted, nothing_secret).exclusions
    assert left.path == "new.txt"
    assert left.why.startswith("cannot be read (")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("new.txt", {"new.txt"}),
        ("gone", {"gone/file.txt"}),
        ("made/", {"made/deep/er/file", "made/empty", "made/link"}),
        ("../real/made/deep", {"made/deep/er/file"}),
        ("link", {"link"}),
        ("ne", set()),
        ("..", set()),
    ],
)
def test_paths_name_changes(
    wanted: list[ApplyChange], tmp_path: Path, path: str, found: set[str]
) -> None:
    (tmp_path / "cwd").mkdir()
    if path == "..":
        path = str(tmp_path / "copy")
    assert {each.path for each in of_paths(wanted, path, str(tmp_path / "cwd"))} == found
