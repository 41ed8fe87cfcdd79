"""With nothing open: recent folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill

from .conftest import SIZES, Open, bench, seen


@pytest.mark.slow_cases("size1")
@pytest.mark.parametrize("size", SIZES)
async def test_a_recent_folder_is_opened_by_its_number(
    open_studio: Open, tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = block_skill(tmp_path / "[red]one", "echo\n")
    monkeypatch.chdir(tmp_path)
    folders = [str(tmp_path), str(skill), str(tmp_path / "removed")]
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "recent.json").write_text(json.dumps(folders))
    async with open_studio(None, size) as pilot:
        screen = await seen(pilot, " 1  [red]one")
        assert " 2 " not in screen, "this folder is listed already, and the other was removed"
        await pilot.press("2")
        await pilot.press("1")
        await seen(pilot, "SKILL.md")
        assert bench(pilot).session.workspace.root == str(skill)
