"""Preview within the workbench: a skill in a workspace, and a run of it that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dryrun.applying.ground import Tree, make
from tests.dryrun.skills import block_skill
from tests.session.kept_runs import keep_run
from tests.tui.conftest import bench, shown
from textual.pilot import Pilot

from skillstudio.tui.widgets.preview.view import PreviewView

BACKGROUND = {"survey", "analysis", "preview-look", "preview-view", "preview-search"}
BEFORE: Tree = {"notes.txt": b"one\n", "old.md": b"# Old\n"}
AFTER: Tree = {
    "notes.txt": b"one\ntwo\n",
    "out/[red]log.org": b"* Tea\n" + b"** [/] milk \x1b[31m\n" * 5,
    "out/long.txt": b"".join(b"line %d\n" % n for n in range(30_000)),
    "out/text.md": "\n\n".join(f"Part {n}." for n in range(9_000)).encode(),
    "out/wide.txt": b"x" * 85 + b"end\n",
}


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The skill `say`; the folder above it is its workspace."""
    workspace = make(tmp_path / "workspace", BEFORE)
    made = block_skill(workspace / "say", "echo\n", effects=["fs.write"])
    monkeypatch.chdir(workspace)
    return made


@pytest.fixture
def kept(skill: Path, tmp_path: Path) -> Path:
    """The skill with a recorded run."""
    keep_run(tmp_path / "state" / "runs", skill, AFTER)
    return skill


def view(pilot: Pilot[int]) -> PreviewView:
    found = bench(pilot)
    assert found.views.preview_view is not None
    return found.views.preview_view


async def settled(pilot: Pilot[int]) -> str:
    """What is shown once the table and the view show what was requested."""
    while True:
        await pilot.pause()
        background = [each for each in pilot.app.workers if each.group in BACKGROUND]
        if background:
            await pilot.app.workers.wait_for_complete(background)
        await pilot.pause()
        if view(pilot).is_settled:
            await pilot.pause()
            return shown(pilot)


async def to_preview(pilot: Pilot[int], *keys: str) -> str:
    """Open Preview of the skill that is there, and press keys one by one."""
    await pilot.press("escape", "4")
    screen = await settled(pilot)
    for key in keys:
        await pilot.press(key)
        screen = await settled(pilot)
    return screen
