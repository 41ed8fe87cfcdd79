"""The story of an author in 80 × 24: a skill without a manifest is run, tested, broken, mended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import offered
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO

pytestmark = [needs_tmux, pytest.mark.slow]
MARKDOWN = """---
name: lift
description: Work out the lift of an A/B test. Use when someone asks whether a variant won.
---
# Lift

Run `python3 scripts/lift.py CONTROL VARIANT` with the two rates in percent.
"""
SCRIPT = """import argparse
import json

parser = argparse.ArgumentParser(description="Work out a lift.")
parser.add_argument("control", type=int, help="its rate")
parser.add_argument("variant", type=int, help="its rate")
rates = parser.parse_args()
lift = rates.variant - rates.control
print(json.dumps({"lift": lift}))
"""


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill as most public ones are: instructions and a script."""
    offered("confined")
    folder = tmp_path / "work" / "lift"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(MARKDOWN)
    (folder / "scripts" / "lift.py").write_text(SCRIPT)
    return folder


@pytest.fixture
def terminal(skill: Path, tmp_path: Path) -> Iterator[Terminal]:
    line = 'cd "$0" && exec "$1" lift'
    command = ["env", f"HOME={os.environ['HOME']}", "sh", "-c", line, str(skill.parent), STUDIO]
    opened = Terminal(command, tmp_path, 80, 24)
    yield opened
    opened.close()


def test_run_save_as_a_test_break_see_it_fail_mend_see_it_pass(
    terminal: Terminal, skill: Path
) -> None:
    # Run: the inputs are those of the script.
    terminal.to_skills("name: lift")
    terminal.press("F5")
    terminal.wait("▌control")
    terminal.type("8")
    terminal.press("Enter")
    terminal.wait("▌variant")
    terminal.type("11")
    terminal.press("F5")
    terminal.wait("[Result")
    terminal.wait('{"lift": 3}')

    # The run becomes a test, which passes.
    terminal.press("A")
    terminal.wait("The name of the test")
    terminal.type("plain")
    terminal.press("Enter")
    terminal.wait("saved: samples/scripts/lift.py/plain.yaml")
    terminal.press("6")
    terminal.wait("○ scripts/lift.py  plain.yaml")
    terminal.press("F5")
    terminal.wait("✓ 1 passed")

    # Break the script in the workbench: the test is outdated, then fails at its line.
    terminal.press("F7")
    terminal.wait("▸ scripts/")
    terminal.press("G", "Enter")
    terminal.wait("lift.py")
    terminal.press("Down", "Enter")
    terminal.wait("lift = rates.variant - rates.control")
    terminal.press("Enter")
    terminal.wait("esc 1…6")
    terminal.press(*["Down"] * 7, "End")
    terminal.type("*2")
    terminal.wait("rates.control*2")
    terminal.press("C-s")
    terminal.wait("saved scripts/lift.py")
    terminal.press("Escape")
    terminal.press("6")
    terminal.wait("scripts/lift.py changed since it wa")
    terminal.press("F5")
    screen = terminal.wait("✗ 1 failed")
    assert "this run" in screen
    lines = [line for line in screen.splitlines() if '"lift"' in line or "lift:" in line]
    assert any("3" in line for line in lines)

    # Undo, save: it passes again.
    terminal.press("1")
    terminal.wait("lift = ")
    terminal.press("e")
    terminal.wait("esc 1…6")
    terminal.press("C-z")
    terminal.wait(lambda screen: "rates.control*2" not in screen)
    terminal.press("C-s")
    terminal.wait(lambda _: (skill / "scripts" / "lift.py").read_text() == SCRIPT)
    terminal.press("Escape")
    terminal.press("6")
    terminal.wait("! 1 outdated")
    terminal.press("F5")
    terminal.wait("✓ 1 passed")
    terminal.press("C-q")
    terminal.wait("EXIT-0")
