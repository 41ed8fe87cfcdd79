"""The samples of the open skill as tests: their state, and how each differs from its run.

Samples run one after another in a thread, which touches no widget.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.dryrun.sampling.accepting import ExpectationHunk
from skillstudio.present.lines import StyledLine
from skillstudio.present.samples import (
    counts_text,
    error_lines,
    hunk_lines,
    outcome_line,
    result_lines,
)
from skillstudio.session.running.state import RunRefused
from skillstudio.session.testing import SampleRow, SampleTester
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import KeyHint, Line, line_content, lines_content
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.widgets.split_view import SplitView
from skillstudio.tui.words import joined, plain

_MARGIN = 2  # Columns before the lines of a hunk.
_ShownLine = tuple[StyledLine, ExpectationHunk | None]


class SampleRows(Rows):
    """One line for each sample."""

    HELP = """The samples of the skill: ✓ passed, ✗ failed, ○ not run, ! outdated, which means that
the skill or the sample has changed since. r runs the selected one, f5 all. What differs is shown
beside or below, in hunks; n goes to the next one, a accepts it: it becomes what the sample expects.
A accepts all. o opens the file of the sample. A failed run is only accepted after a question, and
what the manifest does not allow never."""


class HunkRows(Rows):
    """The differences of one sample; the lines of a hunk belong together."""

    HELP = """How the run differs from what the sample expects: - is expected, + is what the run
did. Parts that vary between two runs are [..] or a placeholder. a accepts the selected hunk, A all
of them, n goes to the next one; tab goes back to the list of samples."""

    class Resized(Message):
        """The lines have to be wrapped again."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())


class TestsView(SplitView):
    """Runs the samples of a skill, and shows and accepts what differs."""

    DEFAULT_CSS = """
    TestsView > #tests-unsaved { display: none; background: $warning 30%; }
    TestsView.-unsaved > #tests-unsaved { display: block; }
    TestsView SampleRows { width: 45%; height: 1fr; }
    TestsView HunkRows { height: 1fr; }
    TestsView.-below SampleRows { width: 100%; height: 40%; min-height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = view_bindings("tests")

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        super().__init__(key, id)
        self._tester: SampleTester | None = None
        self._unsaved: Callable[[], Sequence[str]] = list
        self._rows: list[SampleRow] = []
        self._is_loaded = False
        self._wanted: bool | None = None
        """What to run once the samples are known: all or the selected one."""
        self._lines: list[_ShownLine] = []
        self._wrapped: list[tuple[Content, ExpectationHunk | None]] = []
        """The lines, as wide as the list of hunks."""
        self._shown = ""
        """The path of the sample whose differences are shown."""
        self._cancel: threading.Event | None = None
        """Set to end the active tests; None without any."""
        self._active = ""
        """The path of the sample that is running."""
        self._progress = ""
        self._number = ""
        """Which sample of how many is running."""
        self._refused = ""
        self._latest = Latest(self, "tests", self._prepare, self.show, self._update_view)

    def compose(self) -> ComposeResult:
        yield Line(id="tests-head")
        yield Line(id="tests-state")
        yield Line(id="tests-unsaved")
        with Horizontal(classes="body"):
            yield SampleRows(id="tests-list", empty=Content("looking for samples…"))
            with Vertical(classes="side"):
                yield Line(id="tests-title")
                yield HunkRows(id="tests-hunks", empty=Content(""))

    def load(self, tester: SampleTester, unsaved: Callable[[], Sequence[str]]) -> None:
        """Show the samples of a skill; `unsaved` gives the names of its unsaved files."""
        self._unsaved = unsaved
        if tester is not self._tester:
            self.cancel()
            self._tester, self._rows, self._refused = tester, [], ""
            self._is_loaded, self._wanted = False, None
        tester.runner.forget()
        self.show_unsaved()
        self.refresh_soon()

    @property
    def to_focus(self) -> Widget:
        """The widget to focus."""
        return self.query_one(SampleRows)

    def leave_field(self) -> bool:
        """Go from the differences to the list. Whether the focus was on them."""
        if not self.query_one(HunkRows).has_focus:
            return False
        self.to_focus.focus()
        return True

    @property
    def is_under_way(self) -> bool:
        """Whether tests are running."""
        return self._cancel is not None

    @property
    def settled(self) -> bool:
        """Whether the current samples are shown, and none is running."""
        return self._latest.is_settled and not self.is_under_way

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        found = {
            "tests": True,
            "idle": not self.is_under_way,
            "tests-active": self.is_under_way,
            "sample": self.row is not None or not self._is_loaded,
            "hunk": self.hunk is not None,
        }
        return frozenset(name for name, holds in found.items() if holds)

    @property
    def row(self) -> SampleRow | None:
        """The selected sample."""
        at = self.query_one(SampleRows).cursor if self.is_mounted else 0
        return self._rows[at] if at < len(self._rows) else None

    @property
    def hunk(self) -> ExpectationHunk | None:
        """The selected hunk."""
        at = self.query_one(HunkRows).cursor if self.is_mounted else 0
        return self._wrapped[at][1] if at < len(self._wrapped) else None

    def next_hunk(self) -> None:
        """Select the next hunk; after the last, the first."""
        rows = self.query_one(HunkRows)
        starts = [
            number
            for number, (_, hunk) in enumerate(self._wrapped)
            if hunk is not None and (not number or self._wrapped[number - 1][1] is not hunk)
        ]
        if starts:
            rows.cursor = next((each for each in starts if each > rows.cursor), starts[0])

    def show_unsaved(self) -> None:
        """Show which unsaved files the tests read from disk."""
        names = list(self._unsaved())
        self.set_class(bool(names), "-unsaved")
        if names:
            what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} unsaved"
            text = f"● {what}: tests use the files on disk"
            self.query_one("#tests-unsaved", Line).show(plain(text))

    def _prepare(self) -> Callable[[], list[SampleRow] | RunRefused] | None:
        tester = self._tester
        return None if tester is None else partial(_look, tester)

    def show(self, found: list[SampleRow] | RunRefused) -> None:
        """Show the samples; the same one stays selected."""
        before = self.row
        self._refused = str(found) if isinstance(found, RunRefused) else ""
        self._rows = [] if isinstance(found, RunRefused) else found
        paths = [each.result.path for each in self._rows]
        rows = self.query_one(SampleRows)
        rows.empty = plain("no samples")
        at = paths.index(before.result.path) if before and before.result.path in paths else None
        rows.show(LazyLines(len(self._rows), self._line), at)
        self._is_loaded = True
        self._update_view()
        self.post_message(self.CommandsChanged())
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.run(wanted)

    def _line(self, index: int) -> Content:
        result = self._rows[index].result
        if result.path == self._active:
            name = outcome_line(result, glyph=True).text
            return joined(plain("▶ running  ", "$text-primary"), plain(name))
        return line_content(outcome_line(result, glyph=True))

    def _update_view(self) -> None:
        """Show the counts, the state, the differences of the selected sample, and the keys."""
        results = [each.result for each in self._rows]
        counts = plain(f"  {counts_text(results)}") if results else ""
        self.query_one("#tests-head", Line).show(joined(Content.styled("Tests", "bold"), counts))
        self.query_one("#tests-state", Line).show(self._state())
        row = self.row
        path = row.result.path if row is not None else ""
        self.query_one("#tests-title", Line).show(plain(path, "bold"))
        is_empty = self._is_loaded and not self._refused
        lines = list(_lines(row)) if row is not None else list(self._teaching()) if is_empty else []
        if lines != self._lines or path != self._shown:
            is_same = path == self._shown
            self._lines, self._shown = lines, path
            self._wrap(None if is_same else 0)
        self.post_message(self.CommandsChanged())

    def _teaching(self) -> Iterator[_ShownLine]:
        """What a sample is, and the keys that make one."""
        steps = (
            f"go to Run ({self._key('view.run')}) and run an operation ({self._key('run.start')})",
            f"save the run as a test ({self._key('run.save-test')}): this makes a sample",
            f"come back ({self._key('view.tests')}): {self._key('tests.run-all')} runs all samples "
            "and shows what differs",
        )
        yield (
            StyledLine(
                "A sample is a recorded run: its inputs, and what to expect of it.", "heading"
            ),
            None,
        )
        yield from ((StyledLine(f"{at}. {step}", "", 1), None) for at, step in enumerate(steps, 1))

    def _wrap(self, cursor: int | None = None) -> None:
        hunks = self.query_one(HunkRows)
        width = hunks.width - _MARGIN
        self._wrapped = [
            (row, hunk)
            for line, hunk in self._lines
            for row in lines_content([line], width).split("\n", allow_blank=True)
        ]
        hunks.show(LazyLines(len(self._wrapped), self._hunk_line), cursor)

    def on_hunk_rows_resized(self, event: HunkRows.Resized) -> None:
        event.stop()
        self._wrap()

    def _hunk_line(self, index: int) -> Content:
        row, hunk = self._wrapped[index]
        mark = plain("▌ " if hunk is not None and hunk is self.hunk else "  ", "$text-primary")
        return joined(mark, row)

    def _state(self) -> Content:
        if self._progress:
            cancel = self._key("tests.cancel")
            return plain(f"▶ {self._progress} · {cancel} ends it", "$text-primary")
        if failure := self._latest.failure or self._refused:
            return plain(f"✗ {failure}", "$text-error")
        row = self.row
        if row is None:
            key = self._key("run.save-test")
            hint = f": {key} in Run saves a run as one" if key else ""
            return plain(f"no samples yet{hint}" if self._is_loaded else "looking for samples…")
        if row.refused:
            return plain(f"✗ cannot be accepted: {row.refused[0].message}", "$text-error")
        number = len(row.hunks)
        if number:
            what = "1 difference" if number == 1 else f"{number} differences"
            key = self._key("tests.accept")
            return plain(f"{what}: {key} accepts the selected one", "$text-warning")
        return Content.styled(f"{self._key('tests.run-all')} runs all samples", "dim")

    @property
    def skill(self) -> str | None:
        return self._tester.skill if self._tester is not None else None

    @property
    def tab_state(self) -> Content:
        """The number of the running sample, or how many failed and passed."""
        if self._number:
            return plain(f"▶ {self._number}", "$text-primary")
        outcomes = [each.result.outcome for each in self._rows]
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
        is_none, is_same = row is None, row is None or not row.hunks
        yield self._hint("tests.run", "run", is_none)
        yield self._hint("tests.run-all", "run all", is_none)
        yield self._hint("tests.next-hunk", "next hunk", is_same)
        yield self._hint("tests.accept", "accept", self.hunk is None)
        yield self._hint("tests.accept-all", "accept all", is_same)
        yield self._hint("tests.open", "open", is_none)

    def on_unmount(self) -> None:
        self.cancel()

    def cancel(self) -> None:
        """End the active tests, with every process that they started."""
        if self._cancel is not None:
            self._cancel.set()
            self._progress = "ending everything that was started…"
            self._update_view()

    def run(self, every: bool) -> None:
        """Run every sample, or the selected one; wait for the list if it is not known yet."""
        if not self._is_loaded:
            self._wanted = every
        elif every or self.row is None:
            self.start(self._rows)
        else:
            self.start([self.row])

    def start(self, rows: Sequence[SampleRow]) -> None:
        """Run some samples."""
        tester = self._tester
        if tester is None or self._cancel is not None or not rows:
            return
        cancel = self._cancel = threading.Event()
        self._refused = ""
        work = partial(self._work, tester, list(rows), cancel)
        self.run_worker(work, thread=True, group="sample-tests", exit_on_error=False)
        self._update_view()
        self.post_message(self.CommandsChanged())

    def _work(
        self, tester: SampleTester, rows: Sequence[SampleRow], cancel: threading.Event
    ) -> None:
        trouble = ""
        try:
            for number, row in enumerate(rows, 1):
                if cancel.is_set():
                    break
                self.call_later(self._runs, tester, row.result.path, number, len(rows))
                tester.test(row, cancel)
        except RunRefused as error:
            trouble = str(error)
        except Exception as error:
            trouble = f"tests stopped: {error!r}"
        self.call_later(self._ended, cancel, trouble)

    def _runs(self, tester: SampleTester, path: str, number: int, of: int) -> None:
        if tester is self._tester and self._cancel is not None and not self._cancel.is_set():
            self._active, self._number = path, f"{number}/{of}"
            self._progress = f"running {number} of {of}: {path}"
            self.refresh_soon()
            self.query_one(SampleRows).refresh()
            self._update_view()

    def _ended(self, cancel: threading.Event, trouble: str) -> None:
        if cancel is not self._cancel:
            return
        self._cancel, self._active, self._progress, self._number = None, "", "", ""
        if trouble:
            self.notify(trouble, severity="error", markup=False)
        self.refresh_soon()
        self.post_message(self.CommandsChanged())

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._update_view()
        self.query_one(HunkRows).refresh()
        self.post_message(self.CommandsChanged())

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if isinstance(event.rows, SampleRows) and not event.clicked:
            self.query_one(HunkRows).focus()


def _look(tester: SampleTester) -> list[SampleRow] | RunRefused:
    try:
        return tester.look()
    except RunRefused as error:
        return error


def _lines(row: SampleRow) -> Iterator[_ShownLine]:
    """The lines about a sample, each with the hunk that it belongs to."""
    result = row.result
    if not row.hunks:
        for line in result_lines(result):
            yield line._replace(indent=max(line.indent - 4, 0)), None
        if row.refused:
            yield StyledLine("Cannot be accepted", "heading"), None
            yield from ((StyledLine(each.message, "", 1), None) for each in row.refused)
        return
    for hunk in row.hunks:
        yield from ((line, hunk) for line in hunk_lines(hunk))
    yield from ((StyledLine(line, "quiet"), None) for line in error_lines(result))
