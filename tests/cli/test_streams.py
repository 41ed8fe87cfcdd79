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


@pytest.mark.parametrize("reader", ["true", "head -1"])
@pytest.mark.parametrize("format", ["text", "json"])
def test_a_reader_that_ends_early_changes_no_status(folder: Path, reader: str, format: str) -> None:
    (folder / "bad").mkdir()
    links = "".join(f"[x]({number}.md)\n" for number in range(3000))
    (folder / "bad/SKILL.md").write_text(f"---\nname: Bad\ndescription: x\n---\n{links}")
    check = f"skillstudio check . --all --format {format}"
    ran = shell(f"{{ {check}; echo $? > status; }} | {reader}", folder)
    assert ran.stderr == ""
    assert (folder / "status").read_text() == "1\n"


def test_a_short_result_that_nobody_reads_changes_no_status(folder: Path) -> None:
    """It is written when the command ends, unlike a result that fills the buffer."""
    (folder / "tea/SKILL.md").write_text("---\nname: Tea\ndescription: x\n---\nSay.\n")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "skillstudio", "check", "tea"]
    ran = subprocess.run(command, cwd=folder, stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("words", ["--help", "--version", "help check", "help environment"])
def test_help_on_a_full_disk_is_refused(folder: Path, words: str) -> None:
    ran = shell(f"skillstudio {words} >/dev/full", folder)
    message = "skillstudio: standard output: No space left on device\n"
    assert (ran.returncode, ran.stderr) == (2, message)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_error_stream_stops_no_work(folder: Path) -> None:
    text = "---\nname: {}\ndescription: Says: it. Use when asked.\n---\nSay.\n"
    for name in ("a", "b", "c"):
        (folder / name).mkdir()
        (folder / name / "SKILL.md").write_text(text.format(name))
    assert shell("skillstudio fix . 2>/dev/full", folder).returncode == 0
    for name in ("a", "b", "c"):
        assert '"Says: it.' in (folder / name / "SKILL.md").read_text()


def test_a_pipe_as_output_file_is_written_to(folder: Path) -> None:
    ran = shell("mkfifo pipe; cat pipe & skillstudio check tea --output-file pipe; wait", folder)
    assert ran.stdout == "1 skill checked, no problems\n"


@pytest.mark.parametrize("command", ["check", "targets", "diff", "update .", "pack ."])
def test_a_current_folder_that_was_removed_is_named(folder: Path, command: str) -> None:
    ran = shell(f"mkdir old; cd old; rmdir ../old; skillstudio {command}", folder)
    message = "skillstudio: the current folder no longer exists; change to another one\n"
    assert (ran.returncode, ran.stderr) == (2, message)
