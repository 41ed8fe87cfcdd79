"""Run within the workbench: skills to run, fixed isolation levels, runs that wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.skills import block_skill
from tests.dryrun.traces.conftest import REPORT
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.levels import IsolationLevel, IsolationLevels
from skillstudio.dryrun.report import RunEnding, RunReport
from skillstudio.dryrun.run import Listener
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.session.running.running import FinishedRun, Runner
from skillstudio.session.running.state import RunState
from skillstudio.tui.widgets.run.view import RunView

from ..conftest import bench, settled, shown

INPUTS = {
    "text": {"type": "string", "required": True, "description": "What to say"},
    "times": {"type": "integer", "required": False, "default": 1},
}
SAY = 'echo "$1" >> notes.txt\necho "said $1"\n'
GAP = "It sees every file of this user."
GOOD = REPORT._replace(effects=(), repeat_changes=(), again=None)


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the skill `say`, which is the current one."""
    folder = tmp_path / "skills"
    block_skill(folder / "say", SAY, inputs=INPUTS, effects=["fs.write"])
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with no isolation level above `copy`; nothing is tried out."""
    known = (
        IsolationLevel("plan", True, "", ()),
        IsolationLevel("copy", True, "", (GAP,)),
        IsolationLevel("confined", False, "this kernel has no Landlock", ()),
        IsolationLevel("isolated", False, "bwrap is not installed", ()),
        IsolationLevel("wasm", False, "the extra wasm is not installed", ()),
    )
    host = Host(*[None] * len(Host._fields))  # type: ignore[arg-type]
    levels = IsolationLevels(known, host)
    monkeypatch.setattr("skillstudio.session.running.running.probe_isolation", lambda: levels)


class Held:
    """Runs that print given lines and go on until they are released or cancelled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prints = b""
        self.errors = b""
        self.report: RunReport | Exception = GOOD
        self.gate = threading.Event()
        self.gate.set()
        self.started: list[RunState] = []
        self.cancelled = threading.Event()

    def run(self, run_state: RunState, cancel: threading.Event, listener: Listener) -> FinishedRun:
        self.started.append(run_state)
        listener.stage("running")
        output = ProgramOutput(str(self.folder))
        output.stdout.feed(self.prints)
        output.stderr.feed(self.errors)
        listener.output(output)
        while not self.gate.wait(0.01) and not cancel.is_set():
            pass
        output.close()
        if isinstance(self.report, Exception):
            raise self.report
        if cancel.is_set():
            self.cancelled.set()
            return FinishedRun(
                self.report._replace(ending=RunEnding(None, "SIGTERM", cancelled=True))
            )
        return FinishedRun(self.report)


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """No run is real: each is one that is held."""
    folder = tmp_path / "printed"
    folder.mkdir()
    made = Held(folder)

    def run(_: Runner, *given: Any) -> FinishedRun:
        return made.run(*given)

    monkeypatch.setattr(Runner, "run", run)
    yield made
    made.gate.set()


def view(pilot: Pilot[int]) -> RunView:
    found = bench(pilot)
    assert found.views.run_view is not None
    return found.views.run_view


async def planned(pilot: Pilot[int]) -> str:
    """What is shown once the plan is of what is typed, and no run goes on."""
    while True:
        await settled(pilot)
        if view(pilot).is_settled and not view(pilot).is_under_way:
            await pilot.pause()
            return shown(pilot)


async def fill(pilot: Pilot[int], text: str = "hello") -> str:
    """Type into the first field that wants something."""
    await pilot.press("e")
    await settled(pilot)
    field = pilot.app.screen.focused
    assert isinstance(field, Input)
    field.insert_text_at_cursor(text)
    return await planned(pilot)


async def to_run(pilot: Pilot[int]) -> str:
    """Open the skill that is there, and Run of it."""
    await settled(pilot)
    await pilot.press("escape", "3")
    return await planned(pilot)
