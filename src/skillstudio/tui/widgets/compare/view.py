"""Two versions of the open skill: the changes, their counterexamples and the required bump.

The comparison is made in a thread; of several edits meanwhile only the last is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.interface.change import Change
from skillstudio.present.comparison import (
    GROUPS,
    absent_line,
    bump_line,
    change_lines,
    flags_text,
    group_line,
)
from skillstudio.present.lines import StyledLine
from skillstudio.session.comparing.comparing import (
    WORKING,
    ComparedSide,
    Comparing,
    ComparisonResult,
    SideFailure,
    Sides,
)
from skillstudio.session.comparing.rows import CompareRow, Group, rows_of, same_row, why_not_waived
from skillstudio.tui.widgets.compare.diff import DiffRows
from skillstudio.tui.widgets.compare.live import bump_state
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import (
    STYLES,
    KeyHint,
    Line,
    line_content,
    lines_content,
)
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.widgets.split_view import SplitView, after
from skillstudio.tui.words import joined, plain

if TYPE_CHECKING:
    from skillstudio.tui.widgets.compare.colours import Coloured

Mode = Literal["changes", "unified", "beside"]
MODES: tuple[Mode, ...] = ("changes", "unified", "beside")
"""The contents of the view, in the order of the key that goes to the next one."""
_NAMES: dict[Mode, str] = {"changes": "changes", "unified": "texts", "beside": "side by side"}
Compared = tuple[ComparisonResult, "Coloured | None"]
SHORT_HASH = 8


class ChangeRows(Rows):
    """One line for each change, below the heading of its level."""

    HELP = """The changes between the two versions, by the bump that they need: ✗ major, + minor,
· patch, ~ waived. "review" lets the skill do more; "routing" is text that agents select by. The
details are below: the counterexample is a value that one version accepts and the other rejects.
Enter goes to the source, or closes and opens a level; o and n choose the versions, v shows the
texts, W waives the change, b makes the bump, tab goes to the details."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "fold(False)", "Open", show=False),
        Binding("left,h", "fold(True)", "Close", show=False),
    ]

    @dataclass
    class Folded(Message):
        """The level of the selected row is to be closed, or opened."""

        closed: bool

    def action_fold(self, closed: bool) -> None:
        if self.lines:
            self.post_message(self.Folded(closed))


class ChangeDetails(Details):
    """The details of one change."""

    HELP = """The selected change: the counterexample, both values with their places, the files of
the workspace that it breaks, the source of the rule, and the fingerprint that a waiver names.
Arrows and j k scroll; tab goes back to the list."""


class CompareView(SplitView):
    """The two versions, the bump, the changes or the texts."""

    DEFAULT_CSS = """
    CompareView > ChangeRows { height: auto; min-height: 3; max-height: 45%; }
    CompareView > ChangeDetails { border-top: hkey $primary 40%; }
    CompareView > DiffRows { height: 1fr; display: none; }
    CompareView.-text > DiffRows { display: block; }
    CompareView.-text > ChangeRows, CompareView.-text > ChangeDetails { display: none; }
    """

    @dataclass
    class JumpToChange(Message):
        """Go to the place of a change, or of the fault that prevents a comparison."""

        about: Change | SideFailure

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        super().__init__(key, id)
        self._comparing: Comparing | None = None
        self._unsaved: Callable[[], Mapping[str, str]] = dict
        self.outcome: ComparisonResult | None = None
        self.mode: Mode = "changes"
        self._rows: list[CompareRow] = []
        self._folded: set[Group] = set()
        self._latest = Latest(self, "the comparison", self._prepare, self._take, self._fail)

    def compose(self) -> ComposeResult:
        yield Line(id="compare-old")
        yield Line(id="compare-new")
        yield Line(id="compare-bump")
        yield ChangeRows(id="changes")
        yield ChangeDetails()
        yield DiffRows(id="text-diff")

    def load(self, comparing: Comparing, unsaved: Callable[[], Mapping[str, str]]) -> None:
        """Compare the chosen versions; `unsaved` returns the unsaved texts by path on disk."""
        if comparing is not self._comparing:
            self._folded.clear()
            self._forget("comparing…")
        self._comparing, self._unsaved = comparing, unsaved
        self.refresh_soon()

    @property
    def comparing(self) -> Comparing | None:
        """The versions that are compared."""
        return self._comparing

    def show_mode(self, mode: Mode) -> None:
        """Show the changes, or the texts in one column or two."""
        self.mode = mode
        focused = self.has_focus_within
        self.set_class(mode != "changes", "-text")
        if focused:
            self.to_focus.focus()
        self.refresh_soon()

    def show_next_mode(self) -> None:
        """Show the next of changes, texts in one column, texts in two."""
        self.show_mode(after(MODES, self.mode))

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        change, outcome = self.change, self.outcome
        found = {
            "compare": True,
            "no-note": self.mode != "changes" or not (row := self._row()) or not row.note,
            "change": change is not None,
            "waivable": change is not None and not why_not_waived(change),
            "bump": outcome is not None and bool(outcome.bump_to or outcome.no_bump),
            "new-is-open": self._is_open,
        }
        return frozenset(name for name, holds in found.items() if holds)

    @property
    def to_focus(self) -> Widget:
        """The widget to focus."""
        return self.query_one(ChangeRows if self.mode == "changes" else DiffRows)

    @property
    def change(self) -> Change | None:
        """The selected change; None on a heading or a note."""
        row = self._row()
        return row.change if row is not None and self.mode == "changes" else None

    @property
    def settled(self) -> bool:
        """Whether the current texts and sides are shown."""
        return self._latest.is_settled and self.outcome is not None

    def _prepare(self) -> Callable[[], Compared] | None:
        comparing = self._comparing
        if comparing is None:
            return None
        return partial(_compare, comparing, comparing.sides, dict(self._unsaved()), self.mode)

    def _take(self, compared: Compared) -> None:
        self.show(*compared)

    def _fail(self) -> None:
        if self.outcome is None:
            self._forget("not compared")
        self.query_one("#compare-bump", Line).show(plain(self._latest.failure, "$text-error"))
        self._update_view()

    def show(self, outcome: ComparisonResult, texts: Coloured | None = None) -> None:
        """Show a result; the same change stays selected."""
        before = self._row() if self.outcome is not None else None
        self.outcome = outcome
        for side, compared in (("old", outcome.old), ("new", outcome.new)):
            self.query_one(f"#compare-{side}", Line).show(_side_line(side, compared))
        key = self._key("compare.bump")
        bump = bump_content(outcome, f"{key} bump" if key and self._is_open else "")
        self.query_one("#compare-bump", Line).show(bump)
        self._list(before)
        if self.mode != "changes":
            self.query_one(DiffRows).show_diff(texts, self.mode == "beside")
            self._update_view()
        self.post_message(self.CommandsChanged())

    def _forget(self, instead: str) -> None:
        """Show `instead` in place of a result."""
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
        self._update_view()

    def _list(self, before: CompareRow | None) -> None:
        if self.outcome is None:
            return
        self._rows = rows_of(self.outcome, self._folded)
        rows = self.query_one(ChangeRows)
        rows.empty = _nothing(self.outcome, self._key("compare.text"))
        rows.show(LazyLines(len(self._rows), self._line), same_row(self._rows, before, rows.cursor))
        self.refresh(layout=True)
        self._update_view()

    def _line(self, index: int) -> Content:
        row = self._rows[index]
        return _line(row, row.group in self._folded)

    def _row(self) -> CompareRow | None:
        at = self.query_one(ChangeRows).cursor if self.is_mounted else 0
        return self._rows[at] if at < len(self._rows) else None

    def _update_view(self) -> None:
        """Show the details of the selected row and the keys."""
        row = self._row()
        if failure := self._latest.failure:
            details = plain(failure, "$text-error")
        elif self.outcome is None:
            details = Content("")
        elif row is None:
            details = _missing(self.outcome, self._key("compare.old"))
        else:
            details = row_content(row)
        self.post_message(self.CommandsChanged())
        self.query_one(ChangeDetails).show(details)

    @property
    def _is_open(self) -> bool:
        """Whether the new version is the skill that is open."""
        return self._comparing is not None and self._comparing.sides.new == WORKING

    @property
    def skill(self) -> str | None:
        return self._comparing.skill if self._comparing is not None else None

    @property
    def tab_state(self) -> Content:
        return bump_state(self.outcome)

    @property
    def hints(self) -> Iterator[KeyHint]:
        outcome, change = self.outcome, self.change
        if does := self._enter():
            yield KeyHint("enter", does)
        yield self._hint("compare.old", "old")
        yield self._hint("compare.new", "new")
        yield self._hint("compare.text", _NAMES[after(MODES, self.mode)])
        no_bump = outcome is None or not outcome.bump_to or not self._is_open
        if self.mode == "changes":
            waived = change is None or bool(why_not_waived(change))
            yield self._hint("compare.waive", "waive", waived)
        yield self._hint("compare.bump", "bump", no_bump)
        if self.mode == "changes":
            yield KeyHint("tab", "details")

    def _enter(self) -> str:
        """The effect of enter on the selected row."""
        if self.mode != "changes":
            return "to the line" if self._is_open and self.query_one(DiffRows).lines else ""
        row = self._row()
        if row is not None and row.heading:
            return "open" if row.group in self._folded else "close"
        about = (row.change or row.failure) if row is not None else None
        if isinstance(about, SideFailure):
            here = self._is_open and about.side == "new"
            return "go to source" if here and about.place is not None else ""
        if about is None or about.new_place is None:
            return "go to old source" if about is not None and about.old_place is not None else ""
        return "go to source" if self._is_open else ""

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        if isinstance(event.rows, ChangeRows):
            self._update_view()
            self.post_message(self.CommandsChanged())

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

    trees = {"old": outcome.old.tree, "new": outcome.new.tree}
    failed = (each.message for each in outcome.failures if trees[each.side] is None)
    if trouble := outcome.missing or next(failed, ""):
        return outcome, coloured(TextDiff(trouble=trouble))
    return outcome, coloured(compare_texts(outcome.old.tree, outcome.new.tree))


def _side_line(side: str, compared: ComparedSide) -> Content:
    digest = compared.content_hash.removeprefix("sha256:")[:SHORT_HASH]
    parts = [Content.styled(f"{side:<5}", "dim"), plain(compared.label or "none", "bold")]
    if compared.version or digest:
        version = compared.version or "no version"
        parts += [Content("  "), plain(version, "" if compared.version else "dim italic")]
    if digest:
        parts.append(Content.styled(f"  {digest}", "dim"))
    return joined(*parts)


def bump_content(outcome: ComparisonResult, hint: str) -> Content:
    """The required bump; `hint` names the key that makes it."""
    if outcome.absent_in:
        line = absent_line(outcome.absent_in)
    elif outcome.bump is None:
        return Content.styled("bump  not known", "dim")
    else:
        line = bump_line(outcome.bump, outcome.old.version, outcome.changes, outcome.bump_to)
    remark = hint if outcome.bump_to else ""
    return joined(Content.styled("bump ", "dim"), line_content(line._replace(remark=remark)))


def _line(row: CompareRow, closed: bool) -> Content:
    glyph, _, _, style = GROUPS[row.group]
    if row.heading:
        return joined("▸ " if closed else "▾ ", line_content(group_line(row.group, row.size)))
    if row.change is None:
        text = row.note if row.failure is None else f"{row.failure.side}: {row.failure.message}"
        return joined("  ", Content.styled(f"{glyph} ", STYLES[style]), plain(text))
    change = row.change
    glyph, _, _, style = GROUPS[change._replace(waived="").group]
    flags = f"{flags_text(change)}  " if flags_text(change) else ""
    sign = Content.styled(f"{glyph} ", STYLES[style])
    return joined("  ", sign, plain(flags, "$text-warning"), plain(change.message))


def _nothing(outcome: ComparisonResult, text_key: str) -> Content:
    if outcome.missing:
        return Content("there is no old version to compare with")
    if outcome.content_differs:
        key = f"; {text_key} shows the texts" if text_key else ""
        return Content(f"no interface changes; files differ{key}")
    return Content("no changes")


def _missing(outcome: ComparisonResult, old_key: str) -> Content:
    if not outcome.missing:
        return Content("")
    advice = [
        "",
        "Compare shows what a new version breaks, and the version bump that it needs.",
        "Commit the skill to git to compare each change with the last commit.",
        *([f"{old_key} chooses a tag, a folder or an archive instead"] if old_key else []),
    ]
    return joined(plain(outcome.missing), Content.styled("\n".join(["", *advice]), "dim"))


def row_content(row: CompareRow) -> Content:
    """The details of a row."""
    if row.change is not None:
        return lines_content(change_lines(row.change, full=True))
    if row.failure is not None:
        return lines_content(_failure_lines(row.failure))
    return plain(row.note) if row.note else line_content(group_line(row.group, row.size))


def _failure_lines(failure: SideFailure) -> Iterable[StyledLine]:
    yield StyledLine(f"✗ the {failure.side} version cannot be compared", "error")
    yield StyledLine(failure.message)
    if failure.place is not None:
        place = failure.place
        yield StyledLine(f"at {place.path}:{place.line}:{place.column}", "quiet")
