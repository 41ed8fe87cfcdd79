"""An operation for a script, added to the manifest from the palette."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_scripts import BLOCK, SCRIPT
from textual.pilot import Pilot

from .conftest import NARROW_FIRST, Open, bench, seen, settled

PLAIN = "---\nname: words\ndescription: Counts words. Use when a text is measured.\n---\n"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "skills" / "words"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "count.py").write_text(SCRIPT)
    text = f"{PLAIN}\n```skill-manifest\n{json.dumps(BLOCK, indent=2)}\n```\n"
    (folder / "SKILL.md").write_text(text)
    return folder


async def choose(pilot: Pilot[int]) -> None:
    """Choose the command in the palette."""
    await settled(pilot)
    await pilot.press("ctrl+p", *"operation")
    await seen(pilot, "skill: Add an operation…")
    await pilot.press("enter")
    await settled(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_a_script_becomes_an_operation_in_one_undo_step(
    open_studio: Open, skill: Path, size: tuple[int, int]
) -> None:
    before = (skill / "SKILL.md").read_text()
    async with open_studio(skill, size) as pilot:
        await choose(pilot)
        await seen(pilot, "Add an operation for which script?", "scripts/count.py")
        await pilot.press("enter")
        await seen(pilot, "operation count added")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        block = json.loads(buffer.text.split("```")[1].partition("\n")[2])
        assert list(block["operations"]) == ["count"]
        assert set(block["operations"]["count"]["input"]) == {"file", "limit"}
        assert (skill / "SKILL.md").read_text() == before
        await pilot.press("ctrl+z")
        assert buffer.text == before


@pytest.mark.slow
async def test_a_first_manifest_is_added_and_a_skill_without_scripts_says_so(
    open_studio: Open, skill: Path
) -> None:
    (skill / "SKILL.md").write_text(PLAIN)
    async with open_studio(skill, (80, 24)) as pilot:
        await choose(pilot)
        await pilot.press("enter")
        await seen(pilot, "operation count added")
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert '"count"' in buffer.text.removeprefix(PLAIN)
        (skill / "scripts" / "count.py").unlink()
        await choose(pilot)
        await seen(pilot, "the skill has no scripts")
