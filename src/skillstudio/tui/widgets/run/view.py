"""An operation of the open skill: its plan, the run and the result, and its inputs below.

Plans are made in a thread; of several edits meanwhile only the last is planned. A run has a thread
of its own, which touches no widget: the screen polls its output twenty times a second.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Log

from skillstudio.dryrun.report import FailureReason, RunReport
from skillstudio.dryrun.run import Listener
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.present.lines import Part, StyledLine
from skillstudio.present.plan import plan_lines
from skillstudio.present.run_report import (
    PrintedOutput,
    ReportDetails,
    ReportWords,
    report_lines,
    verdict_line,
    verdict_sign,
)
from skillstudio.session.running.output import Tail
from skillstudio.session.running.running import FinishedRun, Runner
from skillstudio.session.running.state import RunRefused, RunState
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.widgets.details import SCROLL_BINDINGS, StyledDetails
from skillstudio.tui.widgets.fields.entries import EntryEdited
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import STYLES, KeyHint, KeyLine, Line, key_offer
from skillstudio.tui.widgets.pane import Tab, TabBar
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.skill_view import SkillView, after, changes_state
from skillstudio.tui.words import join, plain, say

PER_SECOND = 20  # How often the output of a run is read.
MOST = 5_000  # The most lines of output that are kept to scroll back to.
_BESIDE = 100  # Columns from which the plan is beside the result.
Mode = Literal["plan", "result", "output"]
MODES: tuple[Mode, ...] = ("plan", "result", "output")
"""The tabs above the inputs, in the order of the key that goes to the next one."""

_NETWORKS = {"copy": "network", "confined": "none", "isolated": "none", "wasm": "none"}
"""What a run reaches unless its network is chosen, by its isolation level."""
_NO_OPERATION = (
    StyledLine("This skill has no operation to run", "heading"),
    StyledLine("An operation is a command with its inputs, outputs and effects.", "", 1),
    StyledLine("Add a script to the folder of the skill, then declare it in the manifest:", "", 1),
    StyledLine("“Add an operation…” in the palette (^p) writes the declaration.", "", 1),
)
_FIRST_KEYS = (
    ("run.start", "runs the operation"),
    ("run.sample", "loads a sample, or generated inputs"),
    ("run.history", "shows an earlier run"),
)


class ActiveRun:
    """The active run: its worker thread writes here, the screen reads.

    Each attribute is written by one side only.
    """

    def __init__(self, run_state: RunState) -> None:
        self.run_state = run_state
        self.cancel = threading.Event()
        self.listener = Listener(self._enter, self._print_to)
        self._stage = "starting"
        self._output: ProgramOutput | None = None
        self._since = time.monotonic()
        self._tails = (Tail(), Tail("! "))

    def _enter(self, stage: str) -> None:
        self._since = time.monotonic()
        self._stage = stage

    def _print_to(self, output: ProgramOutput) -> None:
        self._output = output

    def lines(self, last: bool = False) -> list[str]:
        """Return the new lines of output; with `last` also a line without an end."""
        new_lines: list[str] = []
        if self._output is not None:
            streams = (self._output.stdout, self._output.stderr)
            for tail, stream in zip(self._tails, streams, strict=True):
                new_lines += tail.look(stream)
                new_lines += tail.end() if last else []
        return new_lines

    @property
    def seconds(self) -> float:
        """The time since the start of the stage."""
        return time.monotonic() - self._since

    @property
    def status(self) -> str:
        """The stage with its time, the time left and the size of the output."""
        seconds = self.seconds
        if self.cancel.is_set():
            return "ending everything that was started…"
        if self._stage != "running":
            return f"{self._stage}…"
        timeout = self.run_state.plan.timeout if self.run_state.plan else 0.0
        size = sum(tail.position for tail in self._tails)
        rest = max(timeout - seconds, 0)
        return f"running {seconds:.0f} s · {rest:.0f} s left · {size:,} bytes printed"


class PlanDetails(StyledDetails):
    """The plan of a run."""

    HELP = """The plan: the problems that prevent a run, the command with its values, where it runs,
what it may write, and the isolation level with its known gaps and why no higher one is used.
Nothing is started for it. A run works on copies of the files on disk. f5 or r runs it, i goes to
the inputs, o chooses another operation, u another isolation level, f a sample; t shows the
last result."""


class ResultDetails(StyledDetails):
    """The result of a run. A click on the end of a line does what is written there."""

    HELP = """The result, compared with the manifest: why the run failed and at which line, which
enter opens; what it did, undeclared effects first, with one line of evidence each; the files; what
was printed. i shows everything else: all evidence, known gaps. It lists what was observed, which is
not a proof that nothing else happens. a adopts it into the manifest, r runs it again with the same
inputs, H shows earlier runs, v compares two of them, t shows the output and the plan."""

    def __init__(self, click: Callable[[StyledLine], None], id: str | None = None) -> None:
        """`click` is called with the line that was clicked."""
        super().__init__(id=id)
        self._click = click

    def on_click(self, event: events.Click) -> None:
        """Find the line below the pointer, which may be wrapped."""
        row = event.screen_y - self.content_region.y + round(self.scroll_offset.y)
        line = self.line_at(row)
        if line is not None:
            self._click(line)


class OutputLog(Log):
    """The last lines of both streams, never parsed as markup or terminal control."""

    HELP = """The output of the program: ! marks lines of standard error. The last lines are shown;
all of it, up to a limit, is kept with the run. Arrows and j k g G scroll, t goes to the plan."""
    DEFAULT_CSS = """
    OutputLog {
        height: 1fr;
        min-height: 3;
        border-left: blank;
        background: $background;
        scrollbar-size-vertical: 1;
    }
    OutputLog:focus { border-left: outer $frame-focus; }
    """
    BINDINGS: ClassVar[list[BindingType]] = SCROLL_BINDINGS

    def __init__(self, id: str | None = None) -> None:
        super().__init__(highlight=False, max_lines=MOST, id=id)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The place of the terminal's cursor: the first visible line."""
        return self.content_region.offset


class RunView(SkillView):
    """Plans an operation, runs it, and shows the result."""

    DEFAULT_CSS = """
    RunView > #run-unsaved { display: none; background: $warning 30%; }
    RunView.-unsaved > #run-unsaved { display: block; }
    RunView > #run-body { height: 1fr; }
    RunView Details, RunView OutputLog { display: none; }
    RunView.-plan #run-plan { display: block; }
    RunView.-result #run-result { display: block; }
    RunView.-output #run-output { display: block; }
    RunView.-beside > #run-body { layout: horizontal; margin-bottom: 1; }
    RunView.-beside #run-plan { display: block; width: 1fr; }
    RunView.-beside #run-result, RunView.-beside #run-output {
        width: 1fr;
        border-left: vkey $frame;
    }
    RunView.-beside #run-result:focus, RunView.-beside #run-output:focus {
        border-left: outer $frame-focus;
    }
    RunView.-beside.-plan #run-result { display: block; }
    RunView > #run-options { background: $panel; }
    """

    BINDINGS: ClassVar[list[BindingType]] = view_bindings("run")

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        super().__init__(key, id)
        self._runner: Runner | None = None
        self._get_unsaved: Callable[[], Sequence[str]] = list
        self._unsaved_names: list[str] = []
        self.run_state: RunState | None = None
        self.report: RunReport | None = None
        """The report that is shown: of the last run, or of a recorded one."""
        self._last_run: tuple[RunState, RunReport] | None = None
        self._captures = threading.Event()
        """Set to end the runs of a sample that is being saved."""
        self.mode: Mode = "plan"
        self._shows_all = False
        self._about: list[Part] = []
        """The lines of the result."""
        self._printed_lines: PrintedOutput = ()
        """The last lines that the run of the report printed."""
        self._is_on_save: Callable[[], bool] = bool
        self._active_run: ActiveRun | None = None
        self._over: asyncio.Event | None = None  # Set when the active run ends.
        self._timer: Timer | None = None
        self._ticks = 0
        self._refusal = ""
        """Why the last run did not start; cleared by the next edit or run."""
        self._latest = Latest(self, "dry-plan", self._prepare, self.show, self._update_view)

    def compose(self) -> ComposeResult:
        yield TabBar(self._tab_clicked, id="run-tabs")
        yield Line(id="run-unsaved")
        with Vertical(id="run-body"):
            yield PlanDetails(id="run-plan")
            yield ResultDetails(self._line_clicked, id="run-result")
            yield OutputLog(id="run-output")
        yield TabBar(self._run_command, id="run-options")
        yield InputForm(id="run-form")

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.set_class(event.size.width >= _BESIDE, "-beside")
        self._fit_inputs()

    def _fit_inputs(self) -> None:
        """Leave the result more room than the plan, which the inputs belong to."""
        share = 0.4 if self.mode == "plan" else 0.25
        self.query_one(InputForm).styles.max_height = max(round(self.size.height * share), 3)

    def _run_command(self, command: str) -> None:
        self.post_message(KeyLine.Clicked(command))

    def _line_clicked(self, line: StyledLine) -> None:
        """Do what the end of a line offers."""
        words = self._words()
        offers = {
            words.open: "run.open",
            words.unfold: "run.details",
            words.adopt: "run.adopt",
            words.preview: "view.preview",
        }
        for word, command in offers.items():
            if word and line.remark.endswith(word):
                self._run_command(command)

    def show_mode(self, mode: Mode) -> None:
        """Show the plan, the result or the output."""
        had_focus = self.query_one(f"#run-{self.mode}").has_focus
        self.mode = mode
        self.update_classes({f"-{other}": other == mode for other in MODES})
        self._fit_inputs()
        if had_focus:
            self.to_focus.focus()
        self.call_after_refresh(self._hold_focus)
        self._update_view()

    def _hold_focus(self) -> None:
        """Focus the view again if a hidden widget had the focus."""
        if self.is_attached and self.display and self.screen.focused is None:
            self.to_focus.focus()

    def _tab_clicked(self, mode: str) -> None:
        self.show_mode(next(choice for choice in MODES if choice == mode))
        self.to_focus.focus()

    def show_next_mode(self) -> None:
        """Show the next of plan, result and output."""
        self.show_mode(after(MODES, self.mode))

    @property
    def to_focus(self) -> Widget:
        """The widget to focus: never a field, so that letters are commands."""
        return self.query_one(f"#run-{self.mode}")

    async def go_to_inputs(self) -> None:
        """Focus the first field with a problem."""
        self.query_one(InputForm).go_to_first()

    def leave_field(self) -> bool:
        """Go from the form to what is above it. Whether the focus was in the form."""
        if not self.query_one(InputForm).has_focus_within:
            return False
        self.to_focus.focus()
        return True

    @property
    def is_under_way(self) -> bool:
        """Whether a run is active."""
        return self._active_run is not None

    @property
    def has_operations(self) -> bool:
        """Whether there is another operation to choose."""
        return self.run_state is not None and len(self.run_state.operations) > 1

    @property
    def last_run(self) -> tuple[RunState, RunReport] | None:
        """What was run last, and its report, if it is the one that is shown."""
        result = self._last_run
        return result if result is not None and result[1] is self.report else None

    def captures(self) -> threading.Event:
        """What ends the runs of a sample that is being saved."""
        return self._captures

    def show_report(self, report: RunReport, printed_lines: PrintedOutput = ()) -> None:
        """Show what a run did, and the last lines that it printed."""
        self.report, self._printed_lines = report, printed_lines
        self.show_lines(self._report_lines(report))

    def _report_lines(self, report: RunReport) -> list[Part]:
        details: ReportDetails = "all" if self._shows_all else "counted"
        lines = report_lines(report, self._printed_lines, details=details, words=self._words())
        return [verdict_line(report), *lines]

    def _words(self) -> ReportWords:
        """The keys that go on from a report."""

        def offer(command: str, does: str) -> str:
            key = self._key(command)
            return f"{key} {does}" if key else ""

        return ReportWords(
            unfold=offer("run.details", "hides details" if self._shows_all else "details"),
            folds=True,
            open=offer("run.open", "opens the line"),
            adopt=offer("run.adopt", "adopts"),
            preview=offer("view.preview", "previews"),
            advice=offer("run.details", "lists all"),
        )

    @property
    def reason(self) -> FailureReason:
        """Why the run of the report failed."""
        return self.report.reason if self.report is not None else FailureReason()

    def toggle_details(self) -> None:
        """Show everything of the plan or the report, or only what a reviewer needs."""
        self._shows_all = not self._shows_all
        if self.mode == "plan" or self.report is None:
            self._update_view()
        else:
            self.show_report(self.report, self._printed_lines)

    def show_lines(self, about: list[Part]) -> None:
        """Show other lines in place of the result."""
        self._about = about
        self.query_one(ResultDetails).show_lines(about, self._words().offers)
        self.show_mode("result")
        self.post_message(self.CommandsChanged())

    def _update_view(self) -> None:
        run_state = self.run_state
        plan = run_state.plan if run_state is not None else None
        if run_state is not None and plan is not None and self._runner is not None:
            lines = list(
                plan_lines(
                    plan,
                    self._runner.cwd,
                    run_state.problems,
                    details=self._shows_all,
                    unfold=self._words().unfold,
                    workspace=run_state.folder_of_sample,
                )
            )
            if not run_state.operations:
                lines = [*_NO_OPERATION, StyledLine(""), *lines]
        else:
            lines = [StyledLine(run_state.trouble if run_state is not None else "planning…")]
        self.query_one(PlanDetails).show_lines(lines, self._words().offers)
        if not self._about:
            self.query_one(ResultDetails).show_lines(list(self._not_run_yet()))
        self._show_state()
        self.show_options()
        self.post_message(self.CommandsChanged())

    def show_options(self) -> None:
        """Show what a run is made with above its inputs: each part is chosen by a click."""
        run_state, runner = self.run_state, self._runner
        plan = run_state.plan if run_state is not None else None
        tabs = [Tab("run.inputs", self._key("run.inputs"), "Inputs")]
        sample = runner.sample_name if runner is not None else ""
        tabs.append(Tab("run.sample", self._key("run.sample"), "sample", plain(sample)))
        if plan is not None:
            style = "$text-warning" if plan.isolation.id in ("plan", "copy") else ""
            network = " ".join(plan.network) or _NETWORKS.get(plan.isolation.id, "")
            words = "no network" if network == "none" else network
            level = join(plain(plan.isolation.id, style), f" · {words}" if words else "")
            tabs.append(Tab("run.isolation", self._key("run.isolation"), "", level))
        on_save = plain("✓", "$text-success") if self._is_on_save() else Content("")
        tabs.append(Tab("run.watch", self._key("run.watch"), "on save", on_save))
        here = "run.inputs" if self.query_one(InputForm).has_focus_within else ""
        self.query_one("#run-options", TabBar).show_tabs(tabs, here, is_typing=bool(here))

    def on_descendant_focus(self) -> None:
        self.show_options()

    def on_descendant_blur(self) -> None:
        self.show_options()

    @property
    def operation(self) -> str:
        """The operation that is shown."""
        return self.run_state.selection.operation if self.run_state is not None else ""

    def _not_run_yet(self) -> Iterator[StyledLine]:
        """What a run is for, and the keys that lead to a result."""
        yield StyledLine("Nothing was run yet", "heading")
        yield StyledLine("A run works on copies: the real files stay as they are.", "", 1)
        yield StyledLine("This page then shows its effects beside those declared.", "", 1)
        yield StyledLine("")
        for id_, does in _FIRST_KEYS:
            if key := self._key(id_):
                yield StyledLine(f"{key:>3}  {does}", "quiet", 1)

    def _show_state(self) -> None:
        """Show the parts of the view, and what goes on."""
        verdict = Content("")
        if self.report is not None:
            sign, style = verdict_sign(self.report)
            verdict = Content.styled(sign, STYLES[style])
        tabs = [Tab("plan", "", "Plan"), Tab("result", "", "Result", verdict)]
        tabs.append(Tab("output", "", "Output"))
        self.query_one("#run-tabs", TabBar).show_tabs(tabs, self.mode, self._state())

    def _state(self) -> Content:
        """The active run, the fault, what prevents a run, or the key that starts one."""
        run_state, active_run = self.run_state, self._active_run
        if active_run is not None:
            return plain(f"▶ {active_run.status}", "$text-primary")
        if failure := self.failure:
            return plain(f"✗ {failure}", "$text-error")
        if run_state is None:
            return Content.styled("planning…", "dim")
        if run_state.why_not:
            return plain(f"✗ Can't run yet: {run_state.why_not}", "$text-error")
        if self.report is not None and self.mode != "plan":
            return Content("")
        asks = ": needs your consent" if run_state.plan and run_state.plan.confirm else ""
        return plain(f"✓ ready{asks}", "$text-success")

    @property
    def failure(self) -> str:
        """Why there is no plan, or why the last run did not start; "" if neither."""
        return self._latest.failure or self._refusal

    @property
    def skill(self) -> str | None:
        return self._runner.skill if self._runner is not None else None

    @property
    def tab_states(self) -> Mapping[str, Content]:
        change_states = {"preview": changes_state(self.report)} if self.report is not None else {}
        return {**change_states, **super().tab_states}

    @property
    def tab_state(self) -> Content:
        """The seconds of the active run, or the last verdict with its time."""
        if self._active_run is not None:
            return plain(f"▶ {self._active_run.seconds:.0f} s", "$text-primary")
        if self.report is None:
            return Content("")
        sign, style = verdict_sign(self.report)
        took = f" {self.report.ending.duration_ms / 1000:.1f} s" if self.report.run else ""
        return join(Content.styled(sign, STYLES[style]), took)

    @property
    def hints(self) -> Iterator[KeyHint]:
        if self.is_under_way:
            yield self._hint("run.cancel", "end it")
            yield self._hint("run.show", "tabs")
            return
        is_again = self.report is not None
        # An outdated plan does not prevent a run.
        is_prevented = self.is_settled and bool(self.run_state is None or self.run_state.why_not)
        is_result = is_again and self.mode == "result"
        yield self._hint("run.start", "run again" if is_again else "run", is_prevented)
        if self.run_state is not None and self.run_state.is_faulty:
            yield self._hint("problem.next", "next error")
        if is_result and self.reason.path:
            yield self._hint("run.open", "open the line")
        yield self._hint("run.inputs", "inputs")
        yield self._hint("run.operation", "operation", not self.has_operations)
        if is_result:
            yield self._hint("run.adopt", "adopt")
        if self.last_run is not None:
            yield self._hint("run.save-test", "save as test")
        yield self._hint("run.sample", "sample")
        if self.mode != "output":
            yield self._hint("run.details", "details")
        yield self._hint("run.isolation", "isolation")
        yield self._hint("run.show", "tabs")
        yield self._hint("run.history", "history")
        yield self._hint("run.compare", "versus", not is_again)

    def on_mount(self) -> None:
        self.show_mode("plan")

    def on_unmount(self) -> None:
        # The run's thread ends the processes it started; the program waits for its threads.
        self._captures.set()
        if self._active_run is not None:
            self._active_run.cancel.set()

    async def load(
        self,
        runner: Runner,
        get_unsaved: Callable[[], Sequence[str]],
        is_on_save: Callable[[], bool],
    ) -> None:
        """Show the operations of a skill; `get_unsaved` gives the names of its unsaved files,
        `is_on_save` whether each save runs it."""
        self._get_unsaved, self._is_on_save = get_unsaved, is_on_save
        if runner is not self._runner:
            self.cancel()
            self._stop()
            self._runner, self.run_state, self.report, self._about = runner, None, None, []
            self._printed_lines = ()
            self._refusal, self._last_run = "", None
            await self.query_one(InputForm).clear()
            self.query_one(OutputLog).clear()
            self.show_mode("plan")
        runner.forget()
        self.show_unsaved()
        self.refresh_soon()

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        conditions = {
            "run": True,
            "idle": not self.is_under_way,
            "run-active": self.is_under_way,
            "operations": self.has_operations,
            "report": self.report is not None,
            "own-run": self.last_run is not None,
            "reason": bool(self.reason.path),
        }
        return frozenset(name for name, holds in conditions.items() if holds)

    @property
    def is_settled(self) -> bool:
        return self._latest.is_settled and self.run_state is not None

    def show_unsaved(self) -> None:
        """Show which unsaved files a run reads from disk."""
        names = list(self._get_unsaved())
        if set(self._unsaved_names) - set(names) and self._runner is not None:
            self._runner.forget()
            self.refresh_soon()
        self._unsaved_names = names
        self.set_class(bool(names), "-unsaved")
        if names:
            what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} unsaved"
            key = self._key("file.save-skill")
            text = plain(f"● {what}: plan and run use the files on disk")
            if key:
                text = join(text, "  ", key_offer(key, "file.save-skill", "saves"))
            self.query_one("#run-unsaved", Line).show(text)

    def _prepare(self) -> Callable[[], RunState] | None:
        runner = self._runner
        return None if runner is None else partial(runner.look, runner.selection())

    async def show(self, run_state: RunState) -> None:
        """Show a plan, and the problems at each field."""
        runner = self._runner
        if runner is None:
            return
        runner.took(run_state)
        if run_state.selection.operation != runner.operation:
            return
        self.run_state = run_state
        await self.query_one(InputForm).show_inputs(runner, run_state)
        self._update_view()
        self.post_message(self.CommandsChanged())

    async def inputs_changed(self) -> None:
        """Show inputs that were set by a command."""
        self.show_mode("plan")
        if self._runner is not None and self.run_state is not None:
            await self.query_one(InputForm).show_inputs(self._runner, self.run_state)
        self.refresh_soon()

    def on_entry_edited(self, event: EntryEdited) -> None:
        """Plan again if the inputs changed."""
        event.stop()
        if self.query_one(InputForm).take():
            self._refusal = ""
            self.show_options()
            self.refresh_soon()

    def on_field_list_completed(self, event: InputForm.Completed) -> None:
        event.stop()
        self.to_focus.focus()

    async def wait_until_idle(self) -> None:
        """Wait until no run is active."""
        while self._over is not None:
            await self._over.wait()

    def start(self, run_state: RunState, focus: bool = True) -> None:
        """Run a plan; `focus` goes to its output."""
        runner = self._runner
        if runner is None or self._active_run is not None:
            return
        active_run = self._active_run = ActiveRun(run_state)
        self._over = asyncio.Event()
        self._refusal = ""
        self.query_one(OutputLog).clear()
        self.show_mode("output")
        if focus:
            self.to_focus.focus()
        work = partial(self._work, runner, active_run)
        self.run_worker(work, thread=True, group="dry-run", exit_on_error=False)
        self._timer = self.set_interval(1 / PER_SECOND, self._tick)
        self.post_message(self.CommandsChanged())

    def cancel(self) -> None:
        """Cancel the active run, with every process that it started."""
        if self._active_run is not None:
            self._active_run.cancel.set()
            self._update_view()

    def _work(self, runner: Runner, active_run: ActiveRun) -> None:
        result: FinishedRun | Exception
        try:
            result = runner.run(active_run.run_state, active_run.cancel, active_run.listener)
        except Exception as error:
            result = error
        self.call_later(self._finish_run, active_run, result)

    def _tick(self) -> None:
        active_run = self._active_run
        if active_run is None:
            return
        if lines := active_run.lines():
            self.query_one(OutputLog).write_lines(lines)
        self._ticks += 1
        if self._ticks % 4 == 0:
            self._show_state()
            self.post_message(self.CommandsChanged())

    def _finish_run(self, active_run: ActiveRun, result: FinishedRun | Exception) -> None:
        if active_run is not self._active_run:
            return
        if lines := active_run.lines(last=True):
            self.query_one(OutputLog).write_lines(lines)
        self._stop()
        if isinstance(result, RunRefused):
            self._refusal = f"not run: {result}"
            self.show_mode("plan")
        elif isinstance(result, Exception):
            self._refusal = f"dry-run stopped: {result!r}"
            self._update_view()
        else:
            self._last_run = (active_run.run_state, result.report)
            self.show_report(result.report, result.last_lines)
            for note in result.notes:
                say(self, note, bad=True)
        self.refresh_soon()

    def _stop(self) -> None:
        self._active_run = None
        if self._over is not None:
            self._over.set()
            self._over = None
        if self._timer is not None:
            self._timer.stop()
        self.post_message(self.CommandsChanged())
