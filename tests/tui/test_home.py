"""Home: from the folder at a glance to the fault, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from skillstudio.session.recent import remember_folder
from skillstudio.tui.widgets.home import Home

from .conftest import NARROW_FIRST, Open, bench, seen, settled, shown, until

BROKEN = "---\nname: gamma\ndescription: Takes notes: in meetings.\n---\n# gamma\n\nSay.\n"
LINKED = "---\nname: beta\ndescription: Does.\nalowed-tools: Read\n---\n# beta\n\nSay.\n"


@pytest.fixture
def broken(skills: Path) -> Path:
    """A third skill with an error that has a fix, and a warning in the second one."""
    (skills / "gamma").mkdir()
    (skills / "gamma" / "SKILL.md").write_text(BROKEN)
    (skills / "beta" / "SKILL.md").write_text(LINKED)
    return skills


def here(pilot: Pilot[int]) -> Home:
    home = bench(pilot).views.home
    assert home is not None
    return home


@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_the_worst_skill_is_selected_first_and_f2_fixes_it(
    open_studio: Open, broken: Path, size: tuple[int, int]
) -> None:
    async with open_studio(broken, size) as pilot:
        assert "f2" not in shown(pilot).splitlines()[-1]  # The skills have the focus.
        await pilot.press("e")
        screen = await seen(pilot, "Fix first")
        assert "3 skills   ✗ 1 with errors   ! 1 with warnings   ✓ 1 in order" in screen
        assert here(pilot).here is not None
        assert here(pilot).here.skill == "gamma"
        assert "f2 fix" in screen.splitlines()[-1]
        await pilot.press("f2")
        await settled(pilot)
        assert bench(pilot).open.skill == "gamma"
        assert bench(pilot).open.buffer.text == BROKEN.replace(
            "Takes notes: in meetings.", '"Takes notes: in meetings."'
        )


async def test_f2_fixes_the_skill_that_is_selected_in_the_tree(
    open_studio: Open, broken: Path
) -> None:
    async with open_studio(broken, (120, 36)) as pilot:
        assert "f2" not in shown(pilot).splitlines()[-1]  # alpha has no problem.
        await pilot.press("down", "down")
        await until(pilot, lambda: "f2 fix" in shown(pilot).splitlines()[-1])
        await pilot.press("f2")
        await settled(pilot)
        assert bench(pilot).open.skill == "gamma"
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert buffer.dirty


async def test_f8_opens_what_to_fix_first_from_anywhere(open_studio: Open, broken: Path) -> None:
    async with open_studio(broken, (80, 24)) as pilot:
        assert "f8 next" in shown(pilot).splitlines()[-1]
        await pilot.press("f8")
        await settled(pilot)
        workbench = bench(pilot)
        assert workbench.open.skill == "gamma"
        assert workbench.problem is not None
        assert workbench.problem.severity == "error"
        assert not workbench.is_in_view  # A letter is not typed.
        row = workbench.skills_pane.skill_tree.selected_row
        assert row is not None
        assert (row.skill, row.file) == ("gamma", "SKILL.md"), "the tree's keys are for it"


async def test_0_goes_home_and_keeps_what_is_unsaved(open_studio: Open, broken: Path) -> None:
    async with open_studio(broken, (120, 36)) as pilot:
        await pilot.press("f8")
        await settled(pilot)
        await pilot.press("f2")
        await settled(pilot)
        await pilot.press("0")
        screen = await seen(pilot, "Fix first")
        assert bench(pilot).open.buffer is None
        assert "✗" not in screen.split("Fix first")[0].split("3 skills")[1].splitlines()[0]
        assert "gamma ●" in screen
        assert here(pilot).has_focus
        await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).open.skill == "beta"
        assert len(bench(pilot).session.dirty()) == 1


async def test_the_cursor_goes_from_choice_to_choice(
    open_studio: Open, broken: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    remember_folder(str(tmp_path / "state"), str(other))
    async with open_studio(broken, (120, 36)) as pilot:
        await pilot.press("e")
        await seen(pilot, "Recent folders")
        chosen = []
        for _ in range(8):
            row = here(pilot).here
            assert row is not None
            chosen.append(row.skill or row.command or Path(row.folder).name)
            await pilot.press("down")
        assert chosen == [
            *("gamma", "beta", "skill.targets", "skill.new", "app.open", "help.tour"),
            *("other", "other"),
        ]
        await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).session.workspace.root == str(other)


async def test_a_target_is_selected_from_home(open_studio: Open, broken: Path) -> None:
    async with open_studio(broken, (80, 24)) as pilot:
        await pilot.press("e", "down", "down", "enter")
        await seen(pilot, "Select the targets")
        await pilot.press(*".ai", "enter")
        await seen(pilot, "✓ claude-upload", "claude-upload added to the targets")
        await pilot.press(*"dex", "enter")
        await seen(pilot, "codex added to the targets")
        await pilot.press(*"dex", "enter")
        await seen(pilot, "codex removed from the targets")
        await pilot.press("escape")
        screen = await seen(pilot, "Where they load")
        assert "claude.ai" in screen
        assert (broken / "skillstudio.toml").read_text() == 'targets = ["claude-upload"]\n'


async def test_in_a_folder_without_skills_it_says_what_to_start(
    open_studio: Open, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    async with open_studio(tmp_path / "empty", (120, 36)) as pilot:
        screen = shown(pilot)
        assert "N  new skill, from a template or from scripts" in screen
        assert "problem" not in screen.splitlines()[-1]


async def test_a_click_on_the_key_fixes_and_elsewhere_opens(
    open_studio: Open, broken: Path
) -> None:
    async with open_studio(broken, (80, 24)) as pilot:
        await pilot.press("e")
        await settled(pilot)
        row = here(pilot).cursor
        await pilot.click(Home, offset=(here(pilot).width - 2, row))
        await settled(pilot)
        assert bench(pilot).open.buffer.dirty
        await pilot.press("0")
        await settled(pilot)
        await pilot.click(Home, offset=(4, here(pilot).cursor))
        await settled(pilot)
        assert bench(pilot).open.skill == "beta"


async def test_below_a_dialog_there_are_no_keys_of_the_workbench(
    open_studio: Open, broken: Path
) -> None:
    async with open_studio(broken, (120, 36)) as pilot:
        await pilot.press("f8")
        await settled(pilot)
        assert "f2 fix" in shown(pilot).splitlines()[-1]
        await pilot.press("x")
        await seen(pilot, "esc back")
        assert shown(pilot).splitlines()[-1].strip() == "f2 apply the fix  esc back"
        await pilot.press("escape")
        await until(pilot, lambda: "f2 fix" in shown(pilot).splitlines()[-1])
