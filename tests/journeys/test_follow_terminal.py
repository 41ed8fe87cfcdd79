"""Follow mode beside an agent, in a real terminal of the least size: what it writes is seen."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import offered
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO
from tests.repositories import needs_git

pytestmark = [needs_tmux, needs_git, pytest.mark.slow]
FRONT = """---
manifest_version: "1.0"
name: weekly
description: "Report: write the report of a week. Use it on Fridays."
version: 1.0.0
inputs:
  required:
    - {name: week, description: Number of the week, schema: {type: integer}}
  optional:
    - name: unit
      description: Unit of the total
      schema: {type: string, enum: [hours, days], default: hours}
---
# weekly

Run `scripts/hours.py`.
"""
COLON = "---\nname: weekly\ndescription: Report: write the report of a week\n---\n# weekly\n"
SCRIPT = """import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("--week", type=int, required=True)
parser.add_argument("--unit", choices=["hours", "days"], default="hours")
given = parser.parse_args()
print(json.dumps({"week": given.week, "total": 40 if given.unit == "hours" else 5}))
"""
SAMPLE = "inputs: {week: 48}\nexpect: {exit: 0, json: {week: 48, total: 40}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty repository."""
    offered("confined")
    folder = tmp_path / "workspace"
    folder.mkdir()
    subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    return folder


@pytest.fixture
def terminal(folder: Path, tmp_path: Path) -> Iterator[Terminal]:
    line = 'cd "$0" && exec "$1" --follow'
    command = ["env", f"HOME={os.environ['HOME']}", "sh", "-c", line, str(folder), STUDIO]
    opened = Terminal(command, tmp_path, 60, 20)
    yield opened
    opened.close()


def commit(folder: Path) -> None:
    run = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for words in (["add", "."], ["commit", "-q", "-m", "begin"], ["tag", "v1.0.0"]):
        subprocess.run([*run, *words], check=True)


def test_each_step_of_an_agent_is_on_the_screen_without_a_key(
    terminal: Terminal, folder: Path
) -> None:
    skill = folder / "skills" / "weekly"
    sample = skill / "samples" / "scripts" / "hours.py" / "week.yaml"
    terminal.wait("no skill here")

    # Frontmatter with a colon, then without.
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(COLON)
    screen = terminal.wait("✗ SKILL.md:3:20  unquoted")
    assert "description: Report: write the report of a week" in screen
    (skill / "SKILL.md").write_text(FRONT)
    terminal.wait("no problems")

    # A script and a sample: nothing runs that was not allowed.
    (skill / "scripts").mkdir()
    (skill / "scripts" / "hours.py").write_text(SCRIPT)
    terminal.wait("scripts/hours.py changed")
    sample.parent.mkdir(parents=True)
    sample.write_text(SAMPLE)
    commit(folder)
    terminal.wait("1 sample not run: press r")
    terminal.press("r")
    terminal.wait("✓ 1 sample passed")

    # Then each change does.
    (skill / "scripts" / "hours.py").write_text(SCRIPT.replace("40 if", "41 if"))
    terminal.wait("JSON at /total: expected 40, got 41")
    (skill / "scripts" / "hours.py").write_text(SCRIPT)
    terminal.wait("✓ 1 sample passed")

    # A breaking change.
    (skill / "SKILL.md").write_text(FRONT.replace("[hours, days]", "[hours]"))
    screen = terminal.wait("needs a major bump: 1.0.0 → 2.0.0")
    assert 'counterexample: "days"' in screen

    terminal.press("F")
    terminal.wait(lambda screen: "unfollow" not in screen)
    terminal.press("C-q")
    terminal.wait("EXIT-0")
