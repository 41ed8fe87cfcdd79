"""`skillstudio doctor`: the rungs of this machine, and what killed runs left on it."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cli.conftest import Run

from skillstudio.dryrun.rungs.ladder import RUNGS, probe_rungs
from skillstudio.dryrun.staging.leftovers import OWNER, claim
from skillstudio.dryrun.traces.store import copies_folder


def a_killed_run() -> Path:
    folder = Path(claim(copies_folder()))
    (folder / OWNER).write_text('{"pid": 999999999, "started": "1"}')
    (folder / "copy").write_bytes(bytes(1000))
    return folder


def test_every_rung_is_told_with_its_reason_and_holes(run: Run) -> None:
    told = run("doctor", "--format", "json").json
    assert [each["id"] for each in told["rungs"]] == list(RUNGS)
    for rung, known in zip(told["rungs"], probe_rungs().rungs, strict=True):
        assert (rung["available"], rung["holes"]) == (known.available, list(known.holes))
        assert (rung["reason"] is None) == rung["available"]
    rows = {row["name"]: row for row in told["rows"]}
    assert {"landlock", "bwrap", "strace", "wasmtime", *(f"rung {each}" for each in RUNGS)} <= set(
        rows
    )
    assert rows["rung copy"]["found"] == "Copy run, not isolated"
    lines = run("doctor").out
    assert all(hole in lines for each in told["rungs"] for hole in each["holes"])


def test_what_killed_runs_left_is_told_and_removed(run: Run) -> None:
    folder = a_killed_run()
    own = claim(copies_folder())
    size = 1000 + os.path.getsize(folder / OWNER)
    told = run("doctor", "--format", "json").json
    assert told["leftovers"] == [{"folder": str(folder), "size": size}]
    ran = run("doctor", "--clean")
    assert (ran.status, ran.out) == (0, f"removed {folder}, {size:,} bytes\n")
    assert not folder.exists()
    assert os.path.isdir(own)
    assert run("doctor", "--clean").out == "nothing was left behind\n"


def test_what_is_removed_is_told_to_programs(run: Run) -> None:
    folder = a_killed_run()
    told = run("doctor", "--clean", "--format", "json").json
    assert [each["folder"] for each in told["removed"]] == [str(folder)]
    assert told["failed"] == []
