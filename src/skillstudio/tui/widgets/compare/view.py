"""Two versions of the open skill: what changed, the proof of it, and the bump it asks for.

The comparison is made in a thread; of several texts typed meanwhile only the last is compared.
Changes and texts are drawn line by line, so ten thousand cost what thirty do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from skillstudio.interface.change import Change
from skillstudio.session.comparing.comparing import (
    WORKING,
    Comparing,
    ComparisonResult,
    SideFailure,
    Sides,
)
from skillstudio.session.comparing.rows import CompareRow, Group, rows_of, same_row, why_not_waived
from skillstudio.tui.widgets.compare import lines
from skillstudio.tui.widgets.compare.diff import DiffRows
from skillstudio.tui.widgets.compare.rows import ChangeRows, LazyLines
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

if TYPE_CHECKING:
    from skillstudio.tui.widgets.compare.colours import Coloured

Mode = Literal["changes", "unified", "beside"]
MODES: tuple[Mode, ...] = ("changes", "unified", "beside")
"""What the view shows, in the order in which one key leads through them."""
Compared = tuple[ComparisonResult, "Coloured | None"]
_NEXT: dict[Mode, str] = {"changes": "texts", "unified": "side by side", "beside": "changes"}
"""What that key leads to."""


class ChangeDetails(Details):
    """What is known of one change."""

    HELP = """Everything about the selected change: the counterexample, both values with their
places, the files of the workspace that it breaks, the source of the rule, and the fingerprint that
a waiver names. Arrows and j k scroll; tab goes back to the list."""


class CompareView(Vertical):
    """The two versions, the bump, the changes or the texts."""

    DEFAULT_CSS = """
    CompareView { height: 1fr; min-width: 24; }
    CompareView > Line { background: $panel; }
    CompareView > ChangeRows { height: auto; min-height: 3; max-height: 45%; }
    CompareView > DiffRows { height: 1fr; display: none; }
    CompareView.-text > DiffRows { display: block; }
    CompareView.-text > ChangeRows, CompareView.-text > ChangeDetails { display: none; }
    """

    @dataclass
    class JumpToChange(Message):
        """Go to where a change is stated, or to what cannot be read."""

        about: Change | SideFailure

    class ChangeSelected(Message):
        """Another change is selected, or another comparison is shown."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, CompareView.ChangeSelected)

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        """`key` gives the key of a command as it is shown; empty where it has none."""
        super().__init__(id=id)
        self._key = key
        self._comparing: Comparing | None = None
        self._unsaved: Callable[[], Mapping[str, str]] = dict
        self.outcome: ComparisonResult | None = None
        self.mode: Mode = "changes"
        self._rows: list[CompareRow] = []
        self._folded: set[Group] = set()
        self._comparisons = Latest(self, "comparison", self._prepare, self._take)
        self._failure = ""

    def compose(self) -> ComposeResult:
        yield Line(id="compare-old")
        yield Line(id="compare-new")
        yield Line(id="compare-bump")
        yield ChangeRows(id="changes")
        yield Line(id="compare-keys")
        yield ChangeDetails()
        yield DiffRows(id="text-diff")

    # What the screen calls.

    def load(self, comparing: Comparing, unsaved: Callable[[], Mapping[str, str]]) -> None:
        """Compare the versions that are chosen; `unsaved` gives the texts by path on disk."""
        if comparing is not self._comparing:
            self._folded.clear()
            self._forget("comparing…")
        self._comparing, self._unsaved = comparing, unsaved
        self.compare_soon()

    def compare_soon(self) -> None:
        """Compare after the active comparison; only the last texts are compared."""
        self._comparisons.ask()

    def show_mode(self, mode: Mode) -> None:
        """Show the changes, or the texts in one column or two."""
        self.mode = mode
        focused = self.has_focus_within
        self.set_class(mode != "changes", "-text")
        if focused:
            self.to_focus.focus()
        self.compare_soon()

    def show_next_mode(self) -> None:
        """From the changes to the texts in one column, to two, and back."""
        self.show_mode(MODES[(MODES.index(self.mode) + 1) % len(MODES)])

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        change, outcome, comparing = self.change, self.outcome, self._comparing
        found = {
            "compare": True,
            "change": change is not None,
            "waivable": change is not None and not why_not_waived(change),
            "bump": outcome is not None and bool(outcome.bump_to or outcome.no_bump),
            "new-is-open": comparing is not None and comparing.sides.new == WORKING,
        }
        return frozenset(name for name, holds in found.items() if holds)

    @property
    def to_focus(self) -> Widget:
        """What takes the focus for the view."""
        return self.query_one(ChangeRows if self.mode == "changes" else DiffRows)

    @property
    def change(self) -> Change | None:
        """The selected change; None on a heading or a note."""
        row = self._row()
        return row.change if row is not None and self.mode == "changes" else None

    @property
    def settled(self) -> bool:
        """Whether the current texts and sides are shown."""
        return self._comparisons.is_settled and self.outcome is not None

    # Comparing.

    def _prepare(self) -> Callable[[], Compared] | None:
        comparing = self._comparing
        if comparing is None:
            return None
        return partial(_compare, comparing, comparing.sides, dict(self._unsaved()), self.mode)

    def _take(self, compared: Compared) -> None:
        self._failure = ""
        self.show(*compared)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a fault in the comparison; it ends nothing else."""
        event.stop()
        if event.state is WorkerState.ERROR and self._comparisons.failed():
            self._failure = f"the comparison stopped: {event.worker.error!r}"
            if self.outcome is None:
                self._forget("not compared")
            self.query_one("#compare-bump", Line).show(plain(self._failure, "$text-error"))
            self._tell()

    # Showing.

    def show(self, outcome: ComparisonResult, texts: Coloured | None = None) -> None:
        """Show what a comparison found, the cursor on the change it was on."""
        before = self._row() if self.outcome is not None else None
        self.outcome = outcome
        self._head(outcome)
        self._list(before)
        if self.mode != "changes":
            self.query_one(DiffRows).show_diff(texts, self.mode == "beside")
            self._tell()
        self.post_message(self.ChangeSelected())

    def _forget(self, instead: str) -> None:
        """Show that nothing is known yet, in the place of what was of another skill."""
        self.outcome, self._rows = None, []
        self.query_one("#compare-old", Line).show(Content.styled(instead, "dim"))
        for id_ in ("new", "bump"):
            self.query_one(f"#compare-{id_}", Line).show(Content(""))
        rows = self.query_one(ChangeRows)
        rows.empty = Content(instead)
        rows.show(())
        texts = self.query_one(DiffRows)
        texts.show_diff(None, self.mode == "beside")
        texts.empty = Content(instead)
        self._tell()

    def _head(self, outcome: ComparisonResult) -> None:
        for side, seen in (("old", outcome.old), ("new", outcome.new)):
            self.query_one(f"#compare-{side}", Line).show(lines.side_line(side, seen))
        self.query_one("#compare-bump", Line).show(self._bump(outcome))

    def _bump(self, outcome: ComparisonResult) -> Content:
        key = self._key("compare.bump")
        return lines.bump_content(outcome, f"{key} bump" if key and self._open else "")

    def _list(self, before: CompareRow | None) -> None:
        if self.outcome is None:
            return
        self._rows = rows_of(self.outcome, self._folded)
        rows = self.query_one(ChangeRows)
        rows.empty = lines.nothing(self.outcome, self._key("compare.text"))
        count = len(self._rows)
        rows.show(LazyLines(count, self._line), same_row(self._rows, before, rows.cursor))
        self.refresh(layout=True)
        self._tell()

    def _line(self, index: int) -> Content:
        row = self._rows[index]
        return lines.line(row, row.group in self._folded)

    def _row(self) -> CompareRow | None:
        at = self.query_one(ChangeRows).cursor if self.is_mounted else 0
        return self._rows[at] if at < len(self._rows) else None

    def _tell(self) -> None:
        """Say below what is known of the selected row."""
        row = self._row()
        if self._failure:
            told = plain(self._failure, "$text-error")
        elif self.outcome is None:
            told = Content("")
        elif row is None:
            told = lines.missing(self.outcome, self._key("compare.old"))
        else:
            told = lines.row_content(row)
        self.query_one("#compare-keys", Line).show(lines.keys_line(self._keys()))
        self.query_one(ChangeDetails).show(told)

    @property
    def _open(self) -> bool:
        """Whether the new version is the skill that is open."""
        return self._comparing is not None and self._comparing.sides.new == WORKING

    def _keys(self) -> Iterator[lines.KeyHint]:
        """What the keys do here, those of the selected row last."""
        outcome, change = self.outcome, self.change
        yield lines.KeyHint(self._key("compare.old"), "old")
        yield lines.KeyHint(self._key("compare.new"), "new")
        yield lines.KeyHint(self._key("compare.text"), _NEXT[self.mode])
        no_bump = outcome is None or not outcome.bump_to or not self._open
        if self.mode == "changes":
            waived = change is None or bool(why_not_waived(change))
            yield lines.KeyHint(self._key("compare.waive"), "waive", waived)
        yield lines.KeyHint(self._key("compare.bump"), "bump", no_bump)
        if does := self._enter():
            yield lines.KeyHint("enter", does)
        if self.mode == "changes":
            yield lines.KeyHint("tab", "details")

    def _enter(self) -> str:
        """What enter does on the selected row."""
        if self.mode != "changes":
            return "to the line" if self._open and self.query_one(DiffRows).lines else ""
        row = self._row()
        if row is not None and row.heading:
            return "open" if row.group in self._folded else "close"
        about = (row.change or row.failure) if row is not None else None
        if isinstance(about, SideFailure):
            here = self._open and about.side == "new"
            return "go to source" if here and about.place is not None else ""
        if about is None or about.new_place is None:
            return "go to old source" if about is not None and about.old_place is not None else ""
        return "go to source" if self._open else ""

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        if isinstance(event.rows, ChangeRows):
            self._tell()
            self.post_message(self.ChangeSelected())

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        row = self._row()
        if row is None:
            return
        if row.heading:
            self._fold(row, row.group not in self._folded)
        elif about := row.change or row.failure:
            self.post_message(self.JumpToChange(about))

    def on_change_rows_folded(self, event: ChangeRows.Folded) -> None:
        event.stop()
        row = self._row()
        if row is not None:
            self._fold(row, event.closed)

    def _fold(self, row: CompareRow, closed: bool) -> None:
        heading = CompareRow(row.group)
        if closed:
            self._folded.add(row.group)
            self._list(heading)
        else:
            self._folded.discard(row.group)
            self._list(row)


def _compare(
    comparing: Comparing, sides: Sides, unsaved: Mapping[str, str], mode: Mode
) -> Compared:
    outcome = comparing.compare(sides, unsaved)
    if mode == "changes":
        return outcome, None
    from skillstudio.session.comparing.text import TextDiff, compare_texts
    from skillstudio.tui.widgets.compare.colours import coloured

    lost = _lost(outcome)
    diff = TextDiff(trouble=lost) if lost else compare_texts(outcome.old.tree, outcome.new.tree)
    return outcome, coloured(diff)


def _lost(outcome: ComparisonResult) -> str:
    """Why a version has no files to show; empty where both have, or are not there by rights."""
    trees = {"old": outcome.old.tree, "new": outcome.new.tree}
    failed = (each.message for each in outcome.failures if trees[each.side] is None)
    return outcome.missing or next(failed, "")
