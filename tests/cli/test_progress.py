"""The line that says how far a command is: after a second, at a terminal, and gone at the end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN

from skillstudio.cli import progress
from skillstudio.cli.progress import count_items, hidden_progress
from skillstudio.cli.progress_line import ProgressLine, SharedStream

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
COMMAND = [sys.executable, "-m", "skillstudio", "check", "-"]
ERASE = "\r\x1b[K"


@pytest.fixture
def line() -> Iterator[tuple[ProgressLine, int]]:
    """A line on a terminal of 80 columns, and the other end of this terminal."""
    ours, theirs = os.openpty()
    yield ProgressLine("check", theirs), ours
    os.close(ours)
    os.close(theirs)


def read(terminal: int) -> str:
    return os.read(terminal, 4096).decode()


def test_the_line_says_how_many_items_are_done(line: tuple[ProgressLine, int]) -> None:
    state, terminal = line
    state.write(0, None)
    assert read(terminal) == f"{ERASE}check: 0 s"
    state.done, state.total, state.noun = 25, 100, "skills"
    state.write(0, None)
    assert read(terminal) == f"{ERASE}check [#####...............] 25 of 100 skills, 0 s"


def test_the_line_makes_room_for_text_and_waits_for_its_end(
    line: tuple[ProgressLine, int],
) -> None:
    state, terminal = line
    stream = SharedStream(StringIO(), state)
    state.write(0, None)
    read(terminal)
    stream.write("Run it anyway? [y/N] ")
    assert read(terminal) == ERASE
    state.write(0, None)  # Nothing, because a question is on the line.
    stream.write("not run\n")
    state.write(0, None)
    assert read(terminal) == f"{ERASE}check: 0 s"


def test_items_are_counted_for_the_line_of_the_command(
    line: tuple[ProgressLine, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, terminal = line
    monkeypatch.setattr(progress, "current", [state])
    counts = [(state.done, state.total) for _ in count_items("abc", 3, "skills")]
    assert counts == [(0, 3), (1, 3), (2, 3)]
    assert state.total == 0
    with hidden_progress():
        state.write(0, None)  # Nothing, because another program uses the terminal.
    state.write(0, None)
    assert read(terminal) == f"{ERASE}check: 0 s"


@pytest.mark.slow
def test_a_command_that_waits_says_so_and_then_only_its_result(tmp_path: Path) -> None:
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea" / "SKILL.md").write_text(CLEAN.format(name="tea"))
    terminal, theirs = os.openpty()
    with subprocess.Popen(
        COMMAND, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:  # fmt: skip
        os.close(theirs)
        seen = ""
        while "check: 1 s" not in seen:
            seen += read(terminal)
        out, _ = process.communicate(b"tea\n")
        while not seen.endswith(ERASE):
            seen += read(terminal)
        os.close(terminal)
    assert out == b"1 skill checked, no problems\n"
    assert seen.replace("check: 1 s", "").strip("\r\x1b[K") == ""


@pytest.mark.slow
@pytest.mark.parametrize("quiet", [["-q"], []])
def test_nothing_is_written_where_nobody_looks(tmp_path: Path, quiet: list[str]) -> None:
    (tmp_path / "SKILL.md").write_text(CLEAN.format(name=tmp_path.name))
    words = [*COMMAND[:-1], ".", *quiet]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.stderr == b""
