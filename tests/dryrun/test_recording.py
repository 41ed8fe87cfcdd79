"""What of a run's output is kept, and what of the arguments of a sensitive skill is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, front_skill, offered

from skillstudio.dryrun.recording import MAX_KEPT
from skillstudio.dryrun.traces.store import default_folder
from skillstudio.interface.wording import SENSITIVE


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered("copy")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_the_end_of_a_long_output_is_kept_from_a_whole_line_on(run: Run, tmp_path: Path) -> None:
    line = "a line of 32 bytes, end with NL"
    tool = block_skill(tmp_path / "tool", f"yes '{line}' | head -n 200000\necho done\n")
    run("run", tool, "go", "--isolation", "copy")
    [kept] = Path(default_folder()).rglob("stdout")
    data = kept.read_bytes()
    assert MAX_KEPT - 64 < len(data) <= MAX_KEPT
    assert data.startswith(line.encode() + b"\n")
    assert data.endswith(b"\ndone\n")


def test_bytes_that_are_no_text_are_kept_as_they_are(run: Run, tmp_path: Path) -> None:
    tool = block_skill(tmp_path / "tool", "printf '\\377\\000\\033[31m\\n'\n")
    run("run", tool, "go", "--isolation", "copy")
    [kept] = Path(default_folder()).rglob("stdout")
    assert kept.read_bytes() == b"\xff\x00\x1b[31m\n"
    assert "\x1b" not in run("trace", "show", "last").out


def test_a_run_that_cannot_be_kept_is_a_run_all_the_same(run: Run, tmp_path: Path) -> None:
    tool = block_skill(tmp_path / "tool", "true\n")
    runs = Path(default_folder())
    runs.parent.mkdir(parents=True)
    runs.write_text("in the way")
    ran = run("run", tool, "go", "--isolation", "copy")
    assert ran.status == 0
    assert "the run is not recorded: " in ran.err


def test_a_key_that_others_read_keeps_no_run(run: Run, tmp_path: Path) -> None:
    tool = block_skill(tmp_path / "tool", "true\n")
    run("run", tool, "go", "--isolation", "copy")
    key = Path(default_folder()).parent / "trace.key"
    text = key.read_text().strip()
    key.chmod(0o644)
    ran = run("run", tool, "go", "--isolation", "copy")
    assert ran.status == 0
    assert "readable by others" in ran.err
    assert text not in ran.out + ran.err
    assert len(run("trace", "list").out.splitlines()) == 1


def test_arguments_of_a_sensitive_skill_are_values_too(run: Run, tmp_path: Path) -> None:
    tool = front_skill(tmp_path / "vault", "sensitive: true\n", '#!/bin/sh\necho "$1 $LEVEL"\n')
    words = ("run", tool, "scripts/go.sh", "--isolation", "copy", "--env", "LEVEL=penthouse", "--",
             "someone-s-name")  # fmt: skip
    shown = run(*words)
    told = run(*words[:3], "--format", "json", *words[3:])
    for ran in (shown, told):
        assert "someone-s-name" not in ran.out + ran.err
        assert "penthouse" not in ran.out + ran.err
    assert f"{SENSITIVE} {SENSITIVE}" in shown.out
