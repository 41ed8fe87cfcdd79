"""The list of targets: the same answers as `why`, with their places, and adding a target."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from textual.pilot import Pilot

from skillstudio.tui.widgets.rows import Rows

from .conftest import NARROW_FIRST, Open, bench, settled, shown

BROKEN = """---
name: notes
description: Takes notes: Use it in meetings.
context: frok
---
# Notes
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which `npx skills` installed a skill for several clients."""
    (tmp_path / ".git").mkdir()
    skill = tmp_path / ".agents/skills/notes/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(BROKEN)
    (tmp_path / ".claude/skills").mkdir(parents=True)
    (tmp_path / ".claude/skills/notes").symlink_to("../../.agents/skills/notes")
    return tmp_path


async def listed(pilot: Pilot[int]) -> str:
    """The list of targets once it has been read."""
    await settled(pilot)
    await pilot.press("escape", "t")
    return await read(pilot)


async def read(pilot: Pilot[int]) -> str:
    await pilot.pause()
    if workers := [each for each in pilot.app.workers if each.group == "targets"]:
        await pilot.app.workers.wait_for_complete(workers)
        await pilot.pause()
    return shown(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_reason_is_fixed_and_the_target_accepts_the_skill(
    open_studio: Open, project: Path, size: tuple[int, int]
) -> None:
    async with open_studio(project, size) as pilot:
        screen = " ".join((await listed(pilot)).replace("│", " ").replace("┃", " ").split())
        assert "clients see it as .agents/skills/notes" in screen
        assert "(the skill is in .agents/skills, linked from .claude/skills)" in screen
        assert "● Claude Code: lists it without its description" in screen
        assert "● Cline: ignores it" in screen
        await pilot.press("down", "enter")
        await pilot.pause()
        views = bench(pilot).views
        assert views.cursor_offset == BROKEN.index(": Use")
        await pilot.press("f2")
        screen = await listed(pilot)
        assert "Claude Code: loads it without a part of it" in screen
        assert "Cline: loads it" in screen
        assert "1 skill here takes" in screen


@pytest.mark.slow
async def test_the_verdicts_open_the_list_and_a_adds_a_target(
    open_studio: Open, project: Path
) -> None:
    async with open_studio(project) as pilot:
        await settled(pilot)
        edge = bench(pilot).query_one("#view-pane").region
        await pilot.click(offset=(edge.right - 9, edge.bottom - 1))
        screen = await read(pilot)
        assert "Targets" in screen
        await pilot.press("a")
        await pilot.pause()
        assert "claude-code is selected already" in shown(pilot)
        rows = pilot.app.screen.query_one(Rows)
        rows.cursor = next(
            at for at, each in enumerate(rows.lines) if "Agent Skills specification" in each.plain
        )
        await pilot.press("a")
        await settled(pilot)
        assert "spec added to the targets in" in shown(pilot)
    targets = tomllib.loads((project / "skillstudio.toml").read_text())["targets"]
    assert (targets[0], targets[-2:]) == ("cline", ["claude-code", "spec"])
