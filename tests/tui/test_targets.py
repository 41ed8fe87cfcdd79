"""The list of targets: the same answers as `why`, with their places, and adding a target."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from textual.pilot import Pilot

from skillstudio.tui.widgets.rows import Rows

from .conftest import NARROW_FIRST, Open, bench, settled, shown, until

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
        assert "Yours the skill is in .agents/skills, linked from .claude/skills" in screen
        assert "✗ Cline  ignores it" in rows_of(pilot)
        copilot = "! GitHub Copilot in VS Code  lists it without its description"
        assert copilot in rows_of(pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        views = bench(pilot).views
        assert views.cursor_offset == BROKEN.index(": Use")
        await pilot.press("f2")
        screen = await listed(pilot)
        assert "! Claude Code  loads it without a part of it" in rows_of(pilot)
        assert "✓ Cline  loads it" in " ".join(rows_of(pilot))
        assert "1 skill here takes" in screen


@pytest.mark.slow
async def test_the_verdicts_open_the_list_and_a_adds_and_removes_a_target(
    open_studio: Open, project: Path
) -> None:
    async with open_studio(project) as pilot:
        await settled(pilot)
        edge = bench(pilot).query_one("#view-pane").region
        await pilot.click(offset=(edge.right - 9, edge.bottom - 1))
        screen = await read(pilot)
        assert "Targets" in screen
        assert "a remove from yours" in screen
        select(pilot, "Would reject it")
        await pilot.press("a")
        await until(
            pilot,
            lambda: any("opens a row of" in note.message for note in pilot.app._notifications),
        )
        await pilot.press("i")
        select(pilot, "Agent Skills specification")
        await pilot.press("a")
        await settled(pilot)
        assert "spec added to the targets in" in shown(pilot)
        # The list is open again, at the same target.
        await until(pilot, lambda: "a remove from yours" in shown(pilot))
        rows = pilot.app.screen.query_one(Rows)
        assert "Agent Skills specification" in rows.lines[rows.cursor].plain
        select(pilot, "Cline")
        await pilot.press("a")
        await settled(pilot)
        assert "cline removed from the targets in" in shown(pilot)
    targets = tomllib.loads((project / "skillstudio.toml").read_text())["targets"]
    assert "cline" not in targets
    assert targets[-2:] == ["claude-code", "spec"]


def select(pilot: Pilot[int], text: str) -> None:
    rows = pilot.app.screen.query_one(Rows)
    rows.cursor = next(at for at, line in enumerate(rows.lines) if text in line.plain)


def rows_of(pilot: Pilot[int]) -> list[str]:
    """The rows that can be selected and the headings, with two spaces between columns."""
    lines = (line.plain.rstrip() for line in pilot.app.screen.query_one(Rows).lines)
    return [re.sub(r"(?<=\S)  +", "  ", line) for line in lines if line]


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_targets_are_grouped_and_folded(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills / "alpha", size) as pilot:
        await listed(pilot)
        lines = rows_of(pilot)
        assert lines[0] == "Look here  no targets are selected"
        assert lines[1:7] == [
            f"✓ {title}  loads it"
            for title in (
                "OpenAI skill-creator",
                "skills-ref 0.1",
                "Agent Skills specification",
                "claude.ai",
                "Lenient clients",
                "npx skills",
            )
        ]
        folded = " ".join(lines[7:]).split()
        assert folded[:5] == ["Look", "elsewhere", "20", "amp", "claude-code"]
        assert len(folded) == 23
        select(pilot, "Look elsewhere")
        await pilot.press("enter")
        lines = rows_of(pilot)
        assert lines[7:9] == [
            "Look elsewhere  20",
            "○ Amp  looks elsewhere; it only looks in .agents/skills, ~/.config/agents/skills",
        ]
        assert len(lines) == 28
        await pilot.press("i")
        assert len(rows_of(pilot)) < 15


@pytest.mark.slow
@pytest.mark.parametrize("query", ["claude.ai", "claude-upload"])
async def test_a_target_is_found_by_its_title_and_its_id(
    open_studio: Open, skills: Path, query: str
) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        await listed(pilot)
        await pilot.press("/", *query)
        await pilot.pause()
        assert rows_of(pilot)[1:] == ["✓ claude.ai  loads it"]
        assert "a add" not in shown(pilot)
        await pilot.press("escape")
        assert len(rows_of(pilot)) > 6
        assert "a add" in shown(pilot)
        await pilot.press("/", *"no such target")
        await pilot.pause()
        assert "no matches" in shown(pilot)


@pytest.mark.slow
async def test_a_copy_is_exported_for_the_target_of_a_row(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        await listed(pilot)
        select(pilot, "claude.ai")
        await pilot.press("e")
        await settled(pilot)
        assert "Export for claude.ai" in shown(pilot)
        assert "alpha-claude-upload/alpha" in shown(pilot)


@pytest.mark.slow
async def test_a_skill_with_markup_is_shown_as_text(open_studio: Open, tmp_path: Path) -> None:
    folder = tmp_path / ".claude/skills/x"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text('---\nname: "[/]"\n"[@click=app.quit]x": 1\n---\nSay.\n')
    (tmp_path / "skillstudio.toml").write_text('targets = ["claude-upload"]\n')
    async with open_studio(folder) as pilot:
        screen = await listed(pilot)
        assert "[@click=app.quit]x" in screen
        assert pilot.app.is_running


@pytest.mark.slow
async def test_the_frame_shows_that_another_skill_takes_precedence(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the list reads the skills beside the open one."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for above in ("home", "work"):
        folder = tmp_path / above / ".claude/skills/tea"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: tea\ndescription: d\n---\nSay.\n")
    async with open_studio(tmp_path / "work/.claude/skills/tea") as pilot:
        await settled(pilot)
        assert "✓ claude-code" in shown(pilot)
        await listed(pilot)
        assert "✗ Claude Code  ignores it" in rows_of(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "✗ claude-code" in shown(pilot)
