"""A new skill by questions and answers in a real terminal, from no template to its own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO

pytestmark = [needs_tmux]


def test_a_skill_is_asked_for_and_made(tmp_path: Path) -> None:
    home = ["env", f"HOME={os.environ['HOME']}", "COLUMNS=100"]
    terminal = Terminal([*home, STUDIO, "new", "tools/count-words"], tmp_path, 100, 40)
    try:
        shown = terminal.wait("template [agent-skills]:")
        assert "  9  skill-manifest-2.0" in shown
        terminal.type("no-such")
        terminal.press("Enter")
        terminal.wait("no-such is not one of these")
        terminal.type("script-tool")
        terminal.press("Enter")
        terminal.wait("[count-words]:")
        terminal.type("Count Words")
        terminal.press("Enter")
        shown = terminal.wait("name rejected by")
        assert "claude-upload" in shown
        assert not (tmp_path / "tools").exists()
        terminal.press("Enter")
        terminal.wait("description: What the skill does and when to use it")
        terminal.type("Counts words <quickly>")
        terminal.press("Enter")
        terminal.wait("description: Remove < and >; some agents reject them.")
        terminal.type("Counts words. Use when the user asks how long a text is.")
        terminal.press("Enter")
        shown = terminal.wait("EXIT-0")
        assert "created tools/count-words; skillstudio tools/count-words opens it" in shown
        assert "1 skill checked, no problems" in shown
    finally:
        terminal.close()
    skill = tmp_path / "tools" / "count-words"
    assert "Use when the user asks how long a text is." in (skill / "SKILL.md").read_text()
    own = [sys.executable, "-B", "-m", "unittest", "discover", "tests"]
    assert subprocess.run(own, cwd=skill, capture_output=True, check=False).returncode == 0
    assert os.listdir(tmp_path / "tools") == ["count-words"]


def test_the_end_of_the_input_makes_nothing(tmp_path: Path) -> None:
    terminal = Terminal([STUDIO, "new", "knowledge", "made"], tmp_path, 80, 24)
    try:
        terminal.wait("[made]:")
        terminal.press("C-d")
        shown = terminal.wait("EXIT-2")
        assert "the input ended before all questions were answered" in shown
    finally:
        terminal.close()
    assert not (tmp_path / "made").exists()
