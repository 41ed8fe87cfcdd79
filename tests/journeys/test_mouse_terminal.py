"""The five jobs by the mouse alone, with the escape sequences that a terminal sends for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import offered
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO

pytestmark = [needs_tmux, pytest.mark.slow]
EXAMPLES = Path(__file__).parents[2] / "examples"
GIT = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """Two examples with a commit; then a colon breaks the description of one of them."""
    folder = tmp_path / "skills"
    for name in ("worklog", "memory"):
        shutil.copytree(EXAMPLES / name, folder / name)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        subprocess.run([*GIT, "-C", str(folder), *arguments], check=True)
    file = folder / "worklog" / "SKILL.md"
    file.write_text(file.read_text().replace("worklogs documenting", "worklogs: documenting"))
    return folder


@pytest.fixture
def terminal(skills: Path, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal([STUDIO, str(skills)], tmp_path, 120, 36)
    yield opened
    opened.close()


def test_the_five_jobs(terminal: Terminal, skills: Path) -> None:
    offered("confined")
    terminal.wait("✗ 1 with errors")
    # Edit: open what to fix first, fix it, save it.
    terminal.click("✗ worklog  ")
    terminal.click("f2 ")
    terminal.wait("● unsaved")
    terminal.click("^s save")
    terminal.wait(lambda screen: "● unsaved" not in screen)
    assert 'description: "Create' in (skills / "worklog" / "SKILL.md").read_text()
    # Compare: the bump that the change needs, with the key beside it.
    terminal.click("Compare")
    terminal.wait("needs a patch bump")
    terminal.click("b bumps")
    terminal.wait("1.0.1 written to")
    terminal.click("K save the skill")
    terminal.wait(lambda screen: "●" not in screen)
    # Run: an operation of the other skill with a sample.
    terminal.click("✓ memory")
    terminal.wait("memory 0.2.0")
    terminal.click("Run ")
    terminal.click("o operation")
    terminal.click("store")
    terminal.click("f sample")
    terminal.click("fact  in the skill")
    terminal.wait("✓ ready")
    terminal.click("f5 run")
    terminal.wait("[Result")
    # Preview: what agents see, and a list that the wheel scrolls.
    terminal.click("Preview")
    terminal.wait("[4 Preview")
    terminal.click("Card")
    terminal.wait("Always in context")
    # Scaffold: from home, in three steps.
    terminal.click("Skills 2")
    terminal.click("0 home")
    terminal.wait("new skill, from a template")
    terminal.click("N  new skill")
    terminal.click("script-tool")
    terminal.click("^n next")
    terminal.click("^s create")
    terminal.wait("new-skill 0.1.0")
    assert (skills / "new-skill" / "SKILL.md").is_file()


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
    column, line = terminal.place("name: worklog")
    terminal.drag((column, line), (column + 4, line))
    terminal.wait("sent “name”, 4 characters, to the terminal's clipboard")
    # The wheel scrolls what is below it, whatever has the focus.
    terminal.wheel("name: worklog", 9)
    terminal.wait(lambda screen: "name: worklog" not in screen)
