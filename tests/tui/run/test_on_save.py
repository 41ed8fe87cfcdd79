"""Run on save: after each save the last operation runs again, one run at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from skillstudio.tui.widgets.lines import KeyLine

from ..conftest import NARROW_FIRST, Open, bench, settled, shown, until
from .conftest import Held, fill, planned, to_run

pytestmark = pytest.mark.usefixtures("levels")


async def save_change(pilot: Pilot[int]) -> None:
    await pilot.press("x", "ctrl+s")
    await settled(pilot)


def is_idle(pilot: Pilot[int]) -> bool:
    wanted = bench(pilot).views.on_save
    return wanted is None or not wanted.is_busy


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_each_save_runs_again_and_never_two_at_once(
    open_studio: Open, skills: Path, held: Held, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        await to_run(pilot)
        await pilot.press("L")
        await until(pilot, lambda: any("not now" in n.message for n in pilot.app._notifications))
        assert bench(pilot).views.on_save is None, "an input is missing"
        await fill(pilot)
        await pilot.press("f5")
        await planned(pilot)
        assert len(held.started) == 1
        await bench(pilot).open_file("say", "go.script")
        await bench(pilot).go_to_view("edit")
        await pilot.press("alt+f5")
        await until(pilot, lambda: bench(pilot).views.on_save is not None)
        pilot.app.clear_notifications()  # They take the room of keys.
        await pilot.pause()
        assert "alt+f5 ↻ runs on save" in bench(pilot).query_one(KeyLine).render().plain
        assert "Run ↻✓" in shown(pilot)

        held.gate.clear()
        await save_change(pilot)
        await until(pilot, lambda: len(held.started) == 2)
        editor = bench(pilot).views.editor
        assert editor is not None
        assert editor.has_focus, "the text keeps the focus"
        for _ in range(3):
            await save_change(pilot)
        assert len(held.started) == 2, "the active run ends first"
        held.gate.set()
        await until(pilot, lambda: len(held.started) == 3 and is_idle(pilot))
        assert len(held.started) == 3, "saves during a run are one run after it"

        await pilot.press("alt+f5")
        await until(pilot, lambda: bench(pilot).views.on_save is None)
        assert "↻" not in shown(pilot)
        await save_change(pilot)
        assert len(held.started) == 3


@pytest.mark.slow
async def test_the_key_line_turns_it_off_by_a_click(
    open_studio: Open, skills: Path, held: Held
) -> None:
    async with open_studio(skills) as pilot:
        await to_run(pilot)
        await fill(pilot)
        await pilot.press("f5")
        await planned(pilot)
        await pilot.press("L")
        await until(pilot, lambda: bench(pilot).views.on_save is not None)
        pilot.app.clear_notifications()  # They cover the line.
        await pilot.pause()
        line = bench(pilot).query_one(KeyLine)
        shown(pilot)  # The places of the keys are known once the line is drawn.
        start = next(place.start for place in line.places if place.hint.command == "run.watch")
        await pilot.click(KeyLine, offset=(start + 1, 0))
        await until(pilot, lambda: bench(pilot).views.on_save is None)
