"""Panes: their sizes by the width of the screen, the mode that moves edges, and wide screens."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from skillstudio.session.layout import Sizes, pane_sizes, remember_sizes
from skillstudio.tui.screens.resize import ResizeScreen

from .conftest import Open, bench, seen, settled, shown, until

WIDE, WIDER, WIDEST = (120, 36), (170, 40), (240, 40)


def region(pilot: Pilot[int], pane: str) -> Region:
    """Where a pane is; an empty region if it is not on the screen."""
    widget = bench(pilot).panes.widget(pane)
    return widget.region if widget is not None else Region()


@pytest.mark.slow
async def test_arrows_move_the_edges_of_the_panes(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    async with open_studio(skills / "alpha", WIDE) as pilot:
        await pilot.press("s")
        before = region(pilot, "skills").width, region(pilot, "problems").height
        await pilot.press("equals_sign", "right", "l", "left", "up", "k", "up", "down")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ResizeScreen)
        assert "←→ move the edge" in shown(pilot)
        assert region(pilot, "skills").width == before[0] + 2
        assert region(pilot, "problems").height == before[1] + 2
        await pilot.press("0")
        await settled(pilot)
        assert (region(pilot, "skills").width, region(pilot, "problems").height) == before
        await pilot.press("right", "escape")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)
    assert pane_sizes(str(tmp_path / "state")) == {"wide": {"skills": before[0] + 2}}


@pytest.mark.slow
async def test_the_edge_of_a_pane_beside_the_text_moves_with_the_arrow(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha", WIDER) as pilot:
        await seen(pilot, "What the edit means")
        side = region(pilot, "side").width
        await pilot.press("s", "equals_sign", "tab", "tab", "tab", "left")
        await settled(pilot)
        assert bench(pilot).panes.here == "side"
        assert region(pilot, "side").width == side + 2
        await pilot.press("escape", "z")
        await settled(pilot)
        assert region(pilot, "side").width == WIDER[0]
        assert "z all panes" in shown(pilot)
        await pilot.press("z")
        await settled(pilot)
        assert region(pilot, "side").width == side + 2


@pytest.mark.slow
async def test_sizes_belong_to_the_width_of_the_screen(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    sizes: Sizes = {"wide": {"skills": 40}, "wider": {"skills": 50, "side": 44}}
    remember_sizes(str(tmp_path / "state"), sizes)
    async with open_studio(skills, WIDE) as pilot:
        assert region(pilot, "skills").width == 40
        await pilot.resize_terminal(*WIDER)
        await until(pilot, lambda: region(pilot, "side").width == 44)
        assert region(pilot, "skills").width == 50
        await pilot.resize_terminal(*WIDEST)
        await until(pilot, lambda: region(pilot, "skills").width == 30)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert region(pilot, "skills").width == 80, "one pane at a time"


async def test_no_pane_is_dragged_away(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", WIDER) as pilot:
        await seen(pilot, "What the edit means")
        for pane in ("skills", "side"):
            for size in (1, 500):
                bench(pilot).panes.set_size(pane, size)
                await settled(pilot)
                assert region(pilot, pane).width >= 16
                assert region(pilot, "view").width >= WIDER[0] // 3


@pytest.mark.slow
async def test_a_very_wide_screen_has_two_panes_beside_the_text(
    open_studio: Open, skills: Path
) -> None:
    file = skills / "alpha" / "SKILL.md"
    file.write_text(file.read_text() + "\nRun `make`.\n")
    async with open_studio(skills / "alpha", WIDEST) as pilot:
        screen = await seen(pilot, "What the edit means", "As agents see it", "Packed files")
        assert screen.count("Always in context") == 1
        assert "Run make." in screen, "the body is rendered"
        await pilot.press("s", "f6", "f6", "f6", "f6")
        await settled(pilot)
        assert bench(pilot).panes.here == "card"
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: not region(pilot, "card"))
        assert bench(pilot).focused is not None, "the focus is in another pane"


async def test_a_wide_screen_shows_the_skill_that_is_selected(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, WIDER) as pilot:
        await seen(pilot, "alpha: as agents see it", "alpha: Does one thing well.")
        await pilot.press("down")
        await seen(pilot, "beta: as agents see it", "beta: Does one thing well.")
        (skills / "alpha" / "SKILL.md").write_bytes(b"\xff\xfe\x00")
        await pilot.press("up")
        await seen(pilot, "alpha: as agents see it")
