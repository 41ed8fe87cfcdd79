"""What comes out of a skill, seen in a real terminal: before, after, adopted, applied."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import front_skill, offered
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import SIZES, STUDIO
from tests.repositories import needs_git

pytestmark = [needs_tmux, needs_git, pytest.mark.slow]
SCRIPT = """#!/bin/sh
mkdir -p logs
printf '* Tea\\n** made of %s\\n' "$SKILL_INPUT_LEAF" > "logs/$SKILL_INPUT_DAY.org"
seq 1 400 > counted.txt
"""
HEAD = """inputs:
  required:
    - {name: day, description: d, schema: {type: string}}
  optional:
    - {name: leaf, description: d, schema: {type: string, default: green}}
outputs:
  files:
    - {pattern: "logs/{{day}}.org", base: repo_root}
"""
Open = Callable[[int, int], Terminal]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with a skill and what it wrote once."""
    offered("copy")
    folder = tmp_path / "workspace"
    front_skill(folder / "tea", HEAD, SCRIPT)
    (folder / "logs").mkdir()
    (folder / "logs" / "monday.org").write_text("* Tea\n** made of black\n")
    run = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*run, *command], check=True)
    return folder


@pytest.fixture
def studio(workspace: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def start(columns: int, rows: int) -> Terminal:
        command = ["env", f"HOME={os.environ['HOME']}", "PAGER=cat", "sh", "-c"]
        line = 'cd "$0" && exec "$1" "$0/tea"'
        opened.append(Terminal([*command, line, str(workspace), STUDIO], tmp_path, columns, rows))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def changed(workspace: Path) -> str:
    done = subprocess.run(
        ["git", "-C", str(workspace), "status", "--short"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_where_it_would_lie_what_it_holds_in_what_it_differs_and_it_is_applied(
    studio: Open, workspace: Path, columns: int, rows: int
) -> None:
    terminal = studio(columns, rows)
    terminal.to_skills("name: tea")

    # Before a run: not known without the day, then the file that is there.
    terminal.press("4")
    terminal.wait("[Outputs]")
    terminal.wait("1 output")
    assert "?" in terminal.wait("logs/{{day}}.org")
    terminal.press("3")
    terminal.wait("Can't run yet: `day` is required")
    terminal.wait("▌Starts")
    terminal.press("e")
    terminal.wait("▌day")
    terminal.type("monday")
    terminal.wait("✓ ready")
    # A key right behind Escape would be alt and that key.
    terminal.press("Escape")
    terminal.wait("▌Starts")
    terminal.press("4")
    terminal.wait("~ logs/monday.org  23 bytes  would be overwritten")
    terminal.wait("made of black")

    # After it, and against what is there.
    terminal.press("3")
    terminal.wait(lambda screen: "✓ ready" in screen and "▌Starts" in screen)
    terminal.press("F5")
    terminal.wait("[Result")
    terminal.press("4")
    terminal.wait("· 1 undeclared")
    terminal.wait("+1 ~1 -0")
    terminal.press("Down")
    terminal.wait("2 - ** made of black")
    terminal.wait("2 + ** made of green")
    terminal.wait("real folders unchanged until you apply")

    # The declared one alone is applied; git shows exactly that.
    terminal.press("Enter")
    terminal.wait("enter Apply logs/monday.org alone")
    terminal.press("Enter")
    terminal.wait("applied: 1 file")
    assert changed(workspace) == " M logs/monday.org\n"
    terminal.wait("✓ applied")

    # The other becomes a pattern of the manifest, unsaved.
    terminal.press("a")
    terminal.wait("+    - pattern: counted.txt")
    terminal.press("Enter")
    terminal.wait("● unsaved")
    terminal.press("C-s")
    terminal.wait("saved SKILL.md")
    assert "counted.txt" in (workspace / "tea" / "SKILL.md").read_text()

    terminal.press("C-q")
    terminal.wait("EXIT-0")
