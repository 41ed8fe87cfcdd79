"""The five jobs by the mouse alone, as clicks and what appears: in a terminal and in a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Literal, NamedTuple

EXAMPLES = Path(__file__).parents[2] / "examples"
_GIT = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]


class Step(NamedTuple):
    """A click on a text, or a text that appears or goes away."""

    action: Literal["click", "see", "miss"]
    text: str


def _steps(*lines: str) -> tuple[Step, ...]:
    return tuple(Step(*line.split(": ", 1)) for line in lines)  # type: ignore[arg-type]


BY_MOUSE = {
    "edit": _steps(
        "see: ✗ 1 with errors",
        "click: ✗ worklog  4:38",  # What to fix first, in home.
        "see: enter to the text  f2 fix  f8 next",
        "click: f2 fix  f8 next",  # In the line of keys.
        "see: ● unsaved",
        "click: ^s save",
        "miss: ● unsaved",
    ),
    "compare": _steps(
        "click: Compare",
        "see: needs a patch bump",
        "click: b bumps",
        "see: 1.0.1 written to",
        "click: K save the skill",
        "miss: ●",
    ),
    "run": _steps(
        "click: ✓ memory",
        "see: memory 0.2.0",
        "click: Run",
        "click: o operation",
        "click: store",
        "see: · store ·",
        "click: f sample",
        "click: fact  ",
        "see: ✓ ready",
        "click: f5 run",
        "see: as declared",
    ),
    "preview": _steps(
        "click: Preview",
        "see: Changes",
        "click: Card",
        "see: Always in context",
    ),
    "scaffold": _steps(
        "click: Skills 2",
        "click: 0 home",
        "see: new skill, from a template",
        "click: N  new skill",
        "click: script-tool",
        "see: ✓ creates skills/new-skill",
        "click: ^n next",
        "click: ^s create",
        "see: new-skill 0.1.0",
    ),
}  # fmt: skip


def prepare(folder: Path) -> None:
    """Copy two examples with a commit; then a colon breaks the description of one of them."""
    for name in ("worklog", "memory"):
        shutil.copytree(EXAMPLES / name, folder / name)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        subprocess.run([*_GIT, "-C", str(folder), *arguments], check=True)
    file = folder / "worklog" / "SKILL.md"
    file.write_text(file.read_text().replace("worklogs documenting", "worklogs: documenting"))


def assert_done(folder: Path) -> None:
    """Check what the five jobs leave on disk."""
    worklog = (folder / "worklog" / "SKILL.md").read_text()
    assert 'description: "Create org-mode worklogs: documenting' in worklog
    assert "\nversion: 1.0.1\n" in worklog
    assert "## [1.0.1]" in (folder / "worklog" / "CHANGELOG.md").read_text()
    assert (folder / "new-skill" / "SKILL.md").is_file()
