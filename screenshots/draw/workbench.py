"""How a picture of a screen is made: the workbench without a terminal, the same on every machine.

Nothing of the machine that draws is in a picture.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from skillstudio.resources import folder
from skillstudio.tui.app import Studio
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.compare import live
from skillstudio.tui.widgets.skills_pane import SkillTree

_BACKGROUND = (
    "survey", "analysis", "completion", "hint", "the comparison", "the live comparison", "new",
    "dry-plan", "dry-run", "preview",
)  # fmt: skip
_RUN = "20261121T101500-123abcd"


@contextmanager
def studio(
    on_examples: bool = True, colours: bool = True, put: Callable[[str], None] = lambda _: None
) -> Iterator[Studio]:
    """A workbench on a copy of the examples, or on nothing. `put` puts more beside the examples.
    Raises OSError."""
    live.PAUSE = 0.01
    with tempfile.TemporaryDirectory() as place, _same_everywhere(colours):
        examples = os.path.join(place, "examples")
        shutil.copytree(folder("examples"), examples)
        put(examples)
        yield Studio(
            examples if on_examples else None,
            config=os.path.join(place, "config"),
            state=os.path.join(place, "state"),
            watch=False,
            by_hand=False,
        )


async def shoot(pilot: Pilot[int]) -> str:
    """The SVG text of what is shown, nothing in it blinking."""
    await still(pilot)
    return picture(pilot)


async def still(pilot: Pilot[int]) -> None:
    """Wait until the screen is at rest, with nothing blinking."""
    await settled(pilot)
    for screen in pilot.app.screen_stack:
        for field in screen.query(Input):
            field.cursor_blink = False
        for area in screen.query(TextArea):
            area.cursor_blink = False
    await pilot.pause()


def picture(pilot: Pilot[int]) -> str:
    """The SVG text of what is shown at this moment."""
    return pilot.app.export_screenshot(title="skillstudio")


async def settled(pilot: Pilot[int]) -> None:
    """Wait for the work in the background, but not for commands: they may wait for an answer."""
    for _ in range(2):
        await pilot.pause()
        background = [each for each in pilot.app.workers if each.group.startswith(_BACKGROUND)]
        if background:
            await pilot.app.workers.wait_for_complete(background)
        await pilot.pause()


@contextmanager
def _same_everywhere(colours: bool) -> Iterator[None]:
    """The variables that the screen heeds, the same for every user, until the picture is drawn."""
    wanted = {"NO_COLOR": None if colours else "1", "VISUAL": None, "EDITOR": "vi"}
    before = {name: os.environ.get(name) for name in wanted}
    _set_variables(wanted)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


async def open_skill(pilot: Pilot[int], skill: str) -> Workbench:
    bench = next(screen for screen in pilot.app.screen_stack if isinstance(screen, Workbench))
    tree = bench.query_one(SkillTree)
    tree.focus()
    tree.cursor = next(at for at, row in enumerate(tree.rows) if row.skill == skill)
    await pilot.press("enter")
    await settled(pilot)
    return bench


async def open_run(pilot: Pilot[int], operation: str, skill: str = "memory") -> Workbench:
    """The run view of a skill, on a machine where nothing confines."""
    bench = await open_skill(pilot, skill)
    await pilot.press("escape", "3")
    await settled(pilot)
    isolate_the_same(bench)
    if bench.views.runner is None or bench.views.run_view is None:
        raise RuntimeError("the run view is not shown")
    bench.views.runner.choose(operation)
    bench.views.run_view.refresh_soon()
    await settled(pilot)
    return bench


def isolate_the_same(bench: Workbench) -> None:
    """Let the runs of the open skill have the isolation of a machine where nothing confines."""
    from skillstudio.dryrun.isolation.host import this_host
    from skillstudio.dryrun.isolation.known_gaps import known_gaps
    from skillstudio.dryrun.isolation.levels import IsolationLevel, IsolationLevels

    if bench.views.runner is None or bench.views.run_view is None:
        raise RuntimeError("the run view is not shown")
    host = this_host()
    told = known_gaps("copy", host._replace(system="linux", root=False), False)
    levels = IsolationLevels(
        (
            IsolationLevel("plan", True, "", ()),
            IsolationLevel("copy", True, "", told),
            IsolationLevel(
                "confined", False, "this kernel has no Landlock, or it is turned off", ()
            ),
            IsolationLevel("isolated", False, "bwrap is not installed", ()),
        ),
        host,
    )
    bench.views.runner.probe = lambda: levels
    bench.views.runner.cwd = os.path.realpath(bench.session.workspace.root)
    bench.views.run_view.refresh_soon()


def put_worklog(bench: Workbench) -> None:
    """Put a worklog where a run would write another one. Raises OSError."""
    root = bench.session.workspace.root
    place = os.path.join(root, "docs", "worklogs")
    os.makedirs(place)
    template = os.path.join(root, "worklog", "templates", "worklog-template.org")
    shutil.copyfile(template, os.path.join(place, "2025-01-01-parser.org"))


async def take_sample(pilot: Pilot[int], number: int = 0) -> None:
    """Take a sample, by its number from 0."""
    from skillstudio.tui.screens.chooser import Chooser

    await pilot.press("f")
    while not isinstance(pilot.app.screen, Chooser):
        await pilot.pause()
    await pilot.press(*["down"] * number, "enter")
    await settled(pilot)
    clear_notices(pilot)


def clear_notices(pilot: Pilot[int]) -> None:
    """Remove the notices of what was done so far: how long they last depends on the machine."""
    pilot.app.clear_notifications()


async def run_through(pilot: Pilot[int], bench: Workbench) -> None:
    """Run what is chosen, to its end."""
    from skillstudio.tui.screens.dialogs import Confirm

    view = bench.views.run_view
    if view is None:
        return
    clear_notices(pilot)
    await pilot.press("f5")
    while view.report is None:
        await pilot.pause(0.02)
        if isinstance(pilot.app.screen, Confirm):
            await pilot.press("y")


@contextmanager
def hidden_clock(bench: Workbench) -> Iterator[None]:
    """Show the same run and the same time in every picture, and then those of this run again."""
    preview, view = bench.views.preview_view, bench.views.hidden_run_view
    state = preview.state if preview is not None else None
    report = view.report if view is not None else None
    hide_clock(bench)
    yield
    if preview is not None and state is not None:
        preview.show(state)
    if view is not None and report is not None:
        view.show_report(report)


def hide_clock(bench: Workbench) -> None:
    """Call the run that is shown, and how long it took, the same in every picture."""
    preview, view = bench.views.preview_view, bench.views.hidden_run_view
    if view is not None and view.report is not None:
        ended = view.report.ending._replace(duration_ms=400.0)
        run = _RUN if preview is None else view.report.run
        view.show_report(view.report._replace(ending=ended, run=run))
    if preview is not None and preview.state is not None and preview.state.report is not None:
        preview.show(preview.state._replace(about="exit 0, 0.4 s · 12:00"))
