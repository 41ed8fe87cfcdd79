"""The mouse, with the escape sequences that a terminal sends for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import offered
from tests.journeys.five_jobs import BY_MOUSE, assert_done, prepare
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO

pytestmark = [needs_tmux, pytest.mark.slow]


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    prepare(tmp_path / "skills")
    return tmp_path / "skills"


@pytest.fixture
def terminal(skills: Path, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal([STUDIO, str(skills)], tmp_path, 120, 36)
    yield opened
    opened.close()


def test_the_five_jobs_need_no_key(terminal: Terminal, skills: Path) -> None:
    offered("confined")
    for action, text in (step for steps in BY_MOUSE.values() for step in steps):
        if action == "click":
            terminal.click(text)
        else:
            terminal.wait(lambda screen, act=action, part=text: (part in screen) is (act == "see"))
    assert_done(skills)


def test_edges_text_and_wheel(terminal: Terminal) -> None:
    terminal.wait("✗ 1 with errors")
    # An edge is dragged, and nothing is copied.
    _, line = terminal.place("Fix first")
    terminal.drag((30, line), (40, line))
    terminal.wait(lambda screen: screen.split("\n")[line - 1].index("Fix") > 40)
    assert "sent" not in terminal.screen
    # A double click goes into the text; a drag there copies.
    terminal.click("✗ worklog", times=2)
    terminal.wait("esc 1…6")
    terminal.wait("name: worklog")
    column, line = terminal.place("name: worklog")
    terminal.drag((column, line), (column + 4, line))
    terminal.wait("sent “name”, 4 characters, to the terminal's clipboard")
    # The wheel scrolls what is below it, whatever has the focus.
    terminal.wheel("name: worklog", 9)
    terminal.wait(lambda screen: "name: worklog" not in screen)
