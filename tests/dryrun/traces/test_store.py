"""Recorded runs: whole or not at all, found by their names, the oldest gone first."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from skillstudio.dryrun.traces.store import RunStore, RunUnknown

RUNS = ["20260101T000000-000aaaa", "20260101T000000-999aaaa", "20260102T000000-000bbbb"]


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    folder = tmp_path / "printed"
    folder.mkdir()
    (folder / "stdout").write_bytes(b"o" * 1000)
    return folder


def kept(tmp_path: Path, printed: Path, cap: int = 1 << 20) -> RunStore:
    store = RunStore(str(tmp_path / "runs"), cap)
    for run in RUNS:
        store.keep(run, {"run": run}, str(printed), {})
    return store


def test_a_run_is_kept_for_its_owner_alone(tmp_path: Path, printed: Path) -> None:
    store = kept(tmp_path, printed)
    folder = Path(store.all()[0].folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "stdout").read_bytes() == b"o" * 1000
    assert json.loads((folder / "trace.json").read_text()) == {"run": RUNS[2]}


def test_the_newest_is_first_also_within_a_second(tmp_path: Path, printed: Path) -> None:
    store = kept(tmp_path, printed)
    assert [each.run for each in store.all()] == RUNS[::-1]
    assert store.all()[0].run == RUNS[2]


@pytest.mark.parametrize(
    ("name", "found"),
    [(RUNS[0], RUNS[0]), ("20260102", RUNS[2]), ("20260101T000000-9", RUNS[1])],
)
def test_a_beginning_is_enough(tmp_path: Path, printed: Path, name: str, found: str) -> None:
    assert kept(tmp_path, printed).find(name).run == found


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("20260101", "2 runs start with 20260101"),
        ("", "there is no run"),
        ("../x", "there is no run"),
    ],
)
def test_what_names_none_or_several_is_told(
    tmp_path: Path, printed: Path, name: str, said: str
) -> None:
    with pytest.raises(RunUnknown, match=said):
        kept(tmp_path, printed).find(name)


def test_where_nothing_is_kept_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunUnknown, match="no run is recorded yet"):
        RunStore(str(tmp_path / "runs")).find(RUNS[0])


def test_the_oldest_go_first_and_the_newest_stays(tmp_path: Path, printed: Path) -> None:
    assert [each.run for each in kept(tmp_path, printed, 2500).all()] == [RUNS[2], RUNS[1]]
    assert [each.run for each in kept(tmp_path / "b", printed, 1).all()] == [RUNS[2]]


def test_what_cannot_be_kept_leaves_nothing(tmp_path: Path, printed: Path) -> None:
    store = RunStore(str(tmp_path / "runs"))
    with pytest.raises(TypeError):
        store.keep(RUNS[0], {"run": object()}, str(printed), {})
    assert list((tmp_path / "runs").iterdir()) == []


def test_other_files_are_no_runs(tmp_path: Path, printed: Path) -> None:
    store = kept(tmp_path, printed)
    (tmp_path / "runs" / "notes.txt").write_text("")
    (tmp_path / "runs" / ".20260103T000000-x").mkdir()
    assert len(store.all()) == 3


def test_what_a_killed_program_began_to_keep_goes_after_an_hour(
    tmp_path: Path, printed: Path
) -> None:
    runs = tmp_path / "runs"
    for name, moment in ((".old", 0), (".new", None)):
        (runs / name).mkdir(parents=True)
        os.utime(runs / name, None if moment is None else (moment, moment))
    kept(tmp_path, printed)
    assert {each.name for each in runs.iterdir() if each.name.startswith(".")} == {".new"}
