"""When the workbench itself fails, or is told to end: one line, the terminal back, text kept."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import Terminal, needs_tmux

ROOT = Path(__file__).parents[2]
FAILING = """
import sys
from skillstudio.tui.screens.chooser import Chooser

def fail(self):
    raise KeyError("[/] \\x1b]52;c;aGk=\\x07")

Chooser.on_mount = fail
from skillstudio.tui.app import open_workbench
sys.exit(open_workbench(sys.argv[1]))
"""

pytestmark = needs_tmux


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A workbench with unsaved text that fails as soon as there is something to choose."""
    shutil.copytree(ROOT / "examples" / "greeter", tmp_path / "greeter")
    command = [sys.executable, "-c", FAILING, str(tmp_path / "greeter")]
    opened = Terminal(command, tmp_path, 100, 30)
    opened.wait(lambda screen: "description: Greets" in screen and "enter to the text" in screen)
    opened.press("Enter")
    opened.wait("[Edit")
    opened.type("typed")
    opened.wait("● unsaved")
    yield opened
    opened.close()


def gone(screen: str) -> bool:
    return "EXIT-" in screen


def kept() -> str:
    drafts = Path(os.environ["HOME"]).rglob("drafts/*.json")
    return "".join(draft.read_text() for draft in drafts)


def test_a_failure_leaves_one_line_and_a_report(terminal: Terminal) -> None:
    terminal.press("C-l")
    screen = terminal.wait(gone)
    assert screen.startswith("skillstudio failed and had to stop (KeyError: ")
    assert "Traceback" not in screen
    assert "EXIT-1\n" in screen
    (report,) = Path(os.environ["HOME"]).rglob("reports/*.txt")
    assert str(report) in screen.replace("\n", "")
    assert "in fail" in report.read_text()
    assert "typed" in kept()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(terminal: Terminal, number: signal.Signals) -> None:
    found = subprocess.run(
        ["pgrep", "-P", str(terminal.process)], capture_output=True, text=True, check=True
    )
    os.kill(int(found.stdout.split()[0]), number)
    assert terminal.wait(gone).startswith(f"EXIT-{128 + number}")
    assert "typed" in kept()


def test_what_fails_outside_of_the_screen_is_told_the_same_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from skillstudio.tui import app

    def run(self: app.Studio) -> Callable[[], int]:
        raise RuntimeError("no driver")

    monkeypatch.setattr(app.Studio, "run", run)
    assert app.open_workbench(None) == 1
    assert "(RuntimeError: no driver)" in capsys.readouterr().err
