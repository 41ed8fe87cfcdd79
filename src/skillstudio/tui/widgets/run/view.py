"""An operation of the open skill: its inputs, the plan of it, the run, what it did.

Plans are made in a thread; of several texts typed meanwhile only the last is planned. A run has a
thread of its own, which touches no widget: the screen looks twenty times a second at what it
printed, and takes at most so much of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from skillstudio.dryrun.report import Report
from skillstudio.interface.model import ABSENT
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.commands import COMMANDS
from skillstudio.session.running import Asked, Ran, Runner, RunRefused, Seen
from skillstudio.session.running_fields import Exact
from skillstudio.session.running_plan import badge, plan_lines
from skillstudio.session.running_report import report_lines, verdict
from skillstudio.session.running_told import Told
from skillstudio.tui.widgets.compare.lines import KeyTold, keys_line
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.new.field import Field
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.run.going import Going
from skillstudio.tui.widgets.run.lines import told
from skillstudio.tui.widgets.run.output import OutputLog
from skillstudio.tui.words import joined, plain

Mode = Literal["plan", "result", "output"]
MODES: tuple[Mode, ...] = ("plan", "result", "output")
_NAMES = {"plan": "Plan", "result": "Result", "output": "Output"}
PER_SECOND = 20
"""Looks at what a run printed."""
BESIDE = 84
"""Columns from which the plan stands beside the inputs, and not below them."""


class ToldDetails(Details):
    """Lines about a run, laid out anew when there is more or less room."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Told] | None = None

    def tell(self, lines: list[Told]) -> None:
        """Tell something else; the same again changes nothing, so that one can go on reading."""
        if lines != self._lines:
            self._lines = lines
            self.show(told(lines, self._room))

    def on_resize(self) -> None:
        if self._lines is not None:
            self.show(told(self._lines, self._room))

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - 1


class PlanDetails(ToldDetails):
    """What would be started."""

    HELP = """The plan: what is in the way, what would be started with which values, where, what it
may write, and the rung with what it does not hold on this machine and why no higher one is taken.
Nothing is started for it. A run works on copies of the files on disk. f5 or r runs it, i goes to
the inputs, o chooses another operation, u another rung, m a sample; t shows the last result."""


class ResultDetails(ToldDetails):
    """What a run did."""

    HELP = """What the run did beside what the manifest declares: effects with what showed them, the
promise of standard output, files, limits, and in what it differed from a real run. It says what was
seen, not that all is well. r runs it again with the same inputs, H shows earlier runs, v holds two
against each other, t shows what was printed and the plan."""


class RunView(Vertical):
    """The inputs, and beside or below them the plan, the result, or what is printed."""

    DEFAULT_CSS = """
    RunView { height: 1fr; min-width: 24; }
    RunView > Line { background: $panel; }
    RunView > #run-unsaved { display: none; background: $warning 30%; }
    RunView.-unsaved > #run-unsaved { display: block; }
    RunView > #run-body { height: 1fr; }
    RunView #run-side { width: 1fr; height: 1fr; border-left: vkey $primary 40%; }
    RunView #run-side > Line { background: $panel; }
    RunView #run-side > Details, RunView #run-side > OutputLog { display: none; }
    RunView.-plan #run-plan { display: block; }
    RunView.-result #run-result { display: block; }
    RunView.-output #run-output { display: block; }
    RunView.-below > #run-body { layout: vertical; }
    RunView.-below #run-side { width: 100%; border-left: none; }
    RunView.-below InputForm { width: 100%; }
    RunView.-below.-result InputForm, RunView.-below.-output InputForm { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(each.keys), f"screen.run('{each.id}')", each.title, show=False, id=each.id)
        for each in COMMANDS
        if each.context == "run" and each.keys
    ]

    @dataclass
    class Looked(Message):
        """A plan was made of what was chosen and typed at the time."""

        number: int
        seen: Seen

    @dataclass
    class Over(Message):
        """A run is over; `trouble` says why there is no report."""

        going: Going
        ran: Ran | None
        trouble: str = ""

    class Changed(Message):
        """Other commands can be run now."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, RunView.Changed)

    @dataclass
    class Say(Message):
        """A word to the user."""

        text: str
        bad: bool = False

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        """`key` gives the key of a command as it is shown; empty where it has none."""
        super().__init__(id=id)
        self._key = key
        self._runner: Runner | None = None
        self._unsaved: Callable[[], Sequence[str]] = list
        self._told_unsaved: list[str] = []
        self.seen: Seen | None = None
        self.report: Report | None = None
        """The report that is shown: of the last run, or of one that was kept."""
        self.mode: Mode = "plan"
        self._about: list[Told] = []
        """What the result says."""
        self._going: Going | None = None
        self._timer: Timer | None = None
        self._ticks = 0
        self._form_of: str | None = None
        """The operation whose inputs are in the form."""
        self._asked = 0
        """Numbers what is to be planned; a plan of an earlier number is of other inputs."""
        self._busy = 0
        self._told_of = 0
        self._failure = ""
        """Why there is no plan, by a fault of ours."""
        self._refused = ""
        """Why the last run came to nothing; until something else is typed or run."""

    def compose(self) -> ComposeResult:
        yield Line(id="run-head")
        yield Line(id="run-state")
        yield Line(id="run-unsaved")
        with Horizontal(id="run-body"):
            yield InputForm(id="run-form")
            with Vertical(id="run-side"):
                yield Line(id="run-tabs")
                yield PlanDetails(id="run-plan")
                yield ResultDetails(id="run-result")
                yield OutputLog(id="run-output")
        yield Line(id="run-keys")

    def on_mount(self) -> None:
        self.show_mode("plan")

    def on_unmount(self) -> None:
        # The thread of the run ends what it started, and the program waits for its threads.
        if self._going is not None:
            self._going.cancel.set()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < BESIDE, "-below")

    # What the screen calls.

    async def load(self, runner: Runner, unsaved: Callable[[], Sequence[str]]) -> None:
        """Show the operations of a skill; `unsaved` gives the names of its unsaved files."""
        self._unsaved = unsaved
        if runner is not self._runner:
            self.cancel()
            self._stop()
            self._runner, self.seen, self.report, self._about = runner, None, None, []
            self._refused = ""
            self._form_of = None
            await self.query_one(InputForm).clear()
            self.query_one(OutputLog).clear()
            self.show_mode("plan")
        runner.forget()
        self.tell_unsaved()
        self.look_soon()

    def look_soon(self) -> None:
        """Plan again when the plan under way is made; what is typed last wins."""
        self._asked += 1
        # The thread would hold the frame up.
        self.call_after_refresh(self._start_looking)

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

    def show_mode(self, mode: Mode) -> None:
        """Show the plan, the result, or what was printed."""
        focused = self.query_one("#run-side").has_focus_within
        form = self.query_one(InputForm)
        self.mode = mode
        for each in MODES:
            self.set_class(each == mode, f"-{each}")
        hidden = mode != "plan" and self.has_class("-below") and form.has_focus_within
        if focused or hidden:
            self.to_focus.focus()
        self._tell()

    def show_next_mode(self) -> None:
        """From the plan to the result, to what was printed, and back."""
        self.show_mode(MODES[(MODES.index(self.mode) + 1) % len(MODES)])

    @property
    def to_focus(self) -> Widget:
        """What takes the focus for the view: never a field, so that letters are commands."""
        return self.query_one(f"#run-{self.mode}")

    async def go_to_inputs(self) -> None:
        """Focus the first field that wants something: over when it has the focus, so that what
        is typed behind the key goes into it."""
        if self.mode != "plan":
            self.show_mode("plan")
            # What was hidden can be focused once it is laid out.
            drawn = asyncio.Event()
            self.call_after_refresh(drawn.set)
            await drawn.wait()
        self.query_one(InputForm).go_to_first()

    def leave_field(self) -> bool:
        """Go from the form to the plan. Whether the focus was in the form."""
        if not self.query_one(InputForm).has_focus_within:
            return False
        self.to_focus.focus()
        return True

    @property
    def settled(self) -> bool:
        """Whether the plan that is shown is of what is typed."""
        return self._told_of == self._asked and self.seen is not None

    @property
    def is_under_way(self) -> bool:
        """Whether a run is going on."""
        return self._going is not None

    @property
    def may_run(self) -> bool:
        """Whether nothing is known to stand against a run: an older plan says nothing."""
        return not self.settled or (self.seen is not None and not self.seen.why_not)

    @property
    def has_operations(self) -> bool:
        """Whether there is another operation to choose."""
        opened = self.seen.opened if self.seen is not None else None
        return opened is not None and len(opened.operations) > 1

    # Planning.

    def _start_looking(self) -> None:
        runner = self._runner
        if runner is None or self._busy or self._told_of == self._asked or not self.is_mounted:
            return
        self._busy = self._asked
        work = partial(self._look, self._asked, runner, runner.asked())
        self.run_worker(work, thread=True, group="dry-plan", exit_on_error=False)

    def _look(self, number: int, runner: Runner, asked: Asked) -> None:
        self.post_message(self.Looked(number, runner.look(asked)))

    async def on_run_view_looked(self, event: Looked) -> None:
        event.stop()
        self._busy = 0
        self._failure = ""
        if event.number == self._asked:
            self._told_of = event.number
            await self.show(event.seen)
        else:
            self._start_looking()

    async def show(self, seen: Seen) -> None:
        """Show a plan, and at each field what stands against it."""
        runner = self._runner
        if runner is None:
            return
        runner.took(seen)
        if seen.asked.operation != runner.operation:
            return
        self.seen = seen
        await self._show_form()
        self._tell()
        self.post_message(self.Changed())

    async def _show_form(self, afresh: bool = False) -> None:
        runner, seen = self._runner, self.seen
        if runner is None or seen is None:
            return
        form = self.query_one(InputForm)
        if afresh or self._form_of != runner.operation:
            await form.clear()
            self._form_of = runner.operation
        given = {
            key: draft.text if isinstance(draft, Exact) else draft
            for key, draft in runner.drafts.items()
        }
        await form.show(seen.fields, given)

    async def refill(self) -> None:
        """Show what was put into the fields by something else than typing."""
        await self._show_form(afresh=True)
        self.look_soon()

    def on_field_answered(self, event: Field.Answered) -> None:
        """Take what the fields hold, and have it planned where it is something new."""
        event.stop()
        runner = self._runner
        if runner is None or runner.operation != self._form_of:
            return
        before = runner.asked().drafts
        for field in self.query_one(InputForm).fields:
            given = field.answer
            runner.answer(field.question, ABSENT if given is MISSING else given)
        if runner.asked().drafts != before:
            self._refused = ""
            self.look_soon()

    def on_question_form_finished(self, event: InputForm.Finished) -> None:
        event.stop()
        self.to_focus.focus()

    # Running.

    def start(self, seen: Seen) -> None:
        """Run what was planned."""
        runner = self._runner
        if runner is None or self._going is not None:
            return
        going = self._going = Going(seen)
        self._refused = ""
        self.query_one(OutputLog).clear()
        self.show_mode("output")
        self.to_focus.focus()
        work = partial(self._work, runner, going)
        self.run_worker(work, thread=True, group="dry-run", exit_on_error=False)
        self._timer = self.set_interval(1 / PER_SECOND, self._tick)
        self.post_message(self.Changed())

    def cancel(self) -> None:
        """End the run that is going on, with all that it started."""
        if self._going is not None:
            self._going.cancel.set()
            self._tell()

    def _work(self, runner: Runner, going: Going) -> None:
        try:
            ran = runner.run(going.seen, going.cancel, going.listener)
        except RunRefused as error:
            self.post_message(self.Over(going, None, str(error)))
        else:
            self.post_message(self.Over(going, ran))

    def _tick(self) -> None:
        going = self._going
        if going is None:
            return
        if lines := going.lines():
            self.query_one(OutputLog).write_lines(lines)
        self._ticks += 1
        if self._ticks % 4 == 0:
            self._tell_state()

    def on_run_view_over(self, event: Over) -> None:
        event.stop()
        if event.going is not self._going:
            return
        if lines := event.going.lines(last=True):
            self.query_one(OutputLog).write_lines(lines)
        self._stop()
        if event.ran is None:
            self._refused = f"not run: {event.trouble}"
            self.show_mode("plan")
        else:
            self.show_report(event.ran.report)
            for note in event.ran.notes:
                self.post_message(self.Say(note, bad=True))
        self.look_soon()

    def _stop(self) -> None:
        self._going = None
        if self._timer is not None:
            self._timer.stop()
        self.post_message(self.Changed())

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
            self._failure = stopped
            self._busy, self._told_of = 0, self._asked
        self._tell()

    # Showing.

    def show_report(self, report: Report) -> None:
        """Show what a run did."""
        self.report = report
        self.show_lines(list(report_lines(report)))

    def show_lines(self, lines: list[Told]) -> None:
        """Show something about runs in the place of the result."""
        self._about = lines
        self.query_one(ResultDetails).tell(lines)
        self.show_mode("result")
        self.post_message(self.Changed())

    def _tell(self) -> None:
        seen = self.seen
        self.query_one("#run-head", Line).show(self._head())
        self._tell_state()
        if seen is not None and seen.plan is not None and self._runner is not None:
            lines = list(plan_lines(seen.plan, seen.problems, self._runner.cwd))
            self.query_one(PlanDetails).tell(lines)
        else:
            trouble = seen.trouble if seen is not None else "planning…"
            self.query_one(PlanDetails).tell([Told(trouble)])
        if not self._about:
            self.query_one(ResultDetails).tell([Told("nothing was run yet", "quiet")])
        self.query_one("#run-tabs", Line).show(self._tabs())
        self.query_one("#run-keys", Line).show(keys_line(self._keys()))

    def _head(self) -> Content:
        seen = self.seen
        if seen is None or seen.plan is None:
            return Content.styled("Run", "bold")
        name = " ".join(each for each in (seen.plan.skill, seen.asked.operation) if each)
        style = "$text-warning" if seen.plan.rung.id in ("plan", "copy") else "$text-success"
        return joined(plain(name, "bold"), "  ", plain(badge(seen.plan), style))

    def _tell_state(self) -> None:
        self.query_one("#run-state", Line).show(self._state())

    def _state(self) -> Content:
        going, seen = self._going, self.seen
        if going is not None:
            key = self._key("run.cancel")
            hint = f" · {key} ends it" if key and not going.cancel.is_set() else ""
            return plain(f"▶ {going.status}{hint}", "$text-primary")
        if self._failure or self._refused:
            return plain(f"✗ {self._failure or self._refused}", "$text-error")
        if seen is None:
            return Content.styled("planning…", "dim")
        if seen.why_not:
            return plain(f"✗ cannot be run: {seen.why_not}", "$text-error")
        key = self._key("run.start")
        asks = " · asks first" if seen.plan and seen.plan.confirm else ""
        return plain(f"✓ ready: {key} runs it{asks}", "$text-success")

    def _tabs(self) -> Content:
        parts = []
        for each in MODES:
            mark = ""
            if each == "result" and self.report is not None:
                mark = " ✓" if verdict(self.report).is_good else " ✗"
            text = f"{_NAMES[each]}{mark}"
            is_here = each == self.mode
            style = "bold $text-primary" if is_here else "dim"
            parts.append(Content.styled(f"[{text}]" if is_here else f" {text} ", style))
        return Content(" ").join(parts)

    def _keys(self) -> Iterator[KeyTold]:
        if self._going is not None:
            yield KeyTold(self._key("run.cancel"), "end it")
            yield KeyTold(self._key("run.show"), "tabs")
            return
        again = "run again" if self.report is not None else "run"
        yield KeyTold(self._key("run.start"), again, not self.may_run)
        yield KeyTold(self._key("run.inputs"), "inputs")
        yield KeyTold(self._key("run.operation"), "operation", not self.has_operations)
        yield KeyTold(self._key("run.sample"), "sample")
        yield KeyTold(self._key("run.rung"), "rung")
        yield KeyTold(self._key("run.show"), "tabs")
        yield KeyTold(self._key("run.history"), "history")
        yield KeyTold(self._key("run.difference"), "versus", self.report is None)
