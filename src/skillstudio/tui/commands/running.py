"""Commands of a run, and the choices that Run and Preview share."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from skillstudio.present.lines import StyledLine
from skillstudio.present.samples import folder_text, names_text
from skillstudio.session.running.state import RunRefused
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.dialogs import (
    Confirm,
    ConfirmOption,
    PromptDialog,
    anyway,
    ask_for_path,
    nonempty,
)
from skillstudio.tui.screens.workbench import Handler, Workbench
from skillstudio.tui.widgets.views import RunOnSave
from skillstudio.tui.words import join, plain

if TYPE_CHECKING:
    from skillstudio.dryrun.report import RunReport
    from skillstudio.session.running.history import RunHistoryEntry
    from skillstudio.session.running.running import Runner
    from skillstudio.session.running.state import RunState
    from skillstudio.tui.widgets.preview.view import PreviewView
    from skillstudio.tui.widgets.run.view import RunView

_STRONGEST = "\0strongest"


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
        missing = [
            field.label for field in run_state.problem_fields if field.state.status == "missing"
        ]
        if missing and len(missing) == len(run_state.problem_fields) and not run_state.is_faulty:
            workbench.say(f"fill in {names_text(missing)}, then run it")
        else:
            workbench.say(f"not run: {run_state.why_not}", bad=True)
        if run_state.problem_fields and not run_state.is_faulty:
            await view.go_to_inputs()
        return
    if await _consents(workbench, run_state) and workbench.views.run_view is view:
        view.start(run_state)
        workbench.refresh_all()


async def start_from_preview(workbench: Workbench) -> None:
    """Go to the run view, and run the chosen operation."""
    await workbench.go_to_view("run")
    await start(workbench)


async def run_again(workbench: Workbench) -> None:
    """Run the last operation again; the only one, or a chosen one, if none was run."""
    await workbench.go_to_view("run")
    view = workbench.views.run_view
    if view is None:
        return
    if view.is_under_way:
        workbench.say("not now: a run is active")
        return
    if view.report is None:
        current = await _current(workbench)
        if current is None:
            return
        if len(current[2].operations) > 1 and not await operation(workbench):
            return
    await start(workbench)


async def watch(workbench: Workbench) -> None:
    """Run the last operation again on each save from now on, or stop that."""
    views, skill = workbench.views, workbench.open.skill
    if views.on_save is not None or skill is None:
        views.on_save = None
        workbench.say("run on save is off")
        _show_options(workbench)
        return
    view = await views.loaded_run_view()
    current = await _current(workbench)
    if current is None:
        return
    if view.report is None and len(current[2].operations) > 1 and not await operation(workbench):
        return
    run_state = await asyncio.to_thread(current[1].look, current[1].selection())
    if run_state.plan is None or run_state.why_not:
        workbench.say(f"not now: {run_state.why_not}")
        return
    if await _consents(workbench, run_state):
        views.on_save = RunOnSave(skill, run_state.plan.confirm)
        name = run_state.selection.operation
        workbench.say(f"run on save is on: each save runs {name or 'the operation'}")
        _show_options(workbench)


def _show_options(workbench: Workbench) -> None:
    if workbench.views.run_view is not None:
        workbench.views.run_view.show_options()
    workbench.refresh_all()


def run_after_save(workbench: Workbench, path: str) -> None:
    """Run the last operation again, if that is wanted, after a file was saved."""
    run_on_save = workbench.views.on_save
    if run_on_save is None or run_on_save.skill != workbench.open.skill:
        return
    if not path.startswith(workbench.open.folder + os.sep):
        return
    run_on_save.is_wanted = True
    if not run_on_save.is_busy:
        run_on_save.is_busy = True
        workbench.run_worker(
            _run_saved(workbench, run_on_save), group="run-on-save", exit_on_error=False
        )


async def _run_saved(workbench: Workbench, run_on_save: RunOnSave) -> None:
    """Run until nothing was saved since the last plan; never two at once."""
    try:
        while run_on_save.is_wanted and workbench.views.on_save is run_on_save:
            view, runner = await workbench.views.loaded_run_view(), workbench.views.runner
            await view.wait_until_idle()
            run_on_save.is_wanted = False
            if runner is None or runner.skill != run_on_save.skill:
                return
            runner.forget()
            run_state = await asyncio.to_thread(runner.look, runner.selection())
            await view.show(run_state)
            if view.is_under_way:  # The user started one meanwhile.
                run_on_save.is_wanted = True
            elif run_state.why_not:
                workbench.say(f"not run: {run_state.why_not}", bad=True)
            elif (
                run_state.plan is not None
                and run_state.plan.confirm != run_on_save.accepted_reasons
            ):
                workbench.say("not run: the plan needs your consent; run it yourself", bad=True)
            else:
                view.start(run_state, focus=False)
                workbench.refresh_all()
                await view.wait_until_idle()
    finally:
        run_on_save.is_busy = False


async def _consents(workbench: Workbench, run_state: RunState) -> bool:
    from skillstudio.present.plan import isolation_lines
    from skillstudio.tui.widgets.lines import lines_content

    plan = run_state.plan
    if plan is None or not plan.confirm:
        return True
    reason_lines = [StyledLine(f"• {reason}") for reason in plan.confirm]
    text = lines_content([*reason_lines, StyledLine(""), *isolation_lines(plan.isolation)])
    dialog = anyway("This run needs your consent", text, "Run it anyway", "Do not run it")
    return await workbench.ask(dialog) == "yes"


async def cancel(workbench: Workbench) -> None:
    """Cancel the active run, with every process that it started."""
    if workbench.views.run_view is not None:
        workbench.views.run_view.cancel()


async def show(workbench: Workbench) -> None:
    """Show the next of plan, result and output."""
    if workbench.views.run_view is not None:
        workbench.views.run_view.show_next_mode()


async def inputs(workbench: Workbench) -> None:
    """Go to the form of the inputs."""
    view = workbench.views.run_view or workbench.views.preview_view
    if view is not None:
        workbench.to_front("view")
        await view.go_to_inputs()


async def _current(workbench: Workbench) -> tuple[RunView | PreviewView, Runner, RunState] | None:
    """The shown view with its current plan; None, with a notice, if there is none."""
    views, runner = workbench.views, workbench.views.runner
    view = views.run_view or views.preview_view or await views.loaded_run_view()
    if runner is None:
        return None
    run_state = view.run_state
    if run_state is None or run_state.selection.operation != runner.operation:
        run_state = await asyncio.to_thread(runner.look, runner.selection())
    if run_state.disk_skill is None:
        workbench.say(run_state.trouble, bad=True)
        return None
    return view, runner, run_state


async def operation(workbench: Workbench) -> bool:
    """Choose the operation. Whether one was chosen."""
    current = await _current(workbench)
    if current is None or current[2].disk_skill is None:
        return False
    view, runner, run_state = current
    about = {
        declaration.name: declaration.description
        for declaration in current[2].disk_skill.interface.operations
    }
    answers = []
    widest = max(map(len, run_state.operations), default=0)
    for name in run_state.operations:
        text = about.get(name, "")
        line = join(plain(f"{name:<{widest}}", "bold"), plain(f"  {' '.join(text.split())}", "dim"))
        answers.append(Answer(name, name, line, text))
    chooser = Chooser("Which operation?", answers, start=run_state.selection.operation)
    answer = await workbench.ask(chooser)
    if answer is not None and answer != runner.operation:
        runner.choose(answer)
        await view.inputs_changed()
    return answer is not None


async def sample(workbench: Workbench) -> None:
    """Load a sample into the inputs."""

    if (current := await _current(workbench)) is None:
        return
    view, runner, run_state = current
    choices = await asyncio.to_thread(runner.samples, run_state)
    widest = max((len(choice.label) for choice in choices), default=0)
    answers = [
        Answer(value, label, join(plain(f"{label:<{widest}}"), plain(f"  {about}", "dim")), about)
        for label, value, about in choices
    ]
    answer = await workbench.ask(Chooser("Inputs of a sample", answers))
    if answer is None:
        return
    try:
        ignored_names = runner.load(run_state, answer)
    except RunRefused as error:
        workbench.say(str(error), bad=True)
        return
    await view.inputs_changed()
    if (loaded_sample := runner.selection().sample) is not None:
        workbench.say(f"{loaded_sample.name} runs in its own folder: {folder_text(loaded_sample)}")
    if ignored_names:
        workbench.say(
            f"ignored values of the sample without an input: {', '.join(ignored_names)}", bad=True
        )


async def save_sample(workbench: Workbench) -> None:
    """Save the inputs as a sample."""
    from skillstudio.present.plan import shown_path

    if (current := await _current(workbench)) is None:
        return
    _, runner, run_state = current
    title = "The name of the sample; sensitive values are not saved"
    name = await workbench.ask(PromptDialog(title, "", nonempty("enter a name")))
    if name is None:
        return
    options = [
        ConfirmOption("own", "o", "For yourself, outside the skill"),
        ConfirmOption("skill", "s", "In the skill, for skillstudio test and everyone"),
    ]
    text = Content("A sample of the same name is replaced.")
    where = await workbench.ask(Confirm("Where to save it", text, options))
    if where is None:
        return
    try:
        path = await asyncio.to_thread(runner.save, run_state, name.strip(), where == "skill")
    except RunRefused as error:
        workbench.say(f"not saved: {error}", bad=True)
        return
    workbench.say(f"saved: {shown_path(path, runner.cwd)}")


async def isolation(workbench: Workbench) -> None:
    """Choose the isolation level; each is listed with its known gaps."""
    current = await _current(workbench)
    if current is None or current[2].levels is None:
        return
    view, runner, _ = current
    answers = [Answer(_STRONGEST, "strongest", plain("the strongest one available"))]
    for level in reversed(current[2].levels.all):
        about = level.reason or "; ".join(level.known_gaps) or "no known gaps"
        glyph = "✓" if level.available else "✗"
        line = join(plain(f"{glyph} {level.id}"), plain(f"  {about}", "dim"))
        answers.append(Answer(level.id, level.id, line, about, level.reason))
    chooser = Chooser("Isolation level", answers, start=runner.isolation or _STRONGEST)
    answer = await workbench.ask(chooser)
    if answer is not None:
        runner.isolation = None if answer == _STRONGEST else answer
        view.refresh_soon()


async def workspace(workbench: Workbench) -> None:
    """Choose the workspace; a run works in a copy of it."""
    if (current := await _current(workbench)) is None:
        return
    view, runner, run_state = current
    start = run_state.plan.roots.workspace if run_state.plan is not None else runner.cwd
    path = await ask_for_path(workbench.app, start, "The workspace: the run changes a copy of it")
    if path is not None:
        runner.choose_folder(path)
        view.refresh_soon()


async def details(workbench: Workbench) -> None:
    """Show everything of the report, or only what a reviewer needs."""
    if workbench.views.run_view is not None:
        workbench.views.run_view.toggle_details()


async def open_line(workbench: Workbench) -> None:
    """Go to the line of the skill that failed."""
    view = workbench.views.run_view
    if view is not None and view.reason.path:
        await workbench.go_to_line(view.reason.path, view.reason.line)


async def adopt(workbench: Workbench) -> None:
    """Update the manifest from the run that is shown."""
    view = workbench.views.run_view
    if view is not None and view.report is not None:
        await adopt_run(workbench, view.report)


async def adopt_run(workbench: Workbench, report: RunReport) -> None:
    """Select observed behaviour, show the diff, and update the manifest as one undo step."""
    from skillstudio.dryrun.adopting.findings import AdoptRefused
    from skillstudio.session.previewing.adopt import make_offer
    from skillstudio.tui.screens.adopt import AdoptScreen

    runner, skill = workbench.views.runner, workbench.open.skill
    if runner is None or skill is None or not workbench.views.settle():
        return
    workspace = workbench.session.workspace
    try:
        unsaved_texts = workbench.session.find_unsaved_texts()
        tree, names = (
            workspace.files(skill, unsaved_texts),
            runner.find_unsaved_files(unsaved_texts),
        )
        settings, folder = workspace.settings(skill), os.path.realpath(workspace.path(skill))
        offer = await asyncio.to_thread(make_offer, report, folder, tree, settings, names)
    except (AdoptRefused, OSError) as error:
        workbench.say(f"not adopted: {error}", bad=True)
        return
    adoption = await workbench.ask(AdoptScreen(f"Adopt what run {report.run} showed", offer))
    if adoption is None or not await workbench.replace(
        skill, adoption.path, adoption.old, adoption.splices, "Adopt what a run showed"
    ):
        return
    if workbench.views.editor is not None and adoption.splices:
        workbench.views.editor.go_to(min(splice.start for splice in adoption.splices))
    workbench.say(f"Added to {adoption.path} (not saved)")


async def explore(workbench: Workbench) -> None:
    """Open a shell in the result of the run that is shown, in place of the workbench."""
    from skillstudio.tui.external import run_outside

    view, runner = workbench.views.run_view, workbench.views.runner
    if view is None or runner is None or view.report is None:
        return
    report = view.report
    try:
        await asyncio.to_thread(runner.check_result, report.run)
    except RunRefused as error:
        workbench.say(str(error), bad=True)
        return
    argv = [sys.executable, "-m", "skillstudio", "trace", "explore", report.run]
    if trouble := run_outside(workbench.app, argv, report.plan.roots.workspace):
        workbench.say(trouble, bad=True)


async def history(workbench: Workbench) -> None:
    """Show the result of a recorded run."""
    view = workbench.views.run_view
    entry = await _choose_run(workbench, "Earlier runs")
    if view is not None and entry is not None and entry.trace is not None:
        from skillstudio.dryrun.traces.store import last_printed

        view.show_report(entry.trace.report, tuple(last_printed(entry.folder)))
        view.to_focus.focus()


async def difference(workbench: Workbench) -> None:
    """Compare the shown run with another."""
    from skillstudio.dryrun.traces.difference import differences
    from skillstudio.dryrun.traces.store import recorded_text
    from skillstudio.present.run_report import difference_lines

    view, runner = workbench.views.run_view, workbench.views.runner
    if view is None or runner is None or (report := view.report) is None:
        return
    runs = await asyncio.to_thread(runner.history)
    here = next((run for run in runs if run.run == report.run), None)
    if here is None or here.trace is None:
        workbench.say("this run is not recorded, so it cannot be compared", bad=True)
        return
    other = await _choose_run(workbench, "Compare with which run?", report.run)
    if other is not None and other.trace is not None:
        old, new = sorted((here, other), key=lambda entry: entry.run)
        if old.trace is None or new.trace is None:
            return
        readers = (partial(recorded_text, old.folder), partial(recorded_text, new.folder))
        rows = differences(old.trace, new.trace, *readers)
        lines = difference_lines(rows, old.trace.report, new.trace.report)
        view.show_lines(list(lines))
        view.to_focus.focus()


async def _choose_run(
    workbench: Workbench, title: str, without: str = ""
) -> RunHistoryEntry | None:
    runner = workbench.views.runner
    entries = await asyncio.to_thread(runner.history) if runner is not None else []
    runs = [entry for entry in entries if entry.run != without]
    if not runs:
        workbench.say("no other run is recorded" if without else "no run is recorded yet")
        return None
    answer = await workbench.ask(Chooser(title, [run_answer(entry) for entry in runs]))
    return next((entry for entry in runs if entry.run == answer), None)


def run_answer(run: RunHistoryEntry) -> Answer:
    """A recorded run as an answer to choose: what it ran, how it ended, its id."""
    line = join(plain(f"{run.title}  {run.about}"), plain(f"  {run.run}", "dim"))
    return Answer(run.run, f"{run.title} {run.run}", line, off=run.trouble)


HANDLERS: dict[str, Handler] = {
    "skill.run": run_again,
    "run.watch": watch,
    "run.start": start,
    "run.cancel": cancel,
    "run.inputs": inputs,
    "run.operation": operation,
    "run.sample": sample,
    "run.save-sample": save_sample,
    "run.isolation": isolation,
    "run.workspace": workspace,
    "run.show": show,
    "run.details": details,
    "run.open": open_line,
    "run.adopt": adopt,
    "run.explore": explore,
    "run.history": history,
    "run.compare": difference,
    "preview.inputs": inputs,
    "preview.operation": operation,
    "preview.sample": sample,
    "preview.start": start_from_preview,
}
"""Command id to handler, for runs and for what previews share with them."""
