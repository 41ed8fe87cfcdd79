"""The samples of the open skill as tests: their state, and below each how it differs from its run.

Samples run one after another in a thread, which touches no widget.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.dryrun.sampling.accepting import ExpectationHunk
from skillstudio.present.lines import StyledLine
from skillstudio.present.samples import (
    SampleResult,
    error_lines,
    hunk_sides,
    names_text,
    outcome_reason,
    outcome_sign,
    result_lines,
    sample_details,
)
from skillstudio.session.running.state import RunRefused
from skillstudio.session.testing import SampleRow, SampleTester
from skillstudio.text.splicing import common_ends
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.widgets.details import StyledDetails
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import STYLES, KeyHint, KeyLine, Line, key_offer, lines_content
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.widgets.skill_view import SkillView
from skillstudio.tui.words import join, plain

_INDENT = 4  # Cells before the lines below a sample.
_BESIDE = 100  # Columns from which the details are beside the list.
_WIDEST = 40  # Cells of the name of an operation or a sample.
_GROUNDS = {
    "-": ("$text-error", "on $error 10%", "$foreground on $error 30%"),
    "+": ("$text-success", "on $success 10%", "$foreground on $success 30%"),
}
"""The colour of the sign of a line, its ground, and the ground of what differs in it."""


class _TestLine(NamedTuple):
    """A line of the list."""

    content: Content
    sample: int  # The index of its sample; of an operation without one, after all samples.
    hunk: ExpectationHunk | None = None
    is_first: bool = False  # Whether it can be selected: the first line of a sample or a hunk.
    offer: Content = Content("")  # What a key does while it is selected.


class Samples(NamedTuple):
    """The samples of a skill, and the operations without one."""

    rows: Sequence[SampleRow]
    untested_operations: Sequence[str]


class SampleRows(Rows):
    """A line for each sample, with its differences below."""

    HELP = """The samples of the skill: ✓ passed, ✗ failed, ○ not run, ! outdated, which means that
the skill or the sample has changed since. r runs the selected one, f5 all. Below a sample is how
the run differs: - is expected, + is what the run did; parts that vary between two runs are [..] or
a placeholder. The arrows go from difference to difference; a accepts the marked one, which becomes
what the sample expects, A all of them. e or enter opens the file of the sample; n generates a
sample of an operation without one. A failed run is only accepted after a question, and what the
manifest does not allow never."""

    class Resized(Message):
        """The lines have to be wrapped again."""

    def on_resize(self) -> None:
        super().on_resize()
        self.post_message(self.Resized())


class SampleDetails(StyledDetails):
    """What the list has no space for."""

    HELP = """The selected sample: the last line of standard error if it failed, why it has not
passed, its inputs, and the end of standard error. Arrows and j k scroll; tab goes to the list."""


class TestsView(SkillView):
    """Runs the samples of a skill, and shows and accepts what differs."""

    DEFAULT_CSS = """
    TestsView > #tests-unsaved { display: none; background: $warning 30%; }
    TestsView.-unsaved > #tests-unsaved { display: block; }
    TestsView > #tests-head { background: $background; margin-bottom: 1; }
    TestsView.-narrow > #tests-head { margin-bottom: 0; }
    TestsView > #tests-body { height: 1fr; }
    TestsView SampleRows { height: 1fr; }
    TestsView SampleDetails { display: none; height: auto; max-height: 30%; min-height: 1; }
    TestsView.-cut SampleDetails { display: block; }
    TestsView.-beside > #tests-body { layout: horizontal; }
    TestsView.-beside SampleRows { width: 3fr; }
    TestsView.-beside SampleDetails {
        display: block;
        height: 1fr;
        max-height: 100%;
        width: 2fr;
        margin-left: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = view_bindings("tests")

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        super().__init__(key, id)
        self._tester: SampleTester | None = None
        self._get_unsaved: Callable[[], Sequence[str]] = list
        self._rows: Sequence[SampleRow] = ()
        self._untested_operations: Sequence[str] = ()
        self._is_loaded = False
        self._run_request: bool | None = None
        """What to run once the samples are known: all or the selected one."""
        self._lines: list[_TestLine] = []
        self._goal = ""
        """The path of the sample to select once it is listed."""
        self._is_going_to_fault = False
        """Whether the first sample that failed is selected when the tests end."""
        self._cancel: threading.Event | None = None
        """Set to end the active tests; None without any."""
        self._over: asyncio.Event | None = None
        """Set when the active tests have ended."""
        self._active = ""
        """The path of the sample that is running."""
        self._progress = ""
        self._number = ""
        """Which sample of how many is running."""
        self._refusal = ""
        self._latest = Latest(self, "tests", self._prepare, self.show, self._update_view)

    def compose(self) -> ComposeResult:
        yield Line(id="tests-head")
        yield Line(id="tests-unsaved")
        with Vertical(id="tests-body"):
            yield SampleRows(id="tests-list", empty=Content("looking for samples…"))
            yield SampleDetails(id="tests-details")

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.set_class(event.size.width >= _BESIDE, "-beside")
        self._show_details()

    def load(self, tester: SampleTester, get_unsaved: Callable[[], Sequence[str]]) -> None:
        """Show the samples of a skill; `get_unsaved` gives the names of its unsaved files."""
        self._get_unsaved = get_unsaved
        if tester is not self._tester:
            self.cancel()
            self._tester, self._rows, self._untested_operations, self._refusal = tester, (), (), ""
            self._is_loaded, self._run_request = False, None
        tester.runner.forget()
        self.show_unsaved()
        self.refresh_soon()

    @property
    def to_focus(self) -> Widget:
        """The widget to focus."""
        return self.query_one(SampleRows)

    def leave_field(self) -> bool:
        """Whether the focus was in a field: there is none."""
        return False

    @property
    def is_under_way(self) -> bool:
        """Whether tests are running."""
        return self._cancel is not None

    async def wait_until_idle(self) -> None:
        """Wait until no test is running."""
        if self._over is not None:
            await self._over.wait()

    @property
    def results(self) -> list[SampleResult]:
        """The last result of each sample."""
        return [row.result for row in self._rows]

    def outcome(self, path: str) -> str:
        """The outcome of the last test of a sample on the files as they were then."""
        return self._tester.outcome(path) if self._tester is not None else ""

    @property
    def active(self) -> str:
        """The path of the sample that is running; "" for none."""
        return self._active

    @property
    def is_settled(self) -> bool:
        """Whether the current samples are shown, and none is running."""
        return self._latest.is_settled and not self.is_under_way

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        conditions = {
            "tests": True,
            "idle": not self.is_under_way,
            "tests-active": self.is_under_way,
            "sample": self.row is not None or not self._is_loaded,
            "hunk": self.hunk is not None,
            "untested": bool(self.operation),
        }
        return frozenset(name for name, holds in conditions.items() if holds)

    @property
    def _line_here(self) -> _TestLine | None:
        at = self.query_one(SampleRows).cursor if self.is_mounted else 0
        return self._lines[at] if at < len(self._lines) else None

    @property
    def row(self) -> SampleRow | None:
        """The selected sample."""
        line = self._line_here
        is_sample = line is not None and line.sample < len(self._rows)
        return self._rows[line.sample] if line is not None and is_sample else None

    @property
    def hunk(self) -> ExpectationHunk | None:
        """The selected hunk; that of a sample is its first."""
        line, row = self._line_here, self.row
        if line is None or row is None:
            return None
        return line.hunk or next(iter(row.hunks), None)

    @property
    def marked_hunk(self) -> ExpectationHunk | None:
        """The hunk whose own line is selected."""
        return self._line_here.hunk if self._line_here is not None else None

    @property
    def operation(self) -> str:
        """The selected operation, which has no sample; else the only one, or the first."""
        line = self._line_here
        index = line.sample - len(self._rows) if line is not None else -1
        if 0 <= index < len(self._untested_operations):
            return self._untested_operations[index]
        return next(iter(self._untested_operations), "")

    def go_to(self, path: str) -> None:
        """Select a sample as soon as it is listed."""
        self._goal = path
        self.refresh_soon()

    def show_unsaved(self) -> None:
        """Show which unsaved files the tests read from disk."""
        names = list(self._get_unsaved())
        self.set_class(bool(names), "-unsaved")
        if names:
            what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} unsaved"
            text = f"● {what}: tests use the files on disk"
            self.query_one("#tests-unsaved", Line).show(plain(text))

    def _prepare(self) -> Callable[[], Samples | RunRefused] | None:
        tester = self._tester
        return None if tester is None else partial(_look, tester)

    def show(self, samples: Samples | RunRefused) -> None:
        """Show the samples; the same one stays selected."""
        before, hunk = self.row, self._line_here.hunk if self._line_here is not None else None
        is_refused = isinstance(samples, RunRefused)
        self._refusal = str(samples) if is_refused else ""
        self._rows, self._untested_operations = (
            samples if isinstance(samples, Samples) else ((), ())
        )
        self._is_loaded = True
        path = self._goal or (before.result.path if before is not None else "")
        if any(row.result.path == self._goal for row in self._rows):
            self._goal = ""
        if self._is_going_to_fault and not self.is_under_way:
            self._is_going_to_fault = False
            failed_paths = (row.result.path for row in self._rows if row.result.differs)
            path = next(failed_paths, path)
        self._lay_out(path, hunk)
        self._update_view()
        run_request, self._run_request = self._run_request, None
        if run_request is not None:
            self.run(run_request)

    def _lay_out(self, path: str, hunk: ExpectationHunk | None = None) -> None:
        """Make the lines; select the sample of a path, and its hunk if it is still there."""
        rows = self.query_one(SampleRows)
        self._lines = list(self._all_lines(max(rows.width, 24)))
        starts = [index for index, line in enumerate(self._lines) if line.is_first]
        skipped_rows = set(range(len(self._lines))) - set(starts)
        at = next((i for i in starts if path and self._path_of(self._lines[i]) == path), None)
        if at is None and rows.cursor not in starts:
            at = next(iter(starts), 0)
        same = (i for i in starts if hunk is not None and self._lines[i].hunk == hunk)
        at = next((i for i in same if self._path_of(self._lines[i]) == path), at)
        rows.empty = Content("")
        rows.show(LazyLines(len(self._lines), self._line), at, skipped_rows)

    def _path_of(self, line: _TestLine) -> str:
        return self._rows[line.sample].result.path if line.sample < len(self._rows) else ""

    def on_sample_rows_resized(self, event: SampleRows.Resized) -> None:
        event.stop()
        line = self._line_here
        if line is not None:
            self._lay_out(self._path_of(line), line.hunk)

    def _line(self, index: int) -> Content:
        line = self._lines[index]
        if line.hunk is None:
            return join(line.content, line.offer) if line is self._line_here else line.content
        mark = "▌" if line.hunk is self.hunk and self.row is self._rows[line.sample] else " "
        return join(plain(mark.rjust(_INDENT - 1), "$text-primary"), " ", line.content)

    def _all_lines(self, width: int) -> Iterator[_TestLine]:
        names = [self._names(row) for row in self._rows]
        operations = [*(name[0] for name in names), *self._untested_operations]
        widths = (
            min(max(map(len, operations), default=0), _WIDEST),
            min(max((len(file) for _, file in names), default=0), _WIDEST),
        )
        for index, (row, cells) in enumerate(zip(self._rows, names, strict=True)):
            yield _TestLine(self._sample_line(row, cells, widths), index, None, True)
            if row.result.path != self._active:
                yield from _lines_below(row, index, width - _INDENT, self.has_class("-beside"))
        key = self._key("tests.generate")
        for number, operation in enumerate(self._untested_operations, len(self._rows)):
            name = plain(f"· {operation:<{widths[0]}}  no sample", "dim")
            offer = join("   ", key_offer(key, "tests.generate", "generates one"))
            yield _TestLine(name, number, None, True, offer if key else Content(""))
        if self._is_loaded and not self._rows and not self._refusal:
            for line in self._explain_samples():
                yield _TestLine(lines_content([line], width), len(self._rows))

    def _names(self, row: SampleRow) -> tuple[str, str]:
        return row.result.operation or row.result.skill, row.result.path.rpartition("/")[2]

    def _sample_line(
        self, row: SampleRow, cells: tuple[str, str], widths: Sequence[int]
    ) -> Content:
        result = row.result
        sign, style = outcome_sign(result)
        took = f"{result.seconds:.1f} s" if result.seconds else ""
        why, why_style = outcome_reason(result, row.changed_files), STYLES[style]
        if result.outcome == "not run":
            why = ""  # Its sign says it.
        if result.path == self._active:
            sign, style, took, why, why_style = "▶", "", "", "running", "$text-primary"
        about = why or row.about
        if self.has_class("-beside") and row.result.path != self._active:
            about = ""  # It is beside the list.
        text = "  ".join(f"{cell:<{wide}}" for cell, wide in zip(cells, widths, strict=True))
        return join(
            plain(f"{sign} ", STYLES[style]),
            plain(text, "bold" if result.differs else ""),
            plain(f"  {took:>6}" if self._has_times else "", "dim"),
            plain(f"   {about}" if about else "", why_style if why else "dim"),
        )

    @property
    def _has_times(self) -> bool:
        """Whether a sample was run, so that there is a column of times."""
        return any(row.result.seconds for row in self._rows)

    def _update_view(self) -> None:
        """Show the counts or the progress, and the keys."""
        self.query_one("#tests-head", Line).show(self._head())
        self._show_details()
        self.query_one(SampleRows).refresh()
        self.post_message(self.CommandsChanged())

    def _show_details(self) -> None:
        """Show the selected sample: beside the list all of it, below it what its row has cut."""
        row, details = self.row, self.query_one(SampleDetails)
        if row is None:
            self.remove_class("-cut")
            details.show_lines([])
            return
        lines = sample_details(row.result, row.changed_files, row.about)
        if self.has_class("-beside"):
            details.show_lines(list(lines))
            return
        reason = (
            outcome_reason(row.result, row.changed_files) if row.result.state != "not run" else ""
        )
        starts = (line for line in self._lines if line.is_first and line.hunk is None)
        here = next(line for line in starts if self._path_of(line) == row.result.path)
        self.set_class(here.content.cell_length > self.query_one(SampleRows).width, "-cut")
        details.show_lines([StyledLine(reason or row.about)])

    def _head(self) -> Content:
        if self._progress:
            return plain(f"▶ {self._progress}", "$text-primary")
        if failure := self._latest.failure or self._refusal:
            return plain(f"✗ {failure}", "$text-error")
        if not self._is_loaded:
            return plain("looking for samples…", "dim")
        results = [row.result for row in self._rows]
        parts = []
        for outcome, style in _OUTCOME_STYLES:
            same = [result for result in results if result.outcome == outcome]
            if same:
                sign = outcome_sign(same[0])[0]
                parts.append(plain(f"{sign} {len(same)} {outcome}", style))
        if not parts:
            parts.append(plain("no tests yet", "bold"))
        seconds = sum(result.seconds for result in results)
        levels = {result.isolation: None for result in results if result.isolation}
        about = [f"{seconds:.1f} s"] if seconds else []
        about += [" ".join(levels)] if levels else []
        return join(Content("   ").join(parts), plain(f"   {' · '.join(about)}", "dim"))

    def _explain_samples(self) -> Iterator[StyledLine]:
        """What a sample is, and the keys that make one."""
        yield StyledLine("")
        if not self._untested_operations:
            yield StyledLine("A test runs an operation, and this skill has none.")
            yield StyledLine(
                f"“Add an operation…” in the palette ({self._key('help.palette')}) writes one to "
                "the manifest."
            )
            return
        steps = (
            f"go to Run ({self._key('view.run')}) and run an operation ({self._key('run.start')})",
            f"save the run as a test ({self._key('run.save-test')}): this makes a sample",
            f"come back ({self._key('view.tests')}): {self._key('tests.run-all')} runs all samples "
            "and shows what differs",
        )
        yield StyledLine("A test is a sample: the inputs of a run, and what to expect of it.")
        yield StyledLine("")
        yield from (StyledLine(f"{at}. {step}", "", 1) for at, step in enumerate(steps, 1))

    @property
    def skill(self) -> str | None:
        return self._tester.skill if self._tester is not None else None

    @property
    def tab_state(self) -> Content:
        """The number of the running sample, or how many failed and passed."""
        if self._number:
            return plain(f"▶ {self._number}", "$text-primary")
        outcomes = [row.result.outcome for row in self._rows]
        signs = (("failed", "✗", "$text-error"), ("passed", "✓", "$text-success"))
        parts = [
            plain(f"{sign}{outcomes.count(outcome)}", style)
            for outcome, sign, style in signs
            if outcome in outcomes
        ]
        return Content(" ").join(parts)

    @property
    def hints(self) -> Iterator[KeyHint]:
        if self.is_under_way:
            yield self._hint("tests.cancel", "end it")
            return
        row = self.row
        is_none, hunks = row is None, len(row.hunks) if row is not None else 0
        yield self._hint("tests.run-all", "run all", not self._rows)
        yield self._hint("tests.run", "run", is_none)
        yield self._hint("tests.accept", "accept", self.hunk is None)
        yield self._hint("tests.accept-all", "accept all", hunks < 2)
        yield self._hint("tests.open", "open", is_none)
        yield self._hint("tests.generate", "generate one", not self.operation)

    def on_unmount(self) -> None:
        if self._cancel is not None:
            self._cancel.set()

    def cancel(self) -> None:
        """End the active tests, with every process that they started."""
        if self._cancel is not None:
            self._cancel.set()
            self._progress = "ending everything that was started…"
            self._update_view()

    def run(self, every: bool) -> None:
        """Run every sample, or the selected one; wait for the list if it is not known yet."""
        if not self._is_loaded:
            self._run_request = every
        elif every or self.row is None:
            self._is_going_to_fault = True
            self.start(self._rows)
        else:
            self.start([self.row])

    def start(self, rows: Sequence[SampleRow], is_quick: bool = False) -> None:
        """Run some samples; `is_quick` as in `SampleTester.test`."""
        tester = self._tester
        if tester is None or self._cancel is not None or not rows:
            return
        cancel = self._cancel = threading.Event()
        self._over = asyncio.Event()
        self._refusal = ""
        work = partial(self._work, tester, list(rows), cancel, is_quick)
        self.run_worker(work, thread=True, group="sample-tests", exit_on_error=False)
        self._update_view()
        self.post_message(self.CommandsChanged())

    def _work(
        self,
        tester: SampleTester,
        rows: Sequence[SampleRow],
        cancel: threading.Event,
        is_quick: bool,
    ) -> None:
        trouble = ""
        try:
            for number, row in enumerate(rows, 1):
                if cancel.is_set():
                    break
                self.call_later(self._runs, tester, row.result.path, number, len(rows))
                tester.test(row, cancel, is_quick)
        except RunRefused as error:
            trouble = str(error)
        except Exception as error:
            trouble = f"tests stopped: {error!r}"
        self.call_later(self._finish_tests, cancel, trouble)

    def _runs(self, tester: SampleTester, path: str, number: int, of: int) -> None:
        if tester is self._tester and self._cancel is not None and not self._cancel.is_set():
            self._active, self._number = path, f"{number}/{of}"
            self._progress = f"running {number} of {of}: {path}"
            self.refresh_soon()
            self._update_view()

    def _finish_tests(self, cancel: threading.Event, trouble: str) -> None:
        if cancel is not self._cancel:
            return
        self._cancel, self._active, self._progress, self._number = None, "", "", ""
        if self._over is not None:
            self._over.set()
        if trouble:
            self.notify(trouble, severity="error", markup=False)
        self.refresh_soon()
        self.post_message(self.CommandsChanged())

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._update_view()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if not event.was_clicked:
            command = "tests.open" if self.row is not None else "tests.generate"
            self.post_message(KeyLine.Clicked(command))


_OUTCOME_STYLES = (
    ("failed", "bold $text-error"),
    ("passed", "$text-success"),
    ("outdated", "$text-warning"),
    ("skipped", "dim"),
    ("not run", ""),
)
"""The outcomes that the head counts, and their styles."""


def _look(tester: SampleTester) -> Samples | RunRefused:
    try:
        return Samples(tester.look(), tester.find_untested_operations())
    except RunRefused as error:
        return error


def _lines_below(row: SampleRow, index: int, width: int, has_details: bool) -> Iterator[_TestLine]:
    """The last line of standard error, the differences of a sample, why they cannot be accepted,
    what changed, and what was printed before, unless the details beside have it."""
    result = row.result
    if result.outcome != "failed":
        return
    errors = list(error_lines(result))[1:] if row.hunks else []
    for error in errors[-1:]:
        for content in lines_content([StyledLine(error.strip())], width).split("\n"):
            yield _TestLine(join(" " * _INDENT, content), index)
    for hunk in row.hunks:
        is_first = True
        for content in _hunk_content(hunk, width):
            yield _TestLine(content, index, hunk, is_first)
            is_first = False
    lines: list[StyledLine] = []
    if not row.hunks:
        lines += [line._replace(indent=max(line.indent - 4, 0)) for line in result_lines(result)]
    lines += [
        StyledLine(f"cannot be accepted: {difference.message}", "error")
        for difference in row.refusals
    ]
    if row.changed_files:
        lines.append(
            StyledLine(f"{names_text(row.changed_files)} changed since it last passed", "quiet")
        )
    if len(errors) > 1 and not has_details:
        lines += [
            StyledLine(line, "quiet") for line in ("standard error before that:", *errors[:-1])
        ]
    for line in lines:
        for content in lines_content([line], width).split("\n", allow_blank=True):
            yield _TestLine(join(" " * _INDENT, content), index)


def _hunk_content(hunk: ExpectationHunk, width: int) -> Iterator[Content]:
    """The lines of a hunk on the grounds of what is expected and what the run did; what differs
    between two lines is marked."""
    sides = hunk_sides(hunk)
    is_pair = len(hunk.removed) == len(hunk.added) == 1
    head, tail = common_ends(hunk.removed[0], hunk.added[0]) if is_pair else (0, 0)
    for sign, lines, remark in sides:
        colour, ground, part = _GROUNDS[sign]
        for number, line in enumerate(lines):
            text = plain(line)
            if is_pair and len(text.plain) == len(line):
                text = text.stylize(part, head, len(line) - tail)
            room = max(width - 2 - (len(remark) + 2 if not number else 0), 12)
            for piece, content in enumerate(text.wrap(room) or [Content("")]):
                is_first = not number and not piece
                sign_content = plain(f"{sign} " if not piece else "  ", colour)
                body = content.pad_right(room - content.cell_length) if is_first else content
                about = plain(f"  {remark}", "dim") if is_first else Content("")
                yield join(join(sign_content, body).stylize_before(ground), about)
