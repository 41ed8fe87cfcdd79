"""What another program did to a skill last: its worst problem, the required bump, its tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from skillstudio.present.lines import LineStyle, Part, StyledLine, count
from skillstudio.present.problems import SIGNS, numbers
from skillstudio.present.samples import SampleResult, names_text, outcome_sign, result_lines
from skillstudio.session.comparing.comparing import ComparisonResult
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.widgets.compare.live import bump_lines, is_unchanged, why_unknown
from skillstudio.tui.widgets.details import StyledDetails
from skillstudio.tui.widgets.lines import KeyHint, KeyLine

_STYLES: dict[Severity, LineStyle] = {"error": "error", "warning": "warning"}
_MOST = 4  # Changes of the interface, failed tests, and earlier skills.
_MOST_LINES = 12  # Lines of one failed test.


class FollowedChange(NamedTuple):
    """A change of a skill by another program."""

    skill: str
    name: str
    files: tuple[str, ...]
    time: str  # The local time, HH:MM:SS.


class FollowedTests(NamedTuple):
    """The samples of the skill, and what the last change means for them."""

    results: Sequence[SampleResult] = ()
    active: str = ""  # The path of the sample that is running.
    waiting_paths: Collection[str] = frozenset()
    """The paths of those that the change touches and that only the user may run."""
    refusal: str = ""  # Why none can be run.


class FollowState(NamedTuple):
    """What the view shows of the skill that changed last."""

    change: FollowedChange | None
    problems: Sequence[Diagnostic] | None = None  # The worst first; None while they are read.
    place: str = ""  # Of the worst one, `path:line:column`.
    line: str = ""  # The text of its line.
    outcome: ComparisonResult | None = None
    tests: FollowedTests = FollowedTests()
    earlier: Sequence[tuple[FollowedChange, str]] = ()  # Other skills, with their state.
    run_key: str = ""  # The key that runs the waiting tests.


def follow_parts(state: FollowState) -> Iterator[Part]:
    """The lines of the view."""
    if state.change is None:
        yield StyledLine("Nothing has changed yet", "title")
        yield StyledLine("The skill that another program writes next is shown here.", "quiet")
    else:
        files = names_text(state.change.files)
        yield StyledLine(f"{files} changed", "title", remark=f"at {state.change.time}")
    yield StyledLine("")
    yield from _problem_lines(state)
    if state.outcome is not None:
        yield StyledLine("")
        yield from _bump(state.outcome)
    if lines := list(_test_lines(state.tests, state.run_key)):
        yield StyledLine("")
        yield from lines
    if state.earlier:
        yield StyledLine("")
        yield StyledLine("Before that", "heading")
        for change, sign in state.earlier[:_MOST]:
            files = names_text(change.files)
            yield StyledLine(f"{change.time}  {change.name}", "", 1, sign, files)


def _problem_lines(state: FollowState) -> Iterator[StyledLine]:
    if state.problems is None:
        yield StyledLine("reading…", "quiet")
        return
    if not state.problems:
        yield StyledLine("no problems", "good", 0, "✓")
        return
    worst = state.problems[0]
    counts = Counter(problem.severity or "error" for problem in state.problems)
    if worst.severity == "info":
        notes = numbers(counts)["info"]
        yield StyledLine("no errors and no warnings", "good", 0, "✓", notes)
        return
    severity = worst.severity or "error"
    yield StyledLine(f"{state.place}  {worst.message}", _STYLES[severity], 0, SIGNS[severity])
    if state.line.strip():
        yield StyledLine(state.line.strip(), "code", 1)
    if len(state.problems) > 1:
        counts[severity] -= 1
        yield StyledLine(f"and {', '.join(numbers(counts).values())}", "quiet", 1)


def _bump(outcome: ComparisonResult) -> Iterator[StyledLine]:
    from skillstudio.present.comparison import absent_line

    if outcome.absent_in:
        yield absent_line(outcome.absent_in)
    elif why := why_unknown(outcome):
        yield StyledLine(why, "quiet")
    elif is_unchanged(outcome):
        yield StyledLine(f"nothing changed since {outcome.old.label}", "good", 0, "✓")
    else:
        yield from bump_lines(outcome, _MOST, f"since {outcome.old.label}")


def _test_lines(tests: FollowedTests, run_key: str) -> Iterator[StyledLine]:
    if tests.refusal:
        yield StyledLine(f"tests not run: {tests.refusal}", "warning", 0, "!")
        return
    # Of a test that failed, the differences that can be accepted are found after that is shown.
    results = [
        result for result in tests.results if result.path != tests.active or result.state == "run"
    ]
    if tests.active and len(results) < len(tests.results):
        yield StyledLine(f"running {tests.active}", "", 0, "▶")
    failed_results = [result for result in results if result.outcome == "failed"]
    for result in failed_results[:_MOST]:
        name = " ".join(part for part in (result.operation, result.sample) if part)
        yield StyledLine(f"{name} failed", "error", 0, "✗", f"{result.seconds:.1f} s")
        lines = list(result_lines(result))
        for line in lines[:_MOST_LINES]:
            yield line._replace(indent=max(line.indent // 2 - 1, 1))
        if len(lines) > _MOST_LINES:
            yield StyledLine(f"… {len(lines) - _MOST_LINES} more lines", "quiet", 1)
    passed_results = [result for result in results if result.outcome == "passed"]
    if passed_results:
        sign, style = outcome_sign(passed_results[0])
        seconds = sum(result.seconds for result in passed_results)
        text = f"{count(len(passed_results), 'sample')} passed"
        yield StyledLine(text, style, 0, sign, f"{seconds:.1f} s")
    rest = [result for result in results if result.outcome not in ("failed", "passed")]
    waiting_count = sum(result.path in tests.waiting_paths for result in rest)
    if waiting_count:
        samples, it = count(waiting_count, "sample"), "it" if waiting_count == 1 else "them"
        how = f"press {run_key} to run {it} now and after each change"
        text = f"{samples} not run: {how if run_key else f'Tests runs {it}'}"
        yield StyledLine(text, "warning", 0, "○")
    other_count = sum(result.path not in tests.waiting_paths for result in rest)
    if other_count and not tests.active:
        yield StyledLine(
            f"{count(other_count, 'sample')} not touched by the change", "quiet", 0, "○"
        )


class FollowView(StyledDetails):
    """Shows the skill that another program writes."""

    HELP = """The skill that changed last on disk: which files, its worst problem, the version bump
that the change needs, and its tests. The tests that a change touches run again without a key, once
their operation was run in this workbench: r runs them the first time. Enter goes to the worst
problem, 1 to 6 show the skill as usual, and F stops following. Unsaved text is never replaced."""
    BINDINGS: ClassVar[list[BindingType]] = view_bindings("follow")

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        """`key` returns the shown key of a command, "" if it has none."""
        super().__init__(id=id)
        self._key = key

    @property
    def to_focus(self) -> Widget:
        """The widget to focus."""
        return self

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        return frozenset({"following"})

    @property
    def hints(self) -> Iterator[KeyHint]:
        """The keys of the view, the most important first."""
        yield self._hint("follow.test", "run tests")
        yield self._hint("follow.problem", "problem")

    def _hint(self, id_: str, does: str) -> KeyHint:
        return KeyHint(self._key(id_), does, command=id_)

    def leave_field(self) -> bool:
        """Whether the focus was in a field: there is none."""
        return False

    def on_click(self, event: events.Click) -> None:
        """Go to the problem that is clicked."""
        row = event.screen_y - self.content_region.y + round(self.scroll_offset.y)
        signs = {SIGNS[severity] for severity in _STYLES}
        line = self.line_at(row)
        if line is not None and line.lead in signs and ":" in line.text:
            self.post_message(KeyLine.Clicked("follow.problem"))
