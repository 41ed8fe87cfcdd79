"""The palette and its prefixes, and the explanation of a rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.session.recent import remember_folder
from skillstudio.tui.screens.chooser import Chooser
from skillstudio.tui.screens.explain import ExplainScreen
from skillstudio.tui.widgets.rows import Rows

from .conftest import GOOD, Open, bench, settled, shown

BROKEN = "---\nname: alpha\ndescription: Use when: asked\n---\n# Alpha\n\n## Second\n"


async def ask(pilot: Pilot[int], text: str, choose: bool = True) -> str:
    """Type into the palette; what it shows before enter."""
    await pilot.press("ctrl+p")
    await pilot.pause()
    assert isinstance(pilot.app.screen, Chooser)
    pilot.app.screen.query_one(Input).value = text
    await pilot.pause()
    screen = shown(pilot)
    if choose:
        await pilot.press("enter")
        await settled(pilot)
    return screen


@pytest.mark.slow
async def test_each_prefix_has_its_own_answers(open_studio: Open, skills: Path) -> None:
    (skills / "alpha/SKILL.md").write_text(BROKEN)
    async with open_studio(skills) as pilot:
        await ask(pilot, "beta")
        assert bench(pilot).open.skill == "beta", "a skill"
        await ask(pilot, "alpha")
        editor = bench(pilot).views.editor
        assert editor is not None
        await ask(pilot, ":3")
        assert editor.cursor_location == (2, 0)
        screen = await ask(pilot, "@second")
        assert "name" not in screen.splitlines()[12]
        assert editor.cursor_location[0] == 6
        await ask(pilot, ">form")
        assert bench(pilot).views.current_view == "form"
        await ask(pilot, "#value-unq")
        assert isinstance(pilot.app.screen, ExplainScreen)


@pytest.mark.slow_cases(":", ":x", ":-1", ":99999999999", "@qqqq")
@pytest.mark.parametrize("text", [":", ":x", ":-1", ":99999999999", "@qqqq", "#qqqq", ">qqqq"])
async def test_a_prefix_without_an_answer_does_nothing(
    open_studio: Open, skills: Path, text: str
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        assert "no matches" in await ask(pilot, text)
        assert isinstance(pilot.app.screen, Chooser)
        await pilot.press("escape")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)


@pytest.mark.slow
async def test_a_recent_folder_is_opened(open_studio: Open, skills: Path, tmp_path: Path) -> None:
    (tmp_path / "other/gamma").mkdir(parents=True)
    (tmp_path / "other/gamma/SKILL.md").write_text(GOOD.format(name="gamma"))
    remember_folder(str(tmp_path / "state"), str(tmp_path / "other"))
    async with open_studio(skills) as pilot:
        assert "recent" in await ask(pilot, "folder other")
        await settled(pilot)
        assert bench(pilot).session.workspace.root == str(tmp_path / "other")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 16), (200, 60)])
async def test_a_rule_is_explained_whole_and_its_fix_applied(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    (skills / "alpha/SKILL.md").write_text(BROKEN)
    async with open_studio(skills / "alpha", size) as pilot:
        await pilot.press("f8", "escape", "p", "x")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ExplainScreen)
        seen = shown(pilot)
        for _ in range(9):
            await pilot.press("pagedown")
            await pilot.pause()
            seen += shown(pilot)
        parts = (
            "Here  SKILL.md:",
            "✗ description: Use when: asked",
            "Fix  Quote this value",
            '✓ description: "Use when: asked"',
            "✗ description: Use when: files arrive",
            '✓ description: "Use when: files arrive"',
            "Source  ",
        )
        assert [part for part in parts if part not in seen] == []
        await pilot.press("f2")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert 'description: "Use when: asked"' in buffer.text


async def test_errors_come_before_notes(open_studio: Open, skills: Path) -> None:
    (skills / "alpha/SKILL.md").write_text(f"{BROKEN}[x](missing.md)\n")
    async with open_studio(skills / "alpha") as pilot:
        editor = bench(pilot).views.editor
        assert editor is not None
        editor.go_to_line(5)
        rows = []
        for _ in range(3):
            await pilot.press("f8")
            await settled(pilot)
            rows.append(editor.cursor_location[0])
        assert rows == [2, 7, 2], "back to the error, on to the note, and around"


async def test_the_commands_for_what_has_the_focus_come_first(
    open_studio: Open, skills: Path
) -> None:
    (skills / "alpha/SKILL.md").write_text(BROKEN)
    async with open_studio(skills / "alpha") as pilot:
        for place in ("p", "s"):
            await pilot.press(place, "ctrl+p")
            await settled(pilot)
            lines = [line.plain for line in pilot.app.screen.query_one(Rows).lines[:3]]
            assert lines[0].startswith("problem: Fix this problem")
            assert any("explain" in line.casefold() for line in lines) == (place == "p")
            await pilot.press("escape")
            await settled(pilot)


@pytest.mark.parametrize(("width", "is_listed"), [(80, False), (140, True)])
async def test_helps_are_listed_only_where_they_are_not_cut_to_nothing(
    open_studio: Open, skills: Path, width: int, is_listed: bool
) -> None:
    async with open_studio(skills / "alpha", size=(width, 24)) as pilot:
        await pilot.press("f1", *"copy path")
        await settled(pilot)
        lines = [line for line in shown(pilot).split("\n") if "Send the path" in line]
        assert len(lines) == 1 + is_listed, "once below the list, for the selected command"


async def test_in_a_text_the_list_of_commands_has_no_key_that_is_typed(
    open_studio: Open, skills: Path
) -> None:
    def line(title: str, screen: str) -> str:
        return next(line for line in screen.split("\n") if title in line)

    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("f1", *"copy path")
        await settled(pilot)
        assert " y " in line("file: Copy", shown(pilot))
        await pilot.press("escape", "e", "f1", *"copy path")
        await settled(pilot)
        assert " esc y " in line("file: Copy", shown(pilot))
