"""The tour in a real terminal, from the welcome screen to its end, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import offered
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import ROOT, STUDIO
from tests.repositories import needs_git

pytestmark = [needs_tmux, needs_git, pytest.mark.slow]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A newcomer's terminal: an empty home, and a folder without a repository."""
    offered("confined")
    (tmp_path / "work").mkdir()
    line = 'cd "$0" && exec "$1"'
    command = ["env", f"HOME={tmp_path}", "sh", "-c", line, str(tmp_path / "work"), STUDIO]
    opened = Terminal(command, tmp_path, 80, 24)
    yield opened
    opened.close()


def test_break_fix_run_compare_undo(terminal: Terminal, tmp_path: Path) -> None:
    terminal.wait("Take the tour")
    terminal.press("t")
    terminal.wait("1/5  Break it: type : after “worklogs”")
    terminal.wait("4:38 ─╯")  # The cursor is there.
    terminal.type(":")
    terminal.wait("2/5  Fix it: f2 quotes the text")
    terminal.press("F2")
    terminal.wait("3/5  Run it: esc 3 shows")
    terminal.press("Escape")
    terminal.wait("3/5  Run it: 3 shows")
    terminal.press("3")
    terminal.wait("3/5  Run it: f lists samples")
    terminal.press("f")
    terminal.wait("Inputs of a sample")
    terminal.press("Enter")
    terminal.wait("3/5  Run it: f5 runs the script")
    terminal.press("F5")
    terminal.wait("4/5  The report lists what the script did")
    terminal.wait("✓ as declared, 1 declared file not written · exit 0")
    terminal.press("5")
    terminal.wait("4/5  Compare: agents choose by")
    terminal.wait("needs a patch bump: 1.0.0 → 1.0.1")
    terminal.press("1")
    terminal.wait("5/5  Undo it: press ^z")
    terminal.press("C-z")
    terminal.wait("[1 Edit ✗1]")
    terminal.press("C-z")
    terminal.wait("✓  Done. Next: O opens your own folder, N creates a skill.")
    copies = [path for path in tmp_path.rglob("SKILL.md") if path.parent.name == "worklog"]
    assert [path.read_bytes() for path in copies] == [
        (ROOT / "examples" / "worklog" / "SKILL.md").read_bytes()
    ]
    terminal.press("F12")
    terminal.wait("Take the tour")
    terminal.press("C-q")
    terminal.wait("EXIT-0")
