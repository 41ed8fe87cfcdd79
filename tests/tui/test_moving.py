"""Migrate and export in the workbench: shown first, then made."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scaffold.conversion.test_migrate import ROUTER
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.tui.screens.move import MoveScreen
from skillstudio.tui.widgets.rows import Rows

from .conftest import NARROW_FIRST, SIZES, Open, bench, finish_plan, settled, shown


def flowing(screen: str) -> str:
    """What is shown as one line: where a sentence is broken hangs on the length of a path."""
    return " ".join(screen.replace("│", " ").replace("┃", " ").split())


async def type_over(pilot: Pilot[int], path: Path | str) -> str:
    pilot.app.screen.query_one(Input).value = str(path)
    return await finish_plan(pilot)


@pytest.fixture
def old(skills: Path) -> Path:
    """The skill alpha with a manifest of the first version."""
    text = ROUTER.replace("name: notes", "name: alpha").replace('"id": "notes"', '"id": "alpha"')
    (skills / "alpha" / "SKILL.md").write_bytes(text.encode())
    (skills / "alpha" / "scripts").mkdir()
    (skills / "alpha" / "scripts" / "n.sh").write_text("#!/bin/sh\n")
    return skills / "alpha" / "SKILL.md"


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_migration_is_shown_and_then_one_step_of_undo(
    open_studio: Open, skills: Path, old: Path, size: tuple[int, int]
) -> None:
    before = old.read_text()
    async with open_studio(skills, size) as pilot:
        await pilot.press("enter", "escape", "M")
        screen = await finish_plan(pilot)
        assert "Migrate: router-manifest-1 to skill-manifest-2.0" in screen
        assert "-```router-manifest" in screen
        assert bench(pilot).open.buffer.text == before
        await pilot.press("tab")
        assert "── Report ──" in await finish_plan(pilot)
        await pilot.press("enter")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert pilot.app.screen is bench(pilot)
        assert "```skill-manifest" in buffer.text
        assert (buffer.dirty, buffer.undo_label) == (True, "Migrate the manifest")
        assert old.read_text() == before
        await pilot.press("ctrl+z")
        await settled(pilot)
        assert (buffer.text, buffer.dirty) == (before, False)


@pytest.mark.slow
async def test_what_is_typed_and_unsaved_is_what_is_migrated(
    open_studio: Open, skills: Path, old: Path
) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        at = buffer.text.index("\n---\n", 4)
        buffer.replace([(at, at, "\nlicense: MIT")], "Type")
        await pilot.press("escape", "M")
        await finish_plan(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert "license: MIT" in buffer.text
        assert "```skill-manifest" in buffer.text


@pytest.mark.slow
async def test_backing_out_changes_nothing(open_studio: Open, skills: Path, old: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "escape", "M")
        await finish_plan(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)
        assert not bench(pilot).open.buffer.dirty


@pytest.mark.slow
async def test_where_nothing_is_old_that_is_said(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "escape", "M")
        await settled(pilot)
        assert "every manifest has the latest version" in shown(pilot).replace("\n", " ")


@pytest.mark.slow
async def test_what_does_not_parse_is_refused_with_its_place(
    open_studio: Open, skills: Path
) -> None:
    (skills / "alpha" / "SKILL.md").write_text("---\nname: [alpha\n---\n")
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "escape", "M")
        await settled(pilot)
        assert "SKILL.md:2:7" in shown(pilot)
        await pilot.press("E", *"claude-up", "enter")
        assert "not possible: SKILL.md:2:7" in await finish_plan(pilot)
        await pilot.press("enter")
        await finish_plan(pilot)
        assert isinstance(pilot.app.screen, MoveScreen)
        assert sorted(path.name for path in skills.iterdir()) == ["alpha", "beta"]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_a_new_skill_is_shown_made_and_opened(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        await pilot.press("enter", "escape", "E", *"claude-up", "enter")
        screen = await finish_plan(pilot)
        assert "copied; check of the" in screen
        assert "── Report ──" in screen
        made = skills.parent / "skills-claude-upload" / "alpha"
        assert not made.exists()
        await pilot.press("enter")
        await finish_plan(pilot)
        await settled(pilot)
        assert "# alpha" in (made / "SKILL.md").read_text()
        assert f"exported to {made}" in [note.message for note in pilot.app._notifications]
        assert set(bench(pilot).session.workspace.skills) == {"alpha", "beta"}


@pytest.mark.slow
async def test_a_folder_in_the_way_is_reported_at_once(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "escape", "E", *"claude-up", "enter")
        await finish_plan(pilot)
        for path, why in (
            (skills / "beta", "already exists"),
            (skills / "beta" / "x", "choose a folder outside of it"),
            ("", "name a new folder"),
        ):
            assert why in flowing(await type_over(pilot, path))
            await pilot.press("enter")
            assert why in flowing(await finish_plan(pilot))
        assert sorted(path.name for path in skills.iterdir()) == ["alpha", "beta"]
        await type_over(pilot, skills / "new" / "memos")
        await pilot.press("enter")
        await finish_plan(pilot)
        await settled(pilot)
        assert "name: memos" in (skills / "new" / "memos" / "SKILL.md").read_text()


@pytest.mark.slow
async def test_errors_of_the_result_are_asked_about_once(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "escape", "E", *"claude-up", "enter")
        await finish_plan(pilot)
        assert "1 error" in await type_over(pilot, skills / "My Skill")
        await pilot.press("enter")
        assert "Create it anyway" in await finish_plan(pilot)
        assert not (skills / "My Skill").exists()
        await pilot.press("y")
        await finish_plan(pilot)
        await settled(pilot)
        assert (skills / "My Skill" / "SKILL.md").exists()


@pytest.mark.slow
async def test_a_click_reads_and_does_not_take(open_studio: Open, skills: Path, old: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "escape", "M")
        await finish_plan(pilot)
        await pilot.click("#answers", offset=(5, 3))
        await finish_plan(pilot)
        assert isinstance(pilot.app.screen, MoveScreen)
        assert pilot.app.screen.query_one(Rows).cursor == 3
        assert not bench(pilot).open.buffer.dirty


@pytest.mark.slow
async def test_the_palette_leads_to_them(open_studio: Open, skills: Path, old: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "ctrl+p", *"migrate", "enter")
        assert "Migrate: router" in await finish_plan(pilot)


def test_without_an_open_file_they_are_off() -> None:
    found = [each for each in COMMANDS if each.id in ("skill.migrate", "skill.export")]
    assert [why_disabled(each, frozenset()) for each in found] == ["no file is open"] * 2
