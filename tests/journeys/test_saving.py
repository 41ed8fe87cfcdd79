"""A save that fails or is killed: the old file is whole, and nothing is left that is in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from skillstudio.cli.main import main

OLD = "---\nname: plain\ndescription: Says. Use it.\n---\nSay.\n"
NEW = OLD.replace("Says", "Tells")

KILLED = """
import os, signal, sys
from skillstudio.cli.main import main
os.{call} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "SKILL.md").write_text(OLD)
    return folder


def edit(folder: Path) -> list[str]:
    return ["edit", str(folder), "set", "/description", "Tells. Use it."]


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", ["replace", "fsync", "fchmod", "write"])
def test_a_full_disk(
    call: str, skill: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, call, no_space)
    assert main(edit(skill)) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"skillstudio: {skill}/SKILL.md: No space left on device\n")
    assert (skill / "SKILL.md").read_text() == OLD
    assert names(skill) == ["SKILL.md"]


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="file size limits are POSIX")
def test_a_write_that_stops_in_the_middle(skill: Path) -> None:
    """The system itself refuses to write on, as it does when a quota is used up."""
    long = "x" * 100_000
    code = (
        "import resource, signal, sys\nfrom skillstudio.cli.main import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\nsys.exit(main(sys.argv[1:]))\n"
    )
    arguments = ["edit", str(skill), "set", "/description", long]
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "File too large" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert (skill / "SKILL.md").read_text() == OLD
    assert names(skill) == ["SKILL.md"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is POSIX")
@pytest.mark.parametrize(
    ("call", "text"), [("fsync", OLD), ("replace", OLD), ("_exit", NEW)], ids=str
)
def test_kill_9_while_it_saves(call: str, text: str, skill: Path) -> None:
    """Killed before the rename, the old file stands; what is left beside it is no skill's file."""
    code = KILLED.format(call=call)
    ran = subprocess.run([sys.executable, "-c", code, *edit(skill)], capture_output=True)
    assert ran.returncode == (0 if text == NEW else -signal.SIGKILL)
    assert (skill / "SKILL.md").read_text() == text
    assert main(["check", str(skill), "--fail-on", "info"]) == 0
    assert main(edit(skill)) == 0
    assert (skill / "SKILL.md").read_text() == NEW


def change(file: Path) -> None:
    file.write_text(OLD + "Another hand.\n")


def delete(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("meddle", [change, delete])
@pytest.mark.parametrize("verb", ["edit", "check --fix"])
def test_a_file_that_changes_under_an_edit(
    meddle: Callable[[Path], None],
    verb: str,
    skill: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Between reading and writing, someone else writes: both changes are in the file."""
    from skillstudio.text import edit as edit_module

    file = skill / "SKILL.md"
    file.write_text(OLD.replace("Says.", "Use when: asked."))
    apply = edit_module.apply

    def apply_late(*arguments: object) -> str:
        text = apply(*arguments)  # type: ignore[arg-type]
        if meddle is change or file.exists():
            meddle(file)
        return text

    monkeypatch.setattr(edit_module, "apply", apply_late)
    status = main(edit(skill) if verb == "edit" else ["check", str(skill), "--fix"])
    assert names(skill) == (["SKILL.md"] if meddle is change else [])
    if meddle is change:
        assert file.read_text() == (NEW if verb == "edit" else OLD) + "Another hand.\n"
        assert status == 0
    else:
        assert status == (2 if verb == "edit" else 0)


def test_a_file_that_never_comes_to_rest_is_left_alone(
    skill: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from skillstudio.text import edit as edit_module

    file = skill / "SKILL.md"
    apply = edit_module.apply
    rounds = count()

    def apply_late(*arguments: object) -> str:
        text = apply(*arguments)  # type: ignore[arg-type]
        file.write_text(f"{OLD}{next(rounds)}\n")
        return text

    monkeypatch.setattr(edit_module, "apply", apply_late)
    assert main(edit(skill)) == 1
    assert "another program keeps changing the file" in capsys.readouterr().err
    assert file.read_text() == f"{OLD}{next(rounds) - 1}\n"


@pytest.mark.skipif(os.name == "nt", reason="a lock is of a process there")
def test_a_file_that_another_process_is_saving_is_refused_by_name(
    skill: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from skillstudio.files.saving import locks, writer

    once = locks.hold_locks
    monkeypatch.setattr(writer, "hold_locks", lambda paths, _: once(paths, wait=0))
    with once([str(skill / "SKILL.md")]):
        assert main(edit(skill)) == 1
    assert f"{skill}/SKILL.md: another skillstudio is saving here" in capsys.readouterr().err
    assert (skill / "SKILL.md").read_text() == OLD


def test_a_file_that_is_not_utf_8_is_never_written(
    skill: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = OLD.encode().replace(b"Says.", b"caf\xe9: Use when: x.")
    (skill / "SKILL.md").write_bytes(data)
    assert main(edit(skill)) == 1
    assert "not UTF-8" in capsys.readouterr().err
    main(["check", str(skill), "--unsafe-fixes"])
    assert (skill / "SKILL.md").read_bytes() == data


@pytest.mark.parametrize("value", ['"\\ud800"', "\udcff"], ids=["JSON", "argument"])
def test_a_value_that_no_file_can_hold(
    value: str, skill: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["edit", str(skill), "set", "/description", value])
    text = (skill / "SKILL.md").read_text()
    assert (status, text) == (1, OLD)
    assert capsys.readouterr().err.startswith("skillstudio: ")
