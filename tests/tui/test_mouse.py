"""The mouse: what has a key answers a click, text is selected and copied, and it can be off."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget

from skillstudio.tui.screens.chooser import Chooser
from skillstudio.tui.screens.conflict import ConflictScreen
from skillstudio.tui.screens.dialogs import Confirm
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.editor.editor import ManifestEditor
from skillstudio.tui.widgets.lines import KeyLine
from skillstudio.tui.widgets.pane import TabBar
from skillstudio.tui.widgets.rows import Rows

from .conftest import NARROW_FIRST, Open, bench, read, settled, shown, until


async def click_key(pilot: Pilot[int], command: str) -> None:
    """Click on the key of a command in the key line."""
    pilot.app.clear_notifications()  # They cover the line.
    await pilot.pause()
    line = bench(pilot).query_one(KeyLine)
    shown(pilot)  # The places of the keys are known once the line is drawn.
    start = next(place.start for place in line.places if place.hint.command == command)
    await pilot.click(line, offset=(start + 1, 0))
    await settled(pilot)


def keys_of_dialog(pilot: Pilot[int]) -> tuple[Widget, tuple[int, int]]:
    """Where `esc` is in the line of keys of a dialog."""
    line = pilot.app.screen.query_one(KeyLine)
    shown(pilot)  # The places of the keys are known once the line is drawn.
    place = next(place for place in line.places if place.hint.key == "esc")
    return line, (place.start + 1, place.row)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_tabs_keys_answers_and_dialog_keys_answer_a_click(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills / "alpha", size) as pilot:
        bar = bench(pilot).query_one("#views", TabBar)
        for view in ("form", "run", "preview", "compare", "tests", "edit"):
            start = next(start for start, _, id_ in bar.places if id_ == f"view.{view}")
            await pilot.click(bar, offset=(start + 1, 0))
            await settled(pilot)
            assert bench(pilot).views.current_view == view
        await click_key(pilot, "help.show")
        assert isinstance(pilot.app.screen, Chooser)
        await pilot.press("escape", "enter", "x")
        for answer in (keys_of_dialog, lambda pilot: (pilot.app.screen.query_one(Rows), (2, 0))):
            await pilot.press("ctrl+q")
            await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
            widget, offset = answer(pilot)
            await pilot.click(widget, offset=offset)
            await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))


async def test_the_banner_of_a_conflict_answers_a_click(open_studio: Open, skills: Path) -> None:
    file = skills / "alpha" / "SKILL.md"
    async with open_studio(skills / "alpha") as pilot:
        await pilot.press("enter", "x")
        file.write_text(file.read_text() + "more\n")
        bench(pilot).look_at_disk(frozenset({str(file)}))
        await settled(pilot)
        await pilot.click("#banner")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConflictScreen))


async def drag(pilot: Pilot[int], widget: Widget, start: Offset, end: Offset) -> None:
    """Press the mouse at a place of a widget, move it to another, and release it there."""
    await pilot.mouse_down(widget, offset=start)
    await pilot.hover(widget, offset=end)
    await pilot.mouse_up(widget, offset=end)
    await settled(pilot)


@pytest.mark.slow
async def test_a_drag_in_the_text_selects_and_copies(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        editor = bench(pilot).query_one(ManifestEditor)
        left = editor.gutter_width
        await drag(pilot, editor, Offset(left, 1), Offset(left + 4, 1))
        assert editor.selected_text == pilot.app.clipboard == "name"
        assert "sent “name”, 4 characters, to the terminal's clipboard" in shown(pilot)
        await pilot.click(editor, offset=(left + 2, 2))
        await settled(pilot)
        assert pilot.app.clipboard == "name", "a click copies nothing"
        pilot.app.copy_to_clipboard("")
        pilot.app.clear_notifications()
        editor.focus()
        editor.action_select_all()
        await settled(pilot)
        assert " ^c copy" in bench(pilot).query_one(KeyLine).render().plain
        await pilot.press("ctrl+c")
        assert pilot.app.clipboard == editor.text


async def test_a_drag_in_a_list_copies_and_opens_nothing(open_studio: Open, skills: Path) -> None:
    (skills / "alpha" / "SKILL.md").write_text("---\nname: other\ndescription: Does.\n---\n# A\n")
    async with open_studio(skills, (120, 36)) as pilot:
        tree = bench(pilot).skills_pane.skill_tree
        shown(pilot)  # A selection is found by what was drawn.
        # As the terminal sends it: a pilot's button makes no click of a drag.
        x, y = tree.content_region.x + 1, tree.content_region.y + 1
        await read(pilot, f"\x1b[<0;{x + 2};{y}M\x1b[<32;{x + 6};{y + 1}M")
        await read(pilot, f"\x1b[<0;{x + 6};{y + 1}m")
        await settled(pilot)
        assert pilot.app.clipboard == "✗ other               1\n▸ ✓ bet"
        assert bench(pilot).open.skill is None, "the end of a drag is no click"
        await pilot.click(tree, offset=(6, 1))
        await settled(pilot)
        assert bench(pilot).open.skill == "beta"


async def test_a_double_click_on_a_skill_goes_into_its_text(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        tree = bench(pilot).skills_pane.skill_tree
        await pilot.click(tree, offset=(6, 0), times=2)
        await until(pilot, lambda: bench(pilot).is_in_text)
        assert bench(pilot).open.skill == "alpha"


async def test_a_dragged_edge_copies_nothing(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha") as pilot:
        pane = bench(pilot).query_one("#skills-pane")
        shown(pilot)
        right = pane.region.right - 1
        await drag(pilot, bench(pilot), Offset(right, 3), Offset(right + 9, 12))
        assert pane.region.right == right + 10
        assert pilot.app.clipboard == ""


async def test_the_mouse_can_be_off(open_studio: Open, skills: Path) -> None:
    (skills / "skillstudio.toml").write_text("[editor]\nmouse = false\n")
    async with open_studio(skills / "alpha") as pilot:
        bar = bench(pilot).query_one("#views", TabBar)
        start = next(start for start, _, id_ in bar.places if id_ == "view.form")
        # As the terminal sends it: a pilot's click does not pass the application.
        place = f"{bar.region.x + start + 2};{bar.region.y + 1}"
        click = f"\x1b[<0;{place}M\x1b[<0;{place}m"
        await read(pilot, click)
        assert bench(pilot).views.current_view == "edit"
        (skills / "skillstudio.toml").write_text("")
        bench(pilot).look_at_disk(frozenset({str(skills / "skillstudio.toml")}))
        await settled(pilot)
        await read(pilot, click)
        await until(pilot, lambda: bench(pilot).views.current_view == "form")
