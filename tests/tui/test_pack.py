"""Pack in the workbench: from the palette to the archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.files.placing import NotPlaced
from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.tui.screens.pack import PackScreen

from .conftest import NARROW_FIRST, Open, bench, finish_plan, settled, shown


async def to_list(pilot: Pilot[int], kind: str = ".skill") -> str:
    """Open alpha, and choose a format by its letters."""
    await pilot.press("enter", "escape", "P", *kind, "enter")
    return await finish_plan(pilot)


@pytest.fixture
def alpha(skills: Path) -> Path:
    folder = skills / "alpha"
    (folder / ".env").write_text("KEY=1\n")
    (folder / "notes.md").write_text("x")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_the_list_is_shown_before_the_archive_is_made(
    open_studio: Open, skills: Path, alpha: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        screen = await to_list(pilot)
        assert "Pack alpha as .skill" in screen
        assert "in alpha/: 2 files" in screen
        assert "1 excluded" in screen
        assert ".env  local settings and credentials" in screen
        assert "notes.md" in screen
        assert not (skills / "alpha.skill").exists()
        await pilot.press("enter")
        screen = await finish_plan(pilot)
        assert "alpha.skill: " in screen.replace("\n", "")
        assert "sha256:" in screen
        assert "enter or esc closes" in screen
        with zipfile.ZipFile(skills / "alpha.skill") as archive:
            assert archive.namelist() == ["alpha/SKILL.md", "alpha/notes.md"]
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)


@pytest.mark.slow
async def test_the_palette_leads_to_it(open_studio: Open, skills: Path, alpha: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "ctrl+p", *"pack", "enter")
        await settled(pilot)
        assert "Pack as" in shown(pilot)
        await pilot.press(*"oci", "enter")
        await finish_plan(pilot)
        await pilot.press("enter")
        await finish_plan(pilot)
        assert (skills / "alpha-oci" / "oci-layout").is_file()


@pytest.mark.slow
async def test_backing_out_writes_nothing(open_studio: Open, skills: Path, alpha: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_list(pilot, "tgz")
        await pilot.press("escape")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)
        assert sorted(path.name for path in skills.iterdir()) == ["alpha", "beta"]


@pytest.mark.slow
async def test_a_file_is_replaced_only_when_asked_twice(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    target = skills / "alpha.skill"
    target.write_text("mine")
    async with open_studio(skills) as pilot:
        await to_list(pilot)
        await pilot.press("enter")
        assert "would be replaced" in await finish_plan(pilot)
        await pilot.press("enter")
        await finish_plan(pilot)
        assert target.read_text() == "mine", "enter goes back"
        await pilot.press("enter", "y")
        await finish_plan(pilot)
        assert zipfile.is_zipfile(target)


@pytest.mark.slow
async def test_another_name_has_to_be_agreed_to_anew(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    for name in ("alpha.skill", "b.skill"):
        (skills / name).write_text("mine")
    async with open_studio(skills) as pilot:
        await to_list(pilot)
        await pilot.press("enter", "n")
        pilot.app.screen.query_one(Input).value = "b.skill"
        await finish_plan(pilot)
        await pilot.press("enter")
        assert "would be replaced" in await finish_plan(pilot)
        assert (skills / "b.skill").read_text() == "mine"


@pytest.mark.slow
async def test_a_wrong_name_is_reported_as_it_is_typed(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_list(pilot)
        await pilot.press("x")
        assert "the name must end with .skill" in await finish_plan(pilot)
        await pilot.press("enter")
        assert not (skills / "alpha.skillx").exists()
        await pilot.press("backspace")
        assert "in alpha/: 2 files" in await finish_plan(pilot)


@pytest.mark.slow
async def test_an_archive_within_the_skill_is_listed_as_what_is_written(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    (alpha / "old.skill").write_text("x")
    async with open_studio(skills) as pilot:
        assert "1  old.skill" in await to_list(pilot)
        pilot.app.screen.query_one(Input).value = str(alpha / "old.skill")
        assert "old.skill  the output of pack" in await finish_plan(pilot)
        pilot.app.screen.query_one(Input).value = str(alpha / "old.tgz")
        assert "the name must end with .skill" in await finish_plan(pilot)


@pytest.mark.slow
async def test_errors_stand_first_and_are_agreed_to(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    (alpha / "SKILL.md").write_text("---\nname: alpha\n---\n")
    async with open_studio(skills) as pilot:
        assert "✗ SKILL.md:1:1: " in await to_list(pilot)
        await pilot.press("enter")
        assert "the skill has 1 error" in await finish_plan(pilot)
        assert not (skills / "alpha.skill").exists()


@pytest.mark.slow
async def test_what_is_unsaved_is_said_not_to_be_packed(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("x", "escape", "P", *".skill", "enter")
        assert "! SKILL.md is not saved" in await finish_plan(pilot)


@pytest.mark.slow
async def test_the_selected_line_is_shown_in_full(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    name = "a" * 100 + "-end.pyc"
    (alpha / name).write_text("x")
    async with open_studio(skills, (80, 24)) as pilot:
        screen = await to_list(pilot)
        assert "-end.pyc" not in screen
        for _ in range(2):
            if "-end.pyc" in screen:
                break
            await pilot.press("down")
            screen = await finish_plan(pilot)
        assert "-end.pyc: generated by an" in screen


@pytest.mark.slow
async def test_a_skill_that_cannot_be_packed_says_why_and_makes_nothing(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    (alpha / "link").symlink_to("/etc/hostname")
    async with open_studio(skills) as pilot:
        screen = await to_list(pilot)
        assert "not packed: link is a link to '/etc/hostname'" in screen
        await pilot.press("enter")
        await finish_plan(pilot)
        assert isinstance(pilot.app.screen, PackScreen)
        assert not (skills / "alpha.skill").exists()


@pytest.mark.slow
async def test_a_file_that_cannot_be_written_is_reported(
    open_studio: Open, skills: Path, alpha: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_list(pilot)
        (skills / "gone").write_text("a file")
        pilot.app.screen.query_one(Input).value = "gone/alpha.skill"
        assert "/gone is a file" in await finish_plan(pilot)
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, PackScreen)


@pytest.mark.slow
async def test_after_a_failure_another_file_can_be_named(
    open_studio: Open, skills: Path, alpha: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise NotPlaced("alpha.skill: No space left on device; nothing was written")

    async with open_studio(skills) as pilot:
        await to_list(pilot)
        with monkeypatch.context() as patch:
            patch.setattr("skillstudio.tui.screens.pack.write", full)
            await pilot.press("enter")
            assert "No space left on device; nothing was written" in await finish_plan(pilot)
        pilot.app.screen.query_one(Input).value = "b.skill"
        await finish_plan(pilot)
        await pilot.press("enter")
        await finish_plan(pilot)
        assert zipfile.is_zipfile(skills / "b.skill")


async def test_without_an_open_file_it_says_why_not(open_studio: Open, skills: Path) -> None:
    command = next(each for each in COMMANDS if each.id == "skill.pack")
    async with open_studio(skills) as pilot:
        assert why_disabled(command, bench(pilot).facts()) == "no file is open"
