"""Commands of the tests: run samples, accept what differs, and save a run as a sample."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual.content import Content

from skillstudio.dryrun.sampling.accepting import ExpectationHunk
from skillstudio.dryrun.sampling.samples import expectation_line
from skillstudio.present.lines import count
from skillstudio.present.samples import fixtures_text, not_captured_lines, passwords_text
from skillstudio.session.running.state import RunRefused
from skillstudio.tui.screens.dialogs import PromptDialog, anyway, nonempty
from skillstudio.tui.screens.workbench import Handler, Workbench
from skillstudio.tui.words import plain

_QUESTION = "The sample may contain a password"


async def run(workbench: Workbench) -> None:
    """Run the selected sample."""
    view = workbench.views.tests_view
    if view is not None:
        view.run(every=False)


async def run_all(workbench: Workbench) -> None:
    """Run every sample of the skill."""
    view = workbench.views.tests_view
    if view is not None:
        view.run(every=True)


async def cancel(workbench: Workbench) -> None:
    """End the active tests, with every process that they started."""
    if workbench.views.tests_view is not None:
        workbench.views.tests_view.cancel()


async def accept(workbench: Workbench) -> None:
    """Write the selected hunk into the sample."""
    view = workbench.views.tests_view
    if view is not None and view.hunk is not None:
        await _accept(workbench, [view.hunk])


async def accept_all(workbench: Workbench) -> None:
    """Write all that differs into the sample."""
    view = workbench.views.tests_view
    if view is not None and view.row is not None:
        await _accept(workbench, view.row.hunks)


async def _accept(workbench: Workbench, hunks: Sequence[ExpectationHunk]) -> None:
    view, tester = workbench.views.tests_view, workbench.views.tester
    row = view.row if view is not None else None
    if view is None or tester is None or row is None or row.tested_sample is None or not hunks:
        return
    if row.tested_sample.is_failure:
        text = Content("A test of it would pass only while it fails in the same way.")
        dialog = anyway("This run failed", text, "Expect that it fails", "Do not accept")
        if await workbench.ask(dialog) != "yes":
            return
    try:
        if places := await asyncio.to_thread(tester.passwords, row, hunks):
            text = plain(passwords_text(places))
            dialog = anyway(_QUESTION, text, "Accept it", "Do not accept it")
            if await workbench.ask(dialog) != "yes":
                return
        await asyncio.to_thread(tester.accept, row, hunks)
    except RunRefused as error:
        workbench.say(f"not accepted: {error}", bad=True)
        return
    tester.runner.forget()
    workbench.say(f"accepted {count(len(hunks), 'difference')} in {row.result.path}")
    view.start([row])


async def open_sample(workbench: Workbench) -> None:
    """Open the file of the selected sample, at the expectation of the selected difference."""
    view, skill = workbench.views.tests_view, workbench.open.skill
    if view is None or view.row is None or skill is None:
        return
    hunk = view.marked_hunk
    if await workbench.open_file(skill, view.row.result.path):
        await workbench.go_to_view("edit")
        buffer = workbench.open.buffer
        if hunk is not None and buffer is not None:
            first = hunk.lines[0] if hunk.lines is not None else 0
            line = expectation_line(buffer.text, hunk.place, first)
            await workbench.go_to_line(view.row.result.path, line)


async def generate(workbench: Workbench) -> None:
    """Write a sample for the selected operation, with generated inputs."""
    view, tester = workbench.views.tests_view, workbench.views.tester
    if view is None or tester is None or not view.operation:
        return
    try:
        path = await asyncio.to_thread(tester.generate, view.operation)
    except RunRefused as error:
        workbench.say(f"not generated: {error}", bad=True)
        return
    workbench.say(f"wrote {path}: edit its inputs, then run it")
    view.go_to(path)


async def save_run(workbench: Workbench) -> None:
    """Save the run that is shown as a test."""
    from skillstudio.dryrun.capturing import possible_passwords

    view, runner = workbench.views.run_view, workbench.views.runner
    if view is None or runner is None or (last_run := view.last_run) is None:
        return
    run_state, report = last_run
    title = "The name of the test; the run becomes a sample with what to expect of it"
    name = await workbench.ask(PromptDialog(title, "", nonempty("enter a name")))
    if name is None:
        return
    try:
        path, exists = runner.sample_path(run_state, name.strip())
        if exists:
            text = Content("Its inputs and expectations are replaced by those of this run.")
            dialog = anyway(f"{path} already exists", text, "Replace it", "Keep it")
            if await workbench.ask(dialog) != "yes":
                return
        if report.ending.exit_code:
            text = Content("A test of it would pass only while it fails in the same way.")
            dialog = anyway("This run failed", text, "Expect that it fails", "Do not save it")
            if await workbench.ask(dialog) != "yes":
                return
        workbench.say("running it again to see what can be expected…")
        event = view.captures()
        capture = await asyncio.to_thread(runner.capture, run_state, name.strip(), event)
        if capture.differs:
            view.show_lines(list(not_captured_lines(capture.sample, capture.differs)))
            workbench.say("not saved: see the reasons", bad=True)
            return
        if places := possible_passwords(capture.sample):
            text = plain(passwords_text(places))
            dialog = anyway(_QUESTION, text, "Save it", "Do not save it")
            if await workbench.ask(dialog) != "yes":
                return
        await asyncio.to_thread(runner.save_captured, capture.sample)
    except RunRefused as error:
        workbench.say(f"not saved: {error}", bad=True)
        return
    runner.forget()
    key = workbench.keymap.keys["view.tests"]
    shows = f"; {key[0]} shows the tests" if key else ""
    fixtures = fixtures_text(capture.sample)
    workbench.say(f"saved: {path}, {fixtures}{shows}")


HANDLERS: dict[str, Handler] = {
    "run.save-test": save_run,
    "tests.run": run,
    "tests.run-all": run_all,
    "tests.cancel": cancel,
    "tests.accept": accept,
    "tests.accept-all": accept_all,
    "tests.open": open_sample,
    "tests.generate": generate,
}
"""Command id to handler, for tests."""
