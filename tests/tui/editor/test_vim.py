"""The keys of vim in the editor of the workbench; `session/vim` tests what each does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.conftest import GOOD, SIZES, Open, bench, ended, read, settled, shown, until

from skillstudio.tui.widgets.problems import ProblemList
from skillstudio.tui.widgets.skills_pane import SkillTree

VIM = '[editor]\nkeys = "vim"\n'


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_a_session_with_the_keys_of_vim(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    (skills / "skillstudio.toml").write_text(VIM)
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha", size) as pilot:
        editor, buffer = bench(pilot).views.editor, bench(pilot).open.buffer
        assert editor is not None
        assert buffer is not None
        assert "NORMAL ▮ · alpha" in shown(pilot)
        await pilot.press("enter", "j", "j", "w", "w", "2", "c")
        assert "NORMAL ▮ 2c" in shown(pilot)
        await pilot.press("w", *"Makes")
        assert "INSERT ▏" in shown(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert "description: Makes thing well." in buffer.text
        await pilot.press("o", *"x: 1", "enter", *"y: 2", "escape", "u")
        await settled(pilot)
        assert "x: 1" not in buffer.text, "what was typed in insert mode is one step"
        await pilot.press("ctrl+r")
        await settled(pilot)
        assert "x: 1\ny: 2\n" in buffer.text
        await pilot.press("u", "V", "j")
        await settled(pilot)
        assert "V-LINE ▮" in shown(pilot)
        assert editor.selected_text.count("\n") == 1
        await pilot.press("escape", "Z")
        await until(pilot, lambda: any("Z is not" in n.message for n in pilot.app._notifications))
        assert pilot.app.focused is editor
        await pilot.press(*":wq")
        assert "NORMAL ▮ :wq" in shown(pilot)
        await pilot.press("enter")
        await ended(pilot)
    assert file.read_text() == GOOD.format(name="alpha").replace("Does one", "Makes")


@pytest.mark.slow
async def test_escape_leaves_only_from_normal_mode(open_studio: Open, skills: Path) -> None:
    (skills / "skillstudio.toml").write_text(VIM)
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        editor = bench(pilot).views.editor
        assert editor is not None
        await pilot.press("enter", "i", "a", "escape", "d", "escape", "v", "escape")
        assert editor.has_focus
        await read(pilot, "ix\x1bl")  # tmux sends escape and a fast key as alt and that key.
        assert editor.has_focus
        assert editor.vim is not None
        assert editor.vim.mode == "normal"
        assert editor.text.startswith("xa---")
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).query_one(ProblemList).has_focus
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).query_one(SkillTree).has_focus


@pytest.mark.slow
async def test_the_palette_turns_the_keys_on_and_off(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        editor = bench(pilot).views.editor
        assert editor is not None
        for mode, is_on in (("─ NORMAL ▮ · alpha ·", True), ("─ alpha ·", False)):
            await pilot.press("ctrl+p", *">vim keys", "enter")
            await settled(pilot)
            assert mode in shown(pilot)
            assert (editor.vim is not None) == is_on
        await pilot.press("x")
        assert editor.text.startswith("x---")


async def test_a_selection_of_the_mouse_is_a_visual_one(open_studio: Open, skills: Path) -> None:
    (skills / "skillstudio.toml").write_text(VIM)
    async with open_studio(skills / "alpha") as pilot:
        editor = bench(pilot).views.editor
        assert editor is not None
        editor.go_to(4, 8)
        bench(pilot).go_to_pane("view")
        await pilot.press("x")
        assert editor.text.startswith("---\n: alpha\n")
        assert editor.vim is not None
        assert editor.vim.mode == "normal"


async def test_a_read_only_file_stays_as_it_is(open_studio: Open, skills: Path) -> None:
    (skills / "skillstudio.toml").write_text(VIM)
    async with open_studio(skills / "alpha") as pilot:
        editor, buffer = bench(pilot).views.editor, bench(pilot).open.buffer
        assert editor is not None
        assert buffer is not None
        buffer.read_only = "read-only on disk"
        await pilot.press("enter", "d", "d", "i")
        await settled(pilot)
        assert "read-only: read-only on disk" in shown(pilot)
        assert editor.vim is not None
        assert editor.vim.mode == "normal"
        assert not buffer.dirty
