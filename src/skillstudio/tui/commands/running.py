"""Commands of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from skillstudio.present.lines import StyledLine
from skillstudio.tui.commands import inputs as choosing
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.confirm import Confirm, ConfirmOption
from skillstudio.tui.screens.prompt import PromptDialog, ask_for_path
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import joined, plain

if TYPE_CHECKING:
    from skillstudio.session.running.history import RunHistoryEntry
    from skillstudio.session.running.running import Runner
    from skillstudio.session.running.state import RunState
    from skillstudio.tui.widgets.run.view import RunView

_HIGHEST = "\0highest"


async def start(workbench: Workbench) -> None:
    """Plan from the files on disk, ask for consent if needed, and run."""
    view, runner = workbench.views.run_view, workbench.views.runner
    if view is None or runner is None or view.is_under_way:
        return
    runner.forget()
    run_state = await asyncio.to_thread(runner.look, runner.selection())
    await view.show(run_state)
    if run_state.why_not:
        view.show_mode("plan")
        workbench.say(f"not run: {run_state.why_not}", bad=True)
        if run_state.wanting:
            await view.go_to_inputs()
        return
    if await _consents(workbench, run_state) and workbench.views.run_view is view:
        view.start(run_state)
        workbench.refresh_all()


async def start_from_preview(workbench: Workbench) -> None:
    """Go to the run view, and run what is chosen."""
    await workbench.show_view("run")
    workbench.go_to_pane("view")
    await start(workbench)


async def _consents(workbench: Workbench, run_state: RunState) -> bool:
    from skillstudio.present.plan import isolation_lines
    from skillstudio.tui.widgets.lines import lines_content

    plan = run_state.plan
    if plan is None or not plan.confirm:
        return True
    asked = [StyledLine(f"• {each}") for each in plan.confirm]
    text = lines_content([*asked, StyledLine(""), *isolation_lines(plan.isolation)])
    options = [
        ConfirmOption("no", "n", "Do not run it"),
        ConfirmOption("yes", "y", "Run it anyway"),
    ]
    return (
        await workbench.app.push_screen_wait(Confirm("This run needs your consent", text, options))
        == "yes"
    )


async def cancel(workbench: Workbench) -> None:
    """Cancel the active run, with every process that it started."""
    if workbench.views.run_view is not None:
        workbench.views.run_view.cancel()


async def inputs(workbench: Workbench) -> None:
    """Go to the form."""
    if workbench.views.run_view is not None:
        workbench.to_front("view")
        await workbench.views.run_view.go_to_inputs()


async def show(workbench: Workbench) -> None:
    """Show the next of plan, result and output."""
    if workbench.views.run_view is not None:
        workbench.views.run_view.show_next_mode()


def _known(workbench: Workbench) -> tuple[RunView, Runner, RunState] | None:
    """The view with its plan; None, with a notice, without one."""
    view, runner = workbench.views.run_view, workbench.views.runner
    if view is None or runner is None:
        return None
    if view.run_state is None or view.run_state.opened is None:
        workbench.say(
            view.run_state.trouble if view.run_state is not None else "the plan is being made"
        )
        return None
    return view, runner, view.run_state


async def save_sample(workbench: Workbench) -> None:
    """Save the inputs as a sample."""
    from skillstudio.present.plan import shown_path
    from skillstudio.session.running.state import RunRefused

    known = _known(workbench)
    if known is None:
        return
    _, runner, run_state = known
    title = "The name of the sample; what is sensitive is not in it"
    asked = PromptDialog(title, "", lambda text: "" if text.strip() else "nothing is named")
    name = await workbench.app.push_screen_wait(asked)
    if name is None:
        return
    options = [
        ConfirmOption("own", "o", "For yourself, outside the skill"),
        ConfirmOption("skill", "s", "In the skill, for skillstudio test and everyone"),
    ]
    text = Content("A sample of the same name is replaced.")
    where = await workbench.app.push_screen_wait(Confirm("Where to save it", text, options))
    if where is None:
        return
    try:
        path = await asyncio.to_thread(
            partial(runner.save, run_state, name.strip(), in_skill=where == "skill")
        )
    except RunRefused as error:
        workbench.say(f"not saved: {error}", bad=True)
        return
    workbench.say(f"saved: {shown_path(path, runner.cwd)}")


async def isolation(workbench: Workbench) -> None:
    """Choose the isolation level; each is listed with its known gaps."""
    known = _known(workbench)
    if known is None or known[2].levels is None:
        return
    view, runner, _ = known
    answers = [Answer(_HIGHEST, "strongest", plain("the strongest one available"))]
    for each in reversed(known[2].levels.all):
        about = each.reason or "; ".join(each.known_gaps) or "no known gaps"
        glyph = "✓" if each.available else "✗"
        line = joined(plain(f"{glyph} {each.id}"), plain(f"  {about}", "dim"))
        answers.append(Answer(each.id, each.id, line, about, each.reason))
    chosen = await workbench.app.push_screen_wait(
        Chooser("Isolation level", answers, start=runner.isolation or _HIGHEST)
    )
    if chosen is not None:
        runner.isolation = None if chosen == _HIGHEST else chosen
        view.look_soon()


async def workspace(workbench: Workbench) -> None:
    """Choose the workspace; a run works in a copy of it."""
    known = _known(workbench)
    if known is None:
        return
    view, runner, run_state = known
    start = run_state.plan.roots.workspace if run_state.plan is not None else runner.cwd
    title = "The workspace: a copy of this folder is worked in"
    path = await ask_for_path(workbench.app, start, title)
    if path is not None:
        runner.folder = path
        view.look_soon()


async def history(workbench: Workbench) -> None:
    """Show the result of a recorded run."""
    known = _known(workbench)
    if known is None:
        return
    chosen = await _choose_run(workbench, known, "Earlier runs")
    if chosen is not None and chosen.trace is not None:
        known[0].show_report(chosen.trace.report)
        known[0].to_focus.focus()


async def difference(workbench: Workbench) -> None:
    """Compare the shown run with another."""
    from skillstudio.dryrun.traces.difference import differences
    from skillstudio.present.run_report import difference_lines

    known = _known(workbench)
    report = known[0].report if known is not None else None
    if known is None or report is None:
        return
    runs = await asyncio.to_thread(known[1].history)
    here = next((each.trace for each in runs if each.run == report.run), None)
    if here is None:
        workbench.say("this run is not recorded, so it cannot be compared", bad=True)
        return
    chosen = await _choose_run(workbench, known, "Compare with which run?", report.run)
    if chosen is not None and chosen.trace is not None:
        old, new = sorted((here, chosen.trace), key=lambda each: each.report.run)
        rows = differences(old, new)
        known[0].show_lines(list(difference_lines(rows, old.report, new.report)))
        known[0].to_focus.focus()


async def _choose_run(
    workbench: Workbench, known: tuple[RunView, Runner, RunState], title: str, without: str = ""
) -> RunHistoryEntry | None:
    runs = [each for each in await asyncio.to_thread(known[1].history) if each.run != without]
    if not runs:
        workbench.say("no other run is recorded" if without else "no run is recorded yet")
        return None
    answers = [choosing.run_answer(each) for each in runs]
    chosen = await workbench.app.push_screen_wait(Chooser(title, answers))
    return next((each for each in runs if each.run == chosen), None)


HANDLERS: dict[str, Callable[[Workbench], Awaitable[None]]] = {
    "run.start": start,
    "run.cancel": cancel,
    "run.inputs": inputs,
    "run.operation": choosing.operation,
    "run.sample": choosing.sample,
    "run.save-sample": save_sample,
    "run.isolation": isolation,
    "run.workspace": workspace,
    "run.show": show,
    "run.history": history,
    "run.compare": difference,
    "preview.operation": choosing.operation,
    "preview.sample": choosing.sample,
    "preview.start": start_from_preview,
}
"""What each command of a run does, and those of the preview that are about one."""
