"""Commands that save at the same moment, or are killed while they do: no change is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.saving import Kills, a_skill, call_kills, parallel_edits, random_kills
from tests.commands import Run
from tests.kills import KILLED, forked
from tests.seeds import SEED

from skillstudio.cli.main import main
from skillstudio.dryrun.staging.survey import LIMITS, survey
from skillstudio.files.temporary import FILE, temporary_name

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")


def together(*commands: list[str]) -> list[int]:
    """Begin commands at once; their exit statuses."""
    words = [sys.executable, "-m", "skillstudio"]
    started = [subprocess.Popen([*words, *each], stderr=subprocess.DEVNULL) for each in commands]
    return [each.wait() for each in started]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rounds", "width"),
    [(2, 6), pytest.param(20, 10, marks=pytest.mark.slow)],
)
def test_parallel_edits_are_all_kept(rounds: int, width: int, tmp_path: Path) -> None:
    assert parallel_edits(tmp_path, rounds, width) == (rounds * width, rounds * width, 0)


@pytest.mark.slow
def test_parallel_edits_of_a_file_with_a_second_name_are_all_kept(tmp_path: Path) -> None:
    skill = a_skill(tmp_path / "linked", 3, is_linked=True)
    words = [["edit", str(skill), "set", f"/metadata/k{n}", f"new{n}"] for n in range(3)]
    assert together(*words) == [0, 0, 0]
    assert all(f"k{n}: new{n}\n" in (skill / "SKILL.md").read_text() for n in range(3))
    assert os.path.samefile(skill / "SKILL.md", tmp_path / "linked-second-name")


@pytest.mark.slow
def test_parallel_waivers_are_all_kept(tmp_path: Path) -> None:
    a_skill(tmp_path / "tool")
    prints = [f"{number:012x}" for number in range(3)]
    words = [["waive", each, str(tmp_path / "tool"), "--reason", "known"] for each in prints]
    assert together(*words) == [0, 0, 0]
    (file,) = tmp_path.rglob("skillstudio.toml")
    assert all(each in file.read_text() for each in prints)


RENAMED = """---
manifest_version: "1.0"
name: tool
version: 1.0.0
description: Does things. Use when something is to be done.
inputs:
  required:
    - name: one
      description: The first input
    - name: other
      description: The second input
---
Do it with {{one}} and {{other}}.
"""


@pytest.mark.slow
def test_parallel_renames_and_fixes_are_all_kept(tmp_path: Path) -> None:
    skill = tmp_path / "tool"
    skill.mkdir()
    (skill / "SKILL.md").write_text(RENAMED)
    words = ["edit", str(skill), "rename-input"]
    fix = ["check", str(skill), "--fix", "--fail-on", "error"]
    states = together([*words, "one", "first"], [*words, "other", "second"], fix)
    assert states[:2] == [0, 0]
    text = (skill / "SKILL.md").read_text()
    assert "name: first" in text
    assert "name: second" in text


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A skill with the temporary file of a save that was killed before its rename."""
    skill = a_skill(tmp_path / "tool")
    before = (skill / "SKILL.md").read_bytes()

    def work() -> None:
        os.replace = lambda *_: os.kill(os.getpid(), 9)  # type: ignore[assignment]
        main(["edit", str(skill), "set", "/metadata/k0", "new"])

    assert forked(work) == KILLED
    assert len(os.listdir(skill)) == 2
    assert (skill / "SKILL.md").read_bytes() == before
    return skill


def outputs(run: Run, skill: Path, folder: Path) -> list[object]:
    """Everything that is made of the files of a skill."""
    archive = folder / "packed.zip"
    told: list[object] = [
        run(*words).out
        for words in (
            ("identity", skill, "--digests", "--format", "json"),
            ("check", skill, "--format", "json", "--fail-on", "error"),
            ("identity", skill, "--format", "json"),
        )
    ]
    assert run("pack", skill, "-o", archive).status == 0
    told.append(archive.read_bytes())
    archive.unlink()
    assert run("export", skill, "--target", "spec", "-o", folder / "copy").status == 0
    told.append(sorted(os.listdir(folder / "copy")))
    shutil.rmtree(folder / "copy")
    return told


@needs_fork
def test_a_leftover_is_in_no_hash_check_pack_or_copy(
    run: Run, killed: Path, tmp_path: Path
) -> None:
    with_leftover = outputs(run, killed, tmp_path)
    for each in killed.glob(".skillstudio-*"):
        each.unlink()
    assert outputs(run, killed, tmp_path) == with_leftover


@needs_fork
@pytest.mark.usefixtures("temporary")
def test_doctor_removes_a_leftover_and_names_it(
    run: Run, killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (left,) = killed.glob(".skillstudio-*")
    monkeypatch.chdir(killed)
    assert (told := run("doctor", "--clean")).out == f"removed {left.name}\n", told
    assert os.listdir(killed) == ["SKILL.md"]
    assert run("doctor", "--clean").out == "no leftovers\n"
    (killed / temporary_name(FILE)).write_bytes(b"half")
    (file,) = run("doctor", killed, "--clean", "--format", "json").json["files"]
    assert file["why"] is None
    assert os.listdir(killed) == ["SKILL.md"]


@needs_fork
@pytest.mark.usefixtures("temporary")
def test_doctor_finishes_a_torn_save_of_a_file_with_a_second_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = a_skill(tmp_path / "tool", is_linked=True)
    old = (skill / "SKILL.md").read_bytes()
    new = old.replace(b"k0: old", b"k0: s")

    def work() -> None:
        os.ftruncate = lambda *_: os.kill(os.getpid(), 9)  # type: ignore[assignment]
        main(["edit", str(skill), "set", "/metadata/k0", "s"])

    assert forked(work) == KILLED
    assert (skill / "SKILL.md").read_bytes() == new + old[-2:]
    assert "finished an interrupted save" in run("doctor", tmp_path, "--clean").out
    assert (skill / "SKILL.md").read_bytes() == new
    assert os.path.samefile(skill / "SKILL.md", tmp_path / "tool-second-name")


def is_sound(kills: Kills) -> bool:
    return (kills.torn, kills.lost, kills.left_after) == (0, 0, 0)


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("is_linked", [False, True], ids=["one name", "two names"])
def test_kills_at_random_moments(is_linked: bool, tmp_path: Path) -> None:
    assert is_sound(random_kills(tmp_path, 4, is_linked))


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("is_linked", [False, True], ids=["one name", "two names"])
def test_many_kills_at_random_moments(is_linked: bool, tmp_path: Path) -> None:
    assert is_sound(random_kills(tmp_path, 75, is_linked, SEED))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="strace injects the kills")
@pytest.mark.parametrize("is_linked", [False, True], ids=["one name", "two names"])
def test_kills_at_every_system_call(is_linked: bool, tmp_path: Path) -> None:
    found = call_kills(tmp_path, 500, is_linked)
    assert is_sound(found)
    # How often a call comes before the save differs a little from process to process.
    assert found.killed > max(50, found.tried * 0.8)


@needs_fork
def test_a_leftover_is_copied_to_no_run(killed: Path) -> None:
    found = survey(str(killed), (), LIMITS, lambda: False)
    assert [path for path, _ in found.entries] == ["SKILL.md"]
    assert [each.why for each in found.skipped] == ["a temporary file of skillstudio"]
