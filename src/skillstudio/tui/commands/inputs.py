"""Choices that Run and Preview share: the operation, its inputs, a recorded run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import joined, plain

if TYPE_CHECKING:
    from skillstudio.session.running.history import RunHistoryEntry
    from skillstudio.session.running.running import Runner
    from skillstudio.session.running.state import RunState
    from skillstudio.tui.widgets.preview.view import PreviewView
    from skillstudio.tui.widgets.run.view import RunView


async def _known(workbench: Workbench) -> tuple[RunView | PreviewView, Runner, RunState] | None:
    """The shown view with its current plan; None, with a notice, without one."""
    view, runner = workbench.views.run_view or workbench.views.preview_view, workbench.views.runner
    if view is None or runner is None:
        return None
    run_state = view.run_state
    if run_state is None or run_state.selection.operation != runner.operation:
        run_state = await asyncio.to_thread(runner.look, runner.selection())
    if run_state.opened is None:
        workbench.say(run_state.trouble, bad=True)
        return None
    return view, runner, run_state


async def operation(workbench: Workbench) -> None:
    """Choose the operation."""
    known = await _known(workbench)
    if known is None or known[2].opened is None:
        return
    view, runner, run_state = known
    told = {each.name: each.description for each in known[2].opened.interface.operations}
    answers = [
        Answer(
            each,
            each,
            joined(plain(each, "bold"), plain(f"  {' '.join(told.get(each, '').split())}", "dim")),
            told.get(each, ""),
        )
        for each in run_state.operations
    ]
    chosen = await workbench.app.push_screen_wait(
        Chooser("What is to be run", answers, start=run_state.selection.operation)
    )
    if chosen is not None and chosen != runner.operation:
        runner.choose(chosen)
        await view.inputs_changed()


async def sample(workbench: Workbench) -> None:
    """Load a sample into the inputs."""
    from skillstudio.session.running.state import RunRefused

    known = await _known(workbench)
    if known is None:
        return
    view, runner, run_state = known
    choices = await asyncio.to_thread(runner.samples, run_state)
    answers = [
        Answer(each.name, each.title, joined(plain(each.title), plain(f"  {each.about}", "dim")))
        for each in choices
    ]
    chosen = await workbench.app.push_screen_wait(Chooser("Inputs of a sample", answers))
    if chosen is None:
        return
    try:
        lost = runner.load(run_state, chosen)
    except RunRefused as error:
        workbench.say(str(error), bad=True)
        return
    await view.inputs_changed()
    if lost:
        workbench.say(f"no field takes {', '.join(lost)} of this sample", bad=True)


def run_answer(run: RunHistoryEntry) -> Answer:
    """A recorded run as an answer to choose: what it ran, how it ended, its id."""
    return Answer(
        run.run,
        f"{run.title} {run.run}",
        joined(plain(f"{run.title}  {run.about}"), plain(f"  {run.run}", "dim")),
        off=run.trouble,
    )
