"""A real terminal: tmux, with a wait for what appears on the screen."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.screens import with_tabs

PATIENCE = 60.0
"""Seconds until a screen that never comes fails the test."""

_STILL = 0.3  # Seconds without output after which what is on the screen stays where it is.

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A program in a tmux session of its own; output wakes the waiting, nothing is slept for."""

    def __init__(
        self, command: list[str], folder: Path, columns: int, rows: int, outlived: bool = False
    ) -> None:
        """`outlived`: the shell stays when the terminal goes, as make does."""
        self.socket = f"skillstudio-{uuid.uuid4().hex[:12]}"
        self.fifo = folder / f"{self.socket}.fifo"
        os.mkfifo(self.fifo)
        line = " ".join(map(shlex.quote, command))
        # The size is the terminal's own, whatever the test runner was told of another.
        stay = "trap : HUP; " if outlived else ""
        held = f"{stay}unset COLUMNS LINES; {line}; echo EXIT-$?; exec cat"
        size = ["-x", str(columns), "-y", str(rows)]
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "it", *size, "cat")
        self._tmux("set-option", "-g", "status", "off")
        self._tmux("pipe-pane", "-t", "it", f"cat > {shlex.quote(str(self.fifo))}")
        self.output = os.open(self.fifo, os.O_RDONLY)
        self._tmux("respawn-pane", "-k", "-t", "it", "-c", str(folder), "sh", "-c", held)
        self._tmux("pipe-pane", "-t", "it", f"cat > {shlex.quote(str(self.fifo))}")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    @property
    def screen(self) -> str:
        """What stands on the screen now."""
        return "\n".join(with_tabs(self._tmux("capture-pane", "-p", "-t", "it").split("\n")))

    @property
    def styled(self) -> str:
        """The same with its colours and underlines as escape sequences."""
        return self._tmux("capture-pane", "-e", "-p", "-t", "it")

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the terminal's own cursor, from 0: it stands where the focus is."""
        at = self._tmux("display-message", "-p", "-t", "it", "#{cursor_x} #{cursor_y}")
        column, row = at.split()
        return int(column), int(row)

    @property
    def process(self) -> int:
        """The id of the shell that runs the program."""
        return int(self._tmux("display-message", "-p", "-t", "it", "#{pane_pid}"))

    def press(self, *keys: str) -> None:
        """Send keys by their tmux names."""
        self._tmux("send-keys", "-t", "it", *keys)

    def type(self, text: str) -> None:
        """Send characters as they are."""
        self._tmux("send-keys", "-t", "it", "-l", text)

    def place(self, text: str, nth: int = 1) -> tuple[int, int]:
        """Column and line, from 1, of the start of a text on the screen."""
        for line, row in enumerate(self._tmux("capture-pane", "-p", "-t", "it").split("\n"), 1):
            at = -1
            while (at := row.find(text, at + 1)) >= 0:
                if nth == 1:
                    return cell_len(row[:at]) + 1, line
                nth -= 1
        raise AssertionError(f"{text!r} is not on the screen:\n{self.screen}")

    def click(self, text: str, nth: int = 1, times: int = 1) -> None:
        """Click on the start of a text, once it is on the screen and nothing moves any more."""
        self.wait(lambda _: text in self._tmux("capture-pane", "-p", "-t", "it"))
        while select.select([self.output], [], [], _STILL)[0]:
            os.read(self.output, 65536)
        column, line = self.place(text, nth)
        for _ in range(times):
            self.type(f"\x1b[<0;{column};{line}M\x1b[<0;{column};{line}m")

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Move the mouse with its button down, from one column and line to another, from 1."""
        (left, top), (right, bottom) = start, end
        self.type(f"\x1b[<0;{left};{top}M")
        self.type(f"\x1b[<32;{right};{bottom}M")
        self.type(f"\x1b[<0;{right};{bottom}m")

    def wheel(self, text: str, lines: int) -> None:
        """Turn the wheel over a text: down, or up if `lines` is negative."""
        column, line = self.place(text)
        for _ in range(abs(lines)):
            self.type(f"\x1b[<{65 if lines > 0 else 64};{column};{line}M")

    def wait(self, wanted: str | Callable[[str], bool]) -> str:
        """The screen, once it shows a text or meets a condition."""
        met = wanted if callable(wanted) else lambda screen: wanted in screen
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen
            if met(screen):
                return screen
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"{wanted!r} did not appear in\n{screen}")
            ready, _, _ = select.select([self.output], [], [], min(left, 0.5))
            if ready:
                os.read(self.output, 65536)

    def to_skills(self, opened: str) -> None:
        """Go to the list of the skills, once the text of an opened one is on the screen."""
        self.wait(opened)
        self.press("F7")
        self.wait(lambda screen: " to the text" in screen.rstrip().rpartition("\n")[2])  # A key.

    def hang_up(self) -> None:
        """Take the terminal away under the program, as closing a window does."""
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)

    def close(self) -> None:
        self.hang_up()
        os.close(self.output)
