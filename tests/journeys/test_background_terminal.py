"""The workbench asks a real terminal for its background; the answer types nothing."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import PATIENCE

from skillstudio.tui.terminal_background import QUESTION

pytestmark = pytest.mark.slow
WHITE = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
PAPER, NIGHT = b"48;2;251;248;241", b"48;2;22;24;31"
"""The backgrounds of the light and the dark theme."""


class AnsweringTerminal:
    """A terminal that shows nothing and answers what it is told to."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self._here, program = pty.openpty()
        fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        for name in ("COLORFGBG", "NO_COLOR", "COLUMNS", "LINES"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "skillstudio", str(folder)],
            stdin=program,
            stdout=program,
            stderr=program,
            env={**environment, **variables},
            start_new_session=True,
        )
        os.close(program)
        self.output = b""

    def send(self, data: bytes) -> None:
        """Send an answer or keys."""
        os.write(self._here, data)

    def wait(self, wanted: bytes) -> None:
        """Wait for bytes after those that were waited for."""
        end = time.monotonic() + PATIENCE
        while wanted not in self.output:
            ready, _, _ = select.select([self._here], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{wanted!r} did not arrive: {self.output[-2000:]!r}"
            self.output += os.read(self._here, 65536)

    def forget(self) -> None:
        """Count only what comes from now on."""
        self.output = b""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._here)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    skill = tmp_path / "skills" / "tea"
    skill.mkdir(parents=True)
    text = "---\nname: tea\ndescription: Make tea. Use it at five.\n---\n# Tea\n"
    (skill / "SKILL.md").write_text(text)
    return skill


@pytest.fixture
def terminal(folder: Path) -> Iterator[AnsweringTerminal]:
    opened = AnsweringTerminal(folder)
    yield opened
    opened.close()


def test_a_light_terminal_has_the_light_theme_from_the_first_frame(
    terminal: AnsweringTerminal,
) -> None:
    terminal.wait(QUESTION.encode())
    terminal.send(WHITE)
    terminal.wait(b"Problems")
    assert PAPER in terminal.output
    assert NIGHT not in terminal.output


def test_keys_around_an_answer_in_two_late_reads_all_count(terminal: AnsweringTerminal) -> None:
    terminal.wait(b"Problems")
    assert NIGHT in terminal.output, "the first frame waits for no answer"
    terminal.send(b"\x0c")  # ctrl+l
    terminal.wait(b"Go to a skill")
    terminal.forget()
    terminal.send(b"ab" + WHITE[:9])
    terminal.send(WHITE[9:] + b"cd")
    terminal.wait(PAPER)
    terminal.wait(b"abcd")
    assert b"abcd1" not in terminal.output
    assert b"ab1" not in terminal.output


@pytest.mark.parametrize(("colorfgbg", "ground"), [("0;15", PAPER), ("15;0", NIGHT)])
def test_a_terminal_that_does_not_answer_may_say_it_in_colorfgbg(
    folder: Path, colorfgbg: str, ground: bytes
) -> None:
    opened = AnsweringTerminal(folder, COLORFGBG=colorfgbg)
    try:
        opened.wait(b"Problems")
        assert ground in opened.output
    finally:
        opened.close()
