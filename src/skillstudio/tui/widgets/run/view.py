"""An operation of the open skill: its inputs, the plan of it, the run, what it did.

Plans are made in a thread; of several texts typed meanwhile only the last is planned. A run has a
thread of its own, which touches no widget: the screen looks twenty times a second at what it
printed, and takes at most so much of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.worker import Worker, WorkerState

from skillstudio.session.running.running import FinishedRun, Runner
from skillstudio.session.running.state import RunRefused, RunState
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.new.field import QuestionField
from skillstudio.tui.widgets.run.active_run import ActiveRun
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.run.frame import RunFrame
from skillstudio.tui.widgets.run.output import OutputLog
from skillstudio.tui.words import plain, say

PER_SECOND = 20
"""Looks at what a run printed."""


class RunView(RunFrame):
    """Plans what is typed, runs it, and shows what it did."""

    BINDINGS: ClassVar[list[BindingType]] = view_bindings("run")

    @dataclass
    class RunEnded(Message):
        """A run is over; `trouble` says why there is no report."""

        going: ActiveRun
        ran: FinishedRun | None
        trouble: str = ""

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        super().__init__(key, id)
        self._looks = Latest(self, "dry-plan", self._wish, self._looked)

    def on_mount(self) -> None:
        self.show_mode("plan")

    def on_unmount(self) -> None:
        # The thread of the run ends what it started, and the program waits for its threads.
        if self._going is not None:
            self._going.cancel.set()

    # What the screen calls.

    async def load(self, runner: Runner, unsaved: Callable[[], Sequence[str]]) -> None:
        """Show the operations of a skill; `unsaved` gives the names of its unsaved files."""
        self._unsaved = unsaved
        if runner is not self._runner:
            self.cancel()
            self._stop()
            self._runner, self.run_state, self.report, self._about = runner, None, None, []
            self._refused = ""
            await self.query_one(InputForm).clear()
            self.query_one(OutputLog).clear()
            self.show_mode("plan")
        runner.forget()
        self.tell_unsaved()
        self.look_soon()

    def look_soon(self) -> None:
        """Plan again when the plan under way is made; what is typed last wins."""
        self._looks.ask()

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        found = {
            "run": True,
            "idle": not self.is_under_way,
            "run-active": self.is_under_way,
            "operations": self.has_operations,
            "report": self.report is not None,
        }
        return frozenset(name for name, holds in found.items() if holds)

    @property
    def settled(self) -> bool:
        return self._looks.is_settled and self.run_state is not None

    def tell_unsaved(self) -> None:
        """Say which files of the skill a run takes as they were saved last."""
        names = list(self._unsaved())
        if set(self._told_unsaved) - set(names) and self._runner is not None:
            self._runner.forget()
            self.look_soon()
        self._told_unsaved = names
        self.set_class(bool(names), "-unsaved")
        if names:
            what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} unsaved"
            key = self._key("file.save-all")
            hint = f"; {key} saves" if key else ""
            text = f"✎ {what}: plan and run take the files on disk{hint}"
            self.query_one("#run-unsaved", Line).show(plain(text))

    # Planning.

    def _wish(self) -> Callable[[], RunState] | None:
        runner = self._runner
        return None if runner is None else partial(runner.look, runner.selection())

    async def _looked(self, run_state: RunState) -> None:
        self._failure = ""
        await self.show(run_state)

    async def show(self, run_state: RunState) -> None:
        """Show a plan, and at each field what stands against it."""
        runner = self._runner
        if runner is None:
            return
        runner.took(run_state)
        if run_state.selection.operation != runner.operation:
            return
        self.run_state = run_state
        await self.query_one(InputForm).show_inputs(runner, run_state)
        self._tell()
        self.post_message(self.CommandsChanged())

    async def inputs_changed(self) -> None:
        """Show what was chosen or put into the fields by something else than typing."""
        self.show_mode("plan")
        if self._runner is not None and self.run_state is not None:
            await self.query_one(InputForm).show_inputs(self._runner, self.run_state)
        self.look_soon()

    def on_question_field_answer_changed(self, event: QuestionField.AnswerChanged) -> None:
        """Take what the fields hold, and have it planned where it is something new."""
        event.stop()
        if self.query_one(InputForm).take():
            self._refused = ""
            self.look_soon()

    def on_question_form_form_completed(self, event: InputForm.FormCompleted) -> None:
        event.stop()
        self.to_focus.focus()

    # Running.

    def start(self, run_state: RunState) -> None:
        """Run what was planned."""
        runner = self._runner
        if runner is None or self._going is not None:
            return
        going = self._going = ActiveRun(run_state)
        self._refused = ""
        self.query_one(OutputLog).clear()
        self.show_mode("output")
        self.to_focus.focus()
        work = partial(self._work, runner, going)
        self.run_worker(work, thread=True, group="dry-run", exit_on_error=False)
        self._timer = self.set_interval(1 / PER_SECOND, self._tick)
        self.post_message(self.CommandsChanged())

    def cancel(self) -> None:
        """End the run that is going on, with all that it started."""
        if self._going is not None:
            self._going.cancel.set()
            self._tell()

    def _work(self, runner: Runner, going: ActiveRun) -> None:
        try:
            ran = runner.run(going.run_state, going.cancel, going.listener)
        except RunRefused as error:
            self.post_message(self.RunEnded(going, None, str(error)))
        else:
            self.post_message(self.RunEnded(going, ran))

    def _tick(self) -> None:
        going = self._going
        if going is None:
            return
        if printed := going.lines():
            self.query_one(OutputLog).write_lines(printed)
        self._ticks += 1
        if self._ticks % 4 == 0:
            self._tell_state()

    def on_run_view_run_ended(self, event: RunEnded) -> None:
        event.stop()
        if event.going is not self._going:
            return
        if printed := event.going.lines(last=True):
            self.query_one(OutputLog).write_lines(printed)
        self._stop()
        if event.ran is None:
            self._refused = f"not run: {event.trouble}"
            self.show_mode("plan")
        else:
            self.show_report(event.ran.report)
            for note in event.ran.notes:
                say(self, note, bad=True)
        self.look_soon()

    def _stop(self) -> None:
        self._going = None
        if self._timer is not None:
            self._timer.stop()
        self.post_message(self.CommandsChanged())

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault in planning or running is told and costs no more than its own work."""
        event.stop()
        if event.state is not WorkerState.ERROR:
            return
        stopped = f"{event.worker.group} stopped: {event.worker.error!r}"
        if event.worker.group == "dry-run":
            self._refused = stopped
            self._stop()
        else:
            self._failure = stopped if self._looks.failed() else ""
        self._tell()
