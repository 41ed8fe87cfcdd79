"""`skillstudio run` as a command: how it is ended, and what is left and said then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, front_skill

from skillstudio.cli.exit_codes import CANCELLED
from skillstudio.dryrun import run as pipeline
from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.traces.store import copies_folder

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("a")
    monkeypatch.chdir(work)
    return work


def left() -> list[str]:
    """The folders of runs that are still there."""
    return os.listdir(copies_folder()) if os.path.isdir(copies_folder()) else []


@pytest.mark.slow
@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_run_that_is_ended_leaves_nothing(work: Path, tmp_path: Path, name: str) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    skill = block_skill(tmp_path / "skill", f"echo $$ > '{told}'\nsleep 60\n")
    command = [
        sys.executable,
        "-m",
        "skillstudio",
        "run",
        str(skill),
        "--isolation",
        "copy",
        "--yes",
    ]
    running = subprocess.Popen([*command, "--format", "json"], stdout=subprocess.PIPE)
    with told.open() as reader:
        # On this isolation level the program has the number that everybody knows it by.
        waiting = int(reader.read())
    running.send_signal(getattr(signal, name))
    out, _ = running.communicate(timeout=60)
    assert running.returncode == CANCELLED
    assert json.loads(out)["exit_code"] is None
    assert left() == []
    with pytest.raises(ProcessLookupError):
        os.kill(waiting, 0)


@posix
@pytest.mark.parametrize("stage", ["stage", "make_report"])
def test_it_can_be_cancelled_while_it_copies_or_compares(
    work: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    then: Callable[..., Any] = getattr(pipeline, stage)

    def signalled(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return then(*arguments)

    monkeypatch.setattr(pipeline, stage, signalled)
    skill = block_skill(tmp_path / "skill", "echo done\n")
    ran = run("run", skill, "--isolation", "copy", "--yes", "--format", "json")
    assert ran.status == CANCELLED
    assert ran.json["error"] == "cancelled"
    assert left() == []


REFUSED = [
    (["-i", "a=1", "-i", "a=2"], "-i a is given twice"),
    (["--env", "A=1", "--env", "A=1"], "--env A is given twice"),
    (["--secret", "a=env:HOME", "--secret", "a=env:HOME"], "--secret a is given twice"),
    (["--inputs-json", "@/gone"], "--inputs-json: /gone: No such file or directory"),
    (["--stage-limit", "10"], "and the other folder have more than 10 bytes to copy"),
    (["--workspace", "/"], "the workspace would be /, the whole machine"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_is_refused_before_anything_starts(
    work: Path, tmp_path: Path, run: Run, options: list[str], message: str
) -> None:
    skill = block_skill(tmp_path / "skill", "echo done\n", inputs={"a": {"type": "string"}})
    ran = run("run", skill, "--yes", *options)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert left() == []


def test_where_no_copies_can_be_made(
    work: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    ran = run("run", block_skill(tmp_path / "skill", "echo done\n"))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"skillstudio: cannot write the copies to {tmp_path}/taken/")


@posix
def test_what_is_new_of_a_file_but_its_bytes(work: Path, tmp_path: Path, run: Run) -> None:
    for name in ("a", "b", "c"):
        (work / name).write_text("x")
        (work / name).chmod(0o644)
    script = "#!/bin/sh\nchmod 600 a; rm b; mkdir b; ln -s a l; echo more >> c\n"
    skill = front_skill(tmp_path / "skill", "", script)
    ran = run("run", skill, "scripts/go.sh", "--format", "json")
    told = {each["path"]: each["about"] for word in ran.json["changes"].values() for each in word}
    assert told == {
        "a": "permissions 600, were 644", "b": "was a file", "c": None, "l": "leads to a"
    }  # fmt: skip


ELSEWHERE = """
import contextlib, os, subprocess
with contextlib.suppress(OSError):
    os.unlink(os.path.expanduser("~/none"))
for path in ("/dev/shm/skillstudio-left", "/dev/shm/skillstudio-gone"):
    with contextlib.suppress(OSError):
        open(path, "w").close()
with contextlib.suppress(OSError):
    os.unlink("/dev/shm/skillstudio-gone")
with contextlib.suppress(OSError):
    os.listdir("/dev/shm")
os.listdir(os.environ["TMPDIR"])
with contextlib.suppress(OSError):
    os.open("/dev/loop-control", os.O_RDONLY)
subprocess.Popen(["sleep", "0.1"], start_new_session=True)
"""
PREVENTED = {
    "removed ~/none",
    *("wrote /dev/shm/skillstudio-left", "wrote /dev/shm/skillstudio-gone"),
    "listed /dev/shm",
}


@pytest.mark.parametrize(
    ("isolation", "expected"),
    [
        ("confined", PREVENTED),
        ("isolated", {"removed ~/none", "wrote /dev/shm/skillstudio-left"}),
    ],
)
def test_what_a_run_leaves_and_looks_at_elsewhere(
    run: Run, work: Path, isolation: str, expected: set[str]
) -> None:
    """Its own folders are no effect, and a helper has a moment to end. Only a run shows it."""
    level = probe_isolation().level(isolation)
    if not level.traced:
        pytest.skip(level.reason or "this system does not let programs be observed")
    block_skill(work / "tool", ELSEWHERE, interpreter="python3", effects=["proc.exec"])
    report = run("run", "tool", "--isolation", isolation, "--yes", "--format", "json").json
    assert (report["exit_code"], report["incomplete"]) == (0, [])
    named = {
        line.partition(" (")[0]
        for effect in report["effects"]
        if effect["effect"].startswith("fs.")
        for line in effect["evidence"]
    }
    if os.path.exists("/dev/loop-control"):
        assert "read /dev/loop-control" in named
    assert named - {"read /dev/loop-control"} == expected


def test_scripts_that_start_nothing_are_no_missing_ones(work: Path, run: Run) -> None:
    front_skill(work / "tool", "", "def go():\n    return 1\n", "scripts/lib.py")
    refused = run("run", "tool")
    assert refused.status == 2
    assert refused.err.endswith("all the same with: skillstudio run tool scripts/lib.py\n")


def test_the_number_of_errors_is_that_of_the_manifest(work: Path, run: Run) -> None:
    skill = front_skill(work / "tool", "", "echo\n")
    skill.rename(work / "other")
    refused = run("run", "other", "scripts/go.sh")
    assert "✗ not run: fix 1 error" in refused.out
