"""The frame of the run view: its parts, which of them is in sight, and what is said above them."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widget import Widget

from skillstudio.dryrun.report import RunReport
from skillstudio.present.lines import Part, StyledLine
from skillstudio.present.plan import plan_lines
from skillstudio.present.run_report import report_lines, verdict_line
from skillstudio.session.running.running import Runner
from skillstudio.session.running.state import RunState
from skillstudio.tui.widgets.compare.lines import keys_line
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.run import head as lines
from skillstudio.tui.widgets.run.active_run import ActiveRun
from skillstudio.tui.widgets.run.details import PlanDetails, ResultDetails
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.run.head import MODES, Mode
from skillstudio.tui.widgets.run.output import OutputLog
from skillstudio.tui.widgets.split_view import SplitView


class RunFrame(SplitView):
    """The inputs, and beside or below them the plan, the result, or what is printed."""

    DEFAULT_CSS = """
    RunFrame > #run-unsaved { display: none; background: $warning 30%; }
    RunFrame.-unsaved > #run-unsaved { display: block; }
    RunFrame #run-side > Details, RunFrame #run-side > OutputLog { display: none; }
    RunFrame.-plan #run-plan { display: block; }
    RunFrame.-result #run-result { display: block; }
    RunFrame.-output #run-output { display: block; }
    RunFrame.-below InputForm { width: 100%; }
    RunFrame.-below.-result InputForm, RunFrame.-below.-output InputForm { display: none; }
    """

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        super().__init__(key, id)
        self._runner: Runner | None = None
        self._unsaved: Callable[[], Sequence[str]] = list
        self._told_unsaved: list[str] = []
        self.run_state: RunState | None = None
        self.report: RunReport | None = None
        """The report that is shown: of the last run, or of one that was kept."""
        self.mode: Mode = "plan"
        self._about: list[Part] = []
        """What the result says."""
        self._going: ActiveRun | None = None
        self._timer: Timer | None = None
        self._ticks = 0
        self._failure = ""
        """Why there is no plan, by a fault of ours."""
        self._refused = ""
        """Why the last run came to nothing; until something else is typed or run."""

    def compose(self) -> ComposeResult:
        yield Line(id="run-head")
        yield Line(id="run-state")
        yield Line(id="run-unsaved")
        with Horizontal(classes="body"):
            yield InputForm(id="run-form")
            with Vertical(id="run-side", classes="side"):
                yield Line(id="run-tabs")
                yield PlanDetails(id="run-plan")
                yield ResultDetails(id="run-result")
                yield OutputLog(id="run-output")
        yield Line(id="run-keys")

    def show_mode(self, mode: Mode) -> None:
        """Show the plan, the result, or what was printed."""
        focused = self.query_one("#run-side").has_focus_within
        form = self.query_one(InputForm)
        self.mode = mode
        self.update_classes({f"-{each}": each == mode for each in MODES})
        hidden = mode != "plan" and self.has_class("-below") and form.has_focus_within
        if focused or hidden:
            self.to_focus.focus()
        self.call_after_refresh(self._hold_focus)
        self._tell()

    def _hold_focus(self) -> None:
        """What was hidden may have lost the focus when that was drawn, and nothing have it."""
        if self.is_attached and self.display and self.screen.focused is None:
            self.to_focus.focus()

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
    @abstractmethod
    def settled(self) -> bool:
        """Whether the plan that is shown is of what is typed."""

    @property
    def is_under_way(self) -> bool:
        """Whether a run is going on."""
        return self._going is not None

    @property
    def may_run(self) -> bool:
        """Whether nothing is known to stand against a run: an older plan says nothing."""
        return not self.settled or (self.run_state is not None and not self.run_state.why_not)

    @property
    def has_operations(self) -> bool:
        """Whether there is another operation to choose."""
        opened = self.run_state.opened if self.run_state is not None else None
        return opened is not None and len(opened.operations) > 1

    # Showing.

    def show_report(self, report: RunReport) -> None:
        """Show what a run did."""
        self.report = report
        self.show_lines([verdict_line(report), *report_lines(report)])

    def show_lines(self, about: list[Part]) -> None:
        """Show something about runs in the place of the result."""
        self._about = about
        self.query_one(ResultDetails).tell(about)
        self.show_mode("result")
        self.post_message(self.CommandsChanged())

    def _tell(self) -> None:
        run_state = self.run_state
        self.query_one("#run-head", Line).show(lines.head(run_state))
        self._tell_state()
        if run_state is not None and run_state.plan is not None and self._runner is not None:
            plan = plan_lines(run_state.plan, self._runner.cwd, run_state.problems)
            self.query_one(PlanDetails).tell(list(plan))
        else:
            trouble = run_state.trouble if run_state is not None else "planning…"
            self.query_one(PlanDetails).tell([StyledLine(trouble)])
        if not self._about:
            self.query_one(ResultDetails).tell([StyledLine("nothing was run yet", "quiet")])
        self.query_one("#run-tabs", Line).show(lines.tabs(self.mode, self.report))
        keys = lines.keys(
            self.is_under_way,
            self.may_run,
            self.report is not None,
            not self.has_operations,
            self._key,
        )
        self.query_one("#run-keys", Line).show(keys_line(keys))

    def _tell_state(self) -> None:
        failure = self._failure or self._refused
        told = lines.state(self.run_state, self._going, failure, self._key)
        self.query_one("#run-state", Line).show(told)
