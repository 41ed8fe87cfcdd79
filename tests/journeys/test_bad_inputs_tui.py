"""Bad input in the workbench: it stays alive, says what is wrong, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.journeys.bad_inputs import BAD_INPUTS, Bad, bytes_below, permissions, steering, titles
from tests.tui.conftest import Open, bench, open_studio, settled, shown

__all__ = ["open_studio", "permissions"]

SIZE = (80, 24)
MOST_TYPED = 20_000
"""Longer texts are opened and not typed in: each keystroke checks them anew."""

SAID = {
    "an empty folder": "no skill",
    "a web project's manifest.json": "no skill",
    "a browser extension's manifest.json": "no skill",
    "SKILL.md links to itself": "Too many levels",
    "SKILL.md links to nothing": "No such file or directory",
    "a folder that nobody may list": "inner cannot be listed",
    "a skill that nobody may list": "inner cannot be listed",
    "a SKILL.md that nobody may read": "Permission denied",
    "a FIFO named SKILL.md": "not a regular file",
    "a folder named SKILL.md": "Is a directory",
    "settings that are broken": "skillstudio.toml:1:1",
}
"""What cannot be a problem of an open skill is a message."""


@pytest.mark.slow
@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize(
    "bad",
    BAD_INPUTS,
    ids=titles(),
)
async def test_the_workbench_says_what_is_wrong(
    bad: Bad, open_studio: Open, tmp_path: Path
) -> None:
    folder = tmp_path / "workspace" / "plain"
    folder.mkdir(parents=True)
    bad.build(folder)
    before = bytes_below(tmp_path / "workspace")
    async with open_studio(folder, SIZE) as pilot:
        screen = shown(pilot)
        assert steering(screen) == set()
        if bad.title in SAID:
            assert SAID[bad.title] in " ".join(screen.replace("▌", " ").split())
        else:
            analysis = bench(pilot).open.analysis
            assert analysis is not None
            rules = {each.rule for each in analysis.diagnostics}
            assert rules == {each.split()[0] for each in bad.found.split(", ") if each}
        buffer = bench(pilot).open.buffer
        if buffer is not None and not buffer.read_only and len(buffer.text) < MOST_TYPED:
            text = buffer.text
            await pilot.press("e", "x")
            await pilot.pause()
            assert buffer.text != text
            await pilot.press("ctrl+z", "ctrl+s")
            await pilot.pause()
            assert buffer.text == text
        await pilot.press("ctrl+q")
        await settled(pilot)
        assert pilot.app.failure is None
        assert pilot.app.return_value == 0
    assert bytes_below(tmp_path / "workspace") == before
