"""Standard streams that are closed, full, or named as a file, and a folder that is removed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell")


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in which `skillstudio` is the program."""
    program = f'skillstudio() {{ "{sys.executable}" -m skillstudio "$@"; }}\n'
    return subprocess.run(
        ["sh", "-c", program + script], cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea").mkdir()
    text = "---\nname: tea\ndescription: Makes tea. Use when tea is wanted.\n---\nMake tea.\n"
    (tmp_path / "tea" / "SKILL.md").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "check . >&-",
        "check . --output-file result.txt >&-",
        "check . --format json 2>&-",
        "check - <&-",
        "targets >&- 2>&- <&-",
        "mcp <&-",
    ],
)
def test_a_closed_stream_changes_no_result(folder: Path, command: str) -> None:
    if command.startswith("mcp"):
        pytest.importorskip("mcp")
    ran = shell(f"skillstudio {command}", folder)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert (folder / "result.txt").exists() == ("result.txt" in command)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("format", ["text", "json", "sarif"])
def test_output_without_space_is_one_line(folder: Path, format: str) -> None:
    ran = shell(f"skillstudio check . --format {format} >/dev/full", folder)
    assert (ran.returncode, ran.stderr) == (2, "skillstudio: No space left on device\n")


@pytest.mark.parametrize(
    ("output", "redirected"),
    [("-", ""), ("/dev/stdout", ""), ("/dev/stdout", " | cat"), ("/dev/stderr", " 2>&1")],
)
def test_a_stream_as_output_file_is_not_replaced(
    folder: Path, output: str, redirected: str
) -> None:
    check = f"skillstudio check tea --output-file {output}{redirected}"
    shell(f"{{ echo before; {check}; echo after; }} > log", folder)
    log = (folder / "log").read_text()
    assert log == "before\n1 skill checked, no problems\nafter\n"
    assert sorted(path.name for path in folder.iterdir()) == ["log", "tea"]


def test_a_pipe_as_output_file_is_written_to(folder: Path) -> None:
    ran = shell("mkfifo pipe; cat pipe & skillstudio check tea --output-file pipe; wait", folder)
    assert ran.stdout == "1 skill checked, no problems\n"


@pytest.mark.parametrize("command", ["check", "targets", "diff", "update .", "pack ."])
def test_a_current_folder_that_was_removed_is_named(folder: Path, command: str) -> None:
    ran = shell(f"mkdir old; cd old; rmdir ../old; skillstudio {command}", folder)
    message = "skillstudio: the current folder no longer exists; change to another one\n"
    assert (ran.returncode, ran.stderr) == (2, message)
