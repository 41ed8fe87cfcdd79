"""The examples of an installed skillstudio: copied where the author says, never changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.installed import contents, install
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.tui.screens.dialogs import PromptDialog
from skillstudio.tui.screens.welcome import Welcome

from .conftest import Open, bench, read, seen, settled, shown


async def copied(pilot: Pilot[int]) -> None:
    while isinstance(pilot.app.screen, PromptDialog | Welcome):
        await settled(pilot)
    await settled(pilot)


@pytest.mark.slow
async def test_the_examples_are_copied_to_a_folder_that_the_author_confirms(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = install(tmp_path / "venv", monkeypatch)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "skillstudio-examples").mkdir()
    before = contents(tmp_path / "venv")
    async with open_studio(None, (80, 24), by_hand=True) as pilot:
        assert "Copy the examples to a new folder" in shown(pilot)
        await read(pilot, "xx")
        assert isinstance(pilot.app.screen, PromptDialog)
        assert len(pilot.app.screen_stack) == 3, "two keys ask once"
        field = pilot.app.screen.query_one(Input)
        assert field.value == str(home / "skillstudio-examples-2")

        field.value = str(home / "skillstudio-examples")
        await pilot.press("enter")
        message = await seen(pilot, "use skillstudio-examples-2")
        assert "skillstudio-examples already exists" in message

        field.value = str(examples / "inside")
        await pilot.press("enter")
        assert "installed skillstudio" in shown(pilot)

        field.value = "own"
        await read(pilot, "\r\r")
        await copied(pilot)
        assert bench(pilot).session.workspace.root == str(home / "own")
        assert "faulty" in shown(pilot)
    copy = contents(home / "own")
    assert copy.keys() == {each for each in contents(examples) if "__pycache__" not in each}
    assert all(copy[each] == contents(examples)[each] for each in copy if each.endswith(".md"))
    assert (home / "own" / "plain" / "scripts" / "say.py").stat().st_mode & 0o100
    assert contents(tmp_path / "venv") == before
    assert list((home / "skillstudio-examples").iterdir()) == []


async def test_backing_out_copies_nothing_and_asks_again(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "venv", monkeypatch)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    async with open_studio(None) as pilot:
        for _ in range(2):
            await pilot.press("x", "escape")
            await settled(pilot)
            assert isinstance(pilot.app.screen, Welcome)
        await pilot.press("x")
        assert isinstance(pilot.app.screen, PromptDialog)
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.slow
async def test_an_installed_skill_opens_read_only_and_new_ones_go_elsewhere(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = install(tmp_path / "venv", monkeypatch)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    before = contents(examples)
    async with open_studio(examples / "faulty") as pilot:
        assert "read-only: installed with skillstudio" in shown(pilot)
        await pilot.press("x", "f2", "ctrl+s")
        await settled(pilot)
        assert bench(pilot).session.dirty() == []
        await pilot.press("escape", "N")
        await settled(pilot)
        wizard = bench(pilot).wizard
        assert wizard is not None
        assert wizard.base == str(tmp_path / "home")
    assert contents(examples) == before


async def test_the_examples_of_a_checkout_open_in_place(open_studio: Open) -> None:
    async with open_studio(None) as pilot:
        assert "Open the examples" in shown(pilot)
        await read(pilot, "xx")
        await copied(pilot)
        buffer = bench(pilot).session.open("greeter", "SKILL.md")
        assert buffer.read_only == ""
