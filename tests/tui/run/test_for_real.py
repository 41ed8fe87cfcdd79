"""Runs of programs, from the workbench."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill, offered
from textual.pilot import Pilot

from skillstudio.dryrun.staging.leftovers import leftovers
from skillstudio.dryrun.traces.store import copies_folder

from ..conftest import PATIENCE, Open, bench, seen, until
from .conftest import fill, planned, to_run


async def to_run_on_copies(pilot: Pilot[int]) -> None:
    offered("copy")
    await to_run(pilot)
    found = bench(pilot)
    assert found.views.runner is not None
    found.views.runner.isolation = "copy"


@pytest.mark.slow
async def test_a_real_run_is_reported_and_leaves_nothing_behind(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_run_on_copies(pilot)
        await fill(pilot)
        await pilot.press("f5")
        screen = await planned(pilot)
        screen = await seen(pilot, "+ skill: notes.txt")
        assert "exit 0" in screen
        assert not (skills / "say" / "notes.txt").exists()
        assert leftovers(copies_folder()) == []
        assert os.listdir(copies_folder()) == []


@pytest.mark.slow
async def test_leaving_ends_everything_that_a_real_run_started(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    script = f'(trap "" TERM; while :; do sleep 0.05; date > {tmp_path}/alive; done) &\nwait\n'
    block_skill(skills / "say", script)
    async with open_studio(skills) as pilot:
        await to_run_on_copies(pilot)
        await pilot.press("r")
        await seen(pilot, "s left")
        await until(pilot, (tmp_path / "alive").exists)
        await pilot.press("ctrl+q")
    async with asyncio.timeout(PATIENCE):
        while os.listdir(copies_folder()):
            await asyncio.sleep(0.01)
    (tmp_path / "alive").unlink(missing_ok=True)
    await asyncio.sleep(0.15)
    assert not (tmp_path / "alive").exists()
