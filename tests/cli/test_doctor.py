"""`skillstudio doctor`: the isolation levels of this machine, and what killed runs left on it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import PROCESSES, block_skill, offered

from skillstudio.cli import doctor, painting
from skillstudio.dryrun.isolation.known_gaps import network_gaps
from skillstudio.dryrun.isolation.levels import ISOLATION_LEVELS, probe_isolation
from skillstudio.dryrun.staging.leftovers import OWNER, claim
from skillstudio.dryrun.traces.store import copies_folder

pytestmark = pytest.mark.usefixtures("temporary")


def a_killed_run() -> Path:
    folder = Path(claim(copies_folder()))
    (folder / OWNER).write_text('{"pid": 999999999, "started": "1"}')
    (folder / "copy").write_bytes(bytes(1000))
    return folder


def test_every_isolation_level_is_told_with_its_reason_and_known_gaps(run: Run) -> None:
    told = run("doctor", "--format", "json").json
    assert [each["id"] for each in told["isolation_levels"]] == list(ISOLATION_LEVELS)
    for isolation, known in zip(told["isolation_levels"], probe_isolation().all, strict=True):
        assert (isolation["available"], isolation["known_gaps"]) == (
            known.available,
            [*known.known_gaps, *network_gaps(known.id, "hosts")],
        )
        assert (isolation["reason"] is None) == isolation["available"]
    rows = {row["name"]: row for row in told["rows"]}
    assert {
        "landlock",
        "bwrap",
        "wasmtime",
        *(f"isolation level {each}" for each in ISOLATION_LEVELS),
    } <= set(rows)
    assert rows["isolation level copy"]["found"] == "Copy run, not isolated"
    lines = run("doctor", "-v").out
    assert all(gap in lines for each in told["isolation_levels"] for gap in each["known_gaps"])


def test_faults_come_first_and_what_is_fine_is_counted(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "LIBRARIES", ("textual", "no-such-library"))
    monkeypatch.setenv("SKILLSTUDIO_TARGETS", "spec")
    ran = run("doctor")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert (ran.status, lines[0]) == (1, "missing no-such-library reinstall")
    states = [line.split()[0] for line in lines]
    assert "ok" not in states[: states.index("ok")]
    rows = {row["name"]: row for row in run("doctor", "--format", "json").json["rows"]}
    faults = [name.split()[0] for name, row in rows.items() if row["state"] != "ok"]
    names = [line.split()[1] for line in run("doctor", "-q").out.splitlines()]
    assert sorted(names) == sorted(faults)
    for level in run("doctor", "--format", "json").json["isolation_levels"]:
        (line,) = [line for line in lines if f" isolation level {level['id']} " in line]
        if number := len(level["known_gaps"]):
            noun = "known gap" if number == 1 else "known gaps"
            assert (f" {number} {noun}" in line) or level["reason"] in line
    assert not any("known gap:" in line for line in lines)
    assert any(line.startswith("ok SKILLSTUDIO_TARGETS spec ") for line in lines)
    assert lines[-1].endswith(" more -v lists them and the known gaps")
    number = int(lines[-1].split()[1])
    assert len(rows) == len(lines) - 1 + number


def test_verbose_prints_every_row(run: Run) -> None:
    rows = run("doctor", "--format", "json").json["rows"]
    out = run("doctor", "--verbose").out
    assert all(f"{row['state']:<9} {row['name']} " in out.replace("\n", " \n") for row in rows)


def test_no_line_is_longer_than_the_terminal_is_wide(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("doctor", "-v").out
    monkeypatch.setattr(painting, "terminal_width", lambda: 80)
    folded = run("doctor", "-v").out
    assert max(map(len, whole.splitlines())) > 80
    # The path of the checkout may be a longer word.
    long = [line for line in folded.splitlines() if len(line) > 80]
    assert [line for line in long if len(line.split()) > 1] == []
    assert folded.split() == whole.split()


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
    assert run("doctor", "--clean").out == "no leftovers\n"


def test_a_cache_that_is_no_folder_is_no_failure(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    assert "Not a directory" not in run("doctor").err


def test_what_is_removed_is_told_to_programs(run: Run) -> None:
    folder = a_killed_run()
    told = run("doctor", "--clean", "--format", "json").json
    assert [each["folder"] for each in told["removed"]] == [str(folder)]
    assert told["failed"] == []


def test_what_a_killed_try_of_an_isolation_level_left_is_removed(run: Run, temporary: Path) -> None:
    program = (
        "import os, signal, sys, tempfile; from skillstudio.dryrun.isolation import canary;"
        "tempfile.tempdir = sys.argv[1];"
        "end = lambda *each: os.kill(os.getpid(), signal.SIGKILL);"
        "canary.run_canary(end, sys.executable, False, True)"
    )
    subprocess.run([sys.executable, "-c", program, str(temporary)], check=False)
    (left,) = temporary.iterdir()
    assert run("doctor", "--clean").out == "no leftovers\n"  # It may be going on.
    os.utime(left, (0, 0))
    told = run("doctor", "--format", "json").json
    assert [each["folder"] for each in told["leftovers"]] == [str(left)]
    assert run("doctor", "--clean").out.startswith(f"removed {left}, ")
    assert list(temporary.iterdir()) == []


def soon(what: Callable[[], object], seconds: float = 20) -> bool:
    """Whether something comes to be within so many seconds."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if what():
            return True
        pause.wait(0.05)
    return False


def running(word: str) -> list[str]:
    """The processes with a word in their command line."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [str(each)] if word.encode() in each.read_bytes() else []
        except OSError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("isolation", PROCESSES)
def test_a_run_that_was_killed_leaves_copies_alone_and_they_are_removed(
    run: Run, tmp_path: Path, isolation: str
) -> None:
    offered(isolation)
    span = f"61.{os.getpid()}{PROCESSES.index(isolation)}"
    skill = block_skill(tmp_path / "tool", f"echo x > begun.txt\nsleep {span}\n")
    work = tmp_path / "work"
    work.mkdir()
    words = ["run", str(skill), "go", "--isolation", isolation]
    started = subprocess.Popen(
        [sys.executable, "-m", "skillstudio", *words], cwd=work, stderr=subprocess.DEVNULL
    )
    copies = Path(copies_folder())
    assert soon(lambda: list(copies.rglob("begun.txt")) and running(span))
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert soon(lambda: not running(span))
    [folder] = copies.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not (skill / "begun.txt").exists()
    assert run("doctor", "--clean").out.startswith(f"removed {folder}, ")
    assert list(copies.iterdir()) == []
