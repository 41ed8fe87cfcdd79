"""The author's day in a real terminal, by keys: break, see, jump, mend, save, undo, crash."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import PATIENCE, Terminal, needs_tmux

ROOT = Path(__file__).parents[2]
STUDIO = str(Path(sys.executable).parent / "skillstudio")
SIZES = [(80, 24), (120, 36)]

pytestmark = needs_tmux

Open = Callable[[int, int], Terminal]


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Examples of one's own, to be broken."""
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    return folder


@pytest.fixture
def studio(examples: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def start(columns: int, rows: int) -> Terminal:
        opened.append(Terminal([STUDIO, str(examples)], tmp_path, columns, rows))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def open_greeter(terminal: Terminal) -> None:
    terminal.wait("worklog")
    terminal.press("C-l")
    terminal.wait("Go to a skill")
    terminal.type("greeter")
    # The rows of the dialog have one sign before the name.
    terminal.wait(
        lambda screen: bool(
            re.search("│ . greeter ", screen) and not re.search("│ . worklog ", screen)
        )
    )
    terminal.press("Enter")
    terminal.wait(
        lambda screen: "description: Greets the user" in screen and "enter to the text" in screen
    )
    # Enter right behind the Enter that answered the dialog would be one key held down.
    terminal.press("e")
    terminal.wait("[Edit")


def break_description(terminal: Terminal) -> None:
    terminal.press("Down", "Down", "Down", "End")
    terminal.type(" when: asked")
    terminal.wait("✗1")


@pytest.mark.parametrize(
    ("columns", "rows"), [SIZES[0], pytest.param(*SIZES[1], marks=pytest.mark.slow)]
)
def test_break_see_jump_mend_save_undo(
    studio: Open, examples: Path, columns: int, rows: int
) -> None:
    file = examples / "greeter" / "SKILL.md"
    before = file.read_text()
    terminal = studio(columns, rows)
    open_greeter(terminal)
    break_description(terminal)
    terminal.wait("unsaved")
    assert re.search(r"\x1b\[[0-9;]*\b4(?::3)?[;m]", terminal.styled), "no underline is shown"

    terminal.press("C-Home")
    terminal.press("F8")
    terminal.wait(lambda screen: "starts a nested value" in screen)
    terminal.press("F2")
    terminal.wait(lambda screen: "✗1" not in screen)
    terminal.press("C-s")
    terminal.wait(lambda screen: "● unsaved" not in screen)
    after = file.read_text()
    assert after.replace('"Greets', "Greets").replace('asked"', "asked") == before.replace(
        "Greets the user", "Greets the user when: asked", 1
    )

    terminal.press("C-z")
    terminal.wait("● unsaved")
    assert file.read_text() == after
    terminal.press("C-z")
    terminal.press("C-q")
    terminal.wait("Discard")
    # A key directly after Escape would be alt and that key.
    terminal.press("Escape")
    terminal.wait(lambda screen: "Discard" not in screen)
    terminal.press("C-q")
    terminal.wait("Discard")


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_kill_loses_nothing(studio: Open, examples: Path, columns: int, rows: int) -> None:
    terminal = studio(columns, rows)
    open_greeter(terminal)
    break_description(terminal)
    drafts = Path(os.environ["HOME"])
    terminal.wait(lambda _: any("when: asked" in each for each in _texts(drafts)))
    for process in _children(terminal.process):
        os.kill(process, signal.SIGKILL)
    terminal.wait("EXIT-")
    assert "when: asked" not in (examples / "greeter" / "SKILL.md").read_text()

    again = studio(columns, rows)
    again.wait("Unsaved text found")
    again.press("r")
    again.wait("when: asked")
    again.wait("● unsaved")


@pytest.mark.slow
@pytest.mark.parametrize("text", ["clean", "unsaved", "unsaved, with no place to keep it"])
def test_a_terminal_that_closes_leaves_no_process_behind(studio: Open, text: str) -> None:
    terminal = studio(120, 36)
    open_greeter(terminal)
    if text != "clean":
        break_description(terminal)
    if text.endswith("no place to keep it"):
        home = Path(os.environ["HOME"])
        home.rename(home.with_suffix(".gone"))
        home.write_bytes(b"")
    assert ends_with(terminal), "the program lives on without a terminal"


@pytest.mark.slow
def test_a_terminal_that_closes_below_what_stays_leaves_no_process_behind(
    examples: Path, tmp_path: Path
) -> None:
    """Under make only make is told."""
    terminal = Terminal([STUDIO, str(examples)], tmp_path, 120, 36, outlived=True)
    try:
        terminal.wait("worklog")
        assert ends_with(terminal), "the program lives on without a terminal"
    finally:
        terminal.close()


def ends_with(terminal: Terminal) -> bool:
    """Take the terminal away and wait for the program in it to end."""
    (process,) = _children(terminal.process)
    if not hasattr(os, "pidfd_open"):
        pytest.skip("this system cannot wait for a foreign process")
    handle = os.pidfd_open(process)
    try:
        terminal.hang_up()
        ready, _, _ = select.select([handle], [], [], PATIENCE)
        if not ready:
            os.kill(process, signal.SIGKILL)
        return bool(ready)
    finally:
        os.close(handle)


def _texts(folder: Path) -> list[str]:
    return [path.read_text(errors="replace") for path in folder.rglob("*.json")]


def _children(process: int) -> list[int]:
    found = subprocess.run(
        ["pgrep", "-P", str(process)], capture_output=True, text=True, check=False
    )
    return [int(each) for each in found.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(59, 15), (40, 10)])
def test_a_small_terminal_names_the_size_it_needs(studio: Open, columns: int, rows: int) -> None:
    terminal = studio(columns, rows)
    terminal.wait("needs 60 × 16")
