"""With nothing open: recent folders, and the tour."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill

from skillstudio.tui.screens.tour import TourScreen

from .conftest import SIZES, Open, bench, seen


@pytest.mark.slow_cases("size1")
@pytest.mark.parametrize("size", SIZES)
async def test_a_recent_folder_is_opened_by_its_number(
    open_studio: Open, tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = block_skill(tmp_path / "[red]one", "echo\n")
    monkeypatch.chdir(tmp_path)
    folders = [str(tmp_path), str(skill), str(tmp_path / "removed")]
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "recent.json").write_text(json.dumps(folders))
    async with open_studio(None, size) as pilot:
        screen = await seen(pilot, " 1  [red]one")
        assert " 2 " not in screen, "this folder is listed already, and the other was removed"
        await pilot.press("2")
        await pilot.press("1")
        await seen(pilot, "SKILL.md")
        assert bench(pilot).session.workspace.root == str(skill)


@pytest.mark.slow
async def test_the_tour_opens_its_example_and_names_the_keys(open_studio: Open) -> None:
    async with open_studio(None, (80, 24)) as pilot:
        await pilot.press("t")
        screen = await seen(pilot, "A tour in five steps")
        assert "f2 quotes the text" in screen
        assert isinstance(pilot.app.screen, TourScreen)
        await pilot.press("enter")
        assert pilot.app.screen is bench(pilot)
        assert bench(pilot).open.skill is not None
        assert "name: worklog" in await seen(pilot, "name: worklog")
        await pilot.press("escape", "ctrl+p", *"tour", "enter")
        screen = await seen(pilot, "alt+3, then o", "pagedown more")
        await pilot.press("pagedown")
        screen += await seen(pilot, "^z twice")
        assert "in the palette" not in screen, "every command of it has a key"


@pytest.mark.slow
async def test_the_tour_leads_from_another_folder_to_its_example(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await pilot.press("ctrl+p", *"tour", "enter")
        await seen(pilot, "A tour in five steps")
        await pilot.press("enter")
        await seen(pilot, "name: worklog")
