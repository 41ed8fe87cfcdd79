"""Two versions of the open skill: the changes, their counterexamples and the required bump.

The comparison is made in a thread; of several edits meanwhile only the last is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from skillstudio.interface.change import Change
from skillstudio.present.comparison import (
    GROUPS,
    about_change,
    absent_line,
    bump_line,
    bump_reason,
    change_lines,
    flags_text,
)
from skillstudio.present.lines import StyledLine
from skillstudio.session.comparing.comparing import (
    WORKING_TREE,
    ComparedSide,
    ComparisonResult,
    SideFailure,
    Sides,
    SkillComparer,
)
from skillstudio.session.comparing.rows import CompareRow, rows_of, same_row, why_not_waived
from skillstudio.tui.widgets.compare.diff import DiffRows
from skillstudio.tui.widgets.compare.live import bump_state
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import (
    STYLES,
    KeyHint,
    Line,
    Sentences,
    key_offer,
    line_content,
    lines_content,
)
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.widgets.skill_view import SkillView, after
from skillstudio.tui.words import join, plain

if TYPE_CHECKING:
    from skillstudio.tui.widgets.compare.colours import Coloured

Mode = Literal["beside", "unified"]
MODES: tuple[Mode, ...] = ("beside", "unified")
"""How the texts are shown: in two columns or in one."""
_NAMES: dict[Mode, str] = {"beside": "two columns", "unified": "one column"}
Compared = tuple[ComparisonResult, "Coloured | None"]
_BESIDE = 90  # Cells from which the texts are in two columns unless the user chooses.
_LEVEL = 9  # Cells of the name of a level.


class ChangeRows(Rows):
    """One line for each change, the highest level first."""

    HELP = """The changes between the two versions, by the bump that they need: ▲ major, + minor,
· patch, ~ waived. "review" lets the skill do more; "routing" is text that agents select by. Below
is the example of the selected one: a value that one version accepts and the other rejects; then the
texts of the two versions at its place. Enter goes to the source; o and n choose the versions, v
shows the texts in one column or two, i all facts of the change, W waives it, b makes the bump, m
copies all of it as Markdown, tab goes to the texts."""


class ChangeDetails(Details):
    """All facts of one change."""

    HELP = """All facts of the selected change: both values with their places, the files of the
workspace that it breaks, the source of the rule, and the fingerprint that a waiver names. Arrows
and j k scroll; i goes back to the texts, tab to the list."""


class CompareView(SkillView):
    """The two versions, the bump, the changes and the texts."""

    DEFAULT_CSS = """
    CompareView > Line { background: $background; }
    CompareView > #compare-bump { max-height: 4; margin-bottom: 1; }
    CompareView.-narrow > #compare-bump { margin-bottom: 0; }
    CompareView > ChangeRows { height: auto; min-height: 1; max-height: 40%; }
    CompareView > #compare-about { padding: 0 0 0 2; max-height: 12; }
    CompareView > ChangeDetails { display: none; border-top: solid $frame; }
    CompareView > DiffRows { height: 1fr; min-height: 3; border-top: solid $frame; }
    CompareView.-details > ChangeDetails { display: block; }
    CompareView.-details > DiffRows, CompareView.-textless > DiffRows { display: none; }
    CompareView.-alone > #compare-sides { display: none; }
    CompareView.-alone > #compare-about { padding: 0; }
    """

    @dataclass
    class JumpToChange(Message):
        """Go to the place of a change, or of the fault that prevents a comparison."""

        about: Change | SideFailure

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        super().__init__(key, id)
        self._comparer: SkillComparer | None = None
        self._get_unsaved: Callable[[], Mapping[str, str]] = dict
        self.outcome: ComparisonResult | None = None
        self._mode: Mode | None = None
        """How the user chose to see the texts."""
        self._rows: list[CompareRow] = []
        self._shown_at: tuple[str, int, bool] | None = None
        """The place of the texts that the list has led to."""
        self._latest = Latest(self, "the comparison", self._prepare, self._take, self._fail)

    def compose(self) -> ComposeResult:
        yield Line(id="compare-sides")
        yield Sentences(id="compare-bump")
        yield ChangeRows(id="changes")
        yield Sentences(id="compare-about")
        yield ChangeDetails()
        yield DiffRows(id="text-diff")

    def load(self, comparer: SkillComparer, get_unsaved: Callable[[], Mapping[str, str]]) -> None:
        """Compare the chosen versions; `get_unsaved` returns the unsaved texts by path on disk."""
        if comparer is not self._comparer:
            self._forget("comparing…")
        self._comparer, self._get_unsaved = comparer, get_unsaved
        self.refresh_soon()

    @property
    def comparer(self) -> SkillComparer | None:
        """The versions that are compared."""
        return self._comparer

    @property
    def mode(self) -> Mode:
        """How the texts are shown."""
        return self._mode or ("beside" if self.size.width >= _BESIDE else "unified")

    def show_mode(self, mode: Mode) -> None:
        """Show the texts in one column or two."""
        self._mode = mode
        self.remove_class("-details")
        self.refresh_soon()

    def show_next_mode(self) -> None:
        """Show the texts in the other way."""
        self.show_mode(after(MODES, self.mode))

    def toggle_details(self) -> None:
        """Show all facts of the selected change in place of the texts, or the texts again."""
        had_focus = self.query_one(DiffRows).has_focus or self.query_one(ChangeDetails).has_focus
        self.toggle_class("-details")
        if had_focus:
            self.to_focus.focus()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self._update_view)  # Whether a row is cut depends on the width.
        texts = self.query_one(DiffRows)
        if texts.beside != (self.mode == "beside"):
            self.refresh_soon()

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        change, outcome = self.change, self.outcome
        conditions = {
            "compare": True,
            "no-note": not (row := self._row()) or not row.note,
            "change": change is not None,
            "waivable": change is not None and not why_not_waived(change),
            "bump": outcome is not None and bool(outcome.bump_to or outcome.no_bump),
            "new-is-open": self._is_open,
            "compared": outcome is not None and outcome.comparison is not None,
            "texts": not self.has_class("-textless"),
        }
        return frozenset(name for name, holds in conditions.items() if holds)

    @property
    def to_focus(self) -> Widget:
        """The widget to focus."""
        return self.query_one(ChangeRows)

    @property
    def change(self) -> Change | None:
        """The selected change; None on a note."""
        row = self._row()
        return row.change if row is not None else None

    @property
    def is_settled(self) -> bool:
        """Whether the current texts and sides are shown."""
        return self._latest.is_settled and self.outcome is not None

    def _prepare(self) -> Callable[[], Compared] | None:
        comparer = self._comparer
        if comparer is None:
            return None
        # Of a hidden view only the required bump is shown, in its tab.
        unsaved_texts, is_visible = dict(self._get_unsaved()), bool(self.display)
        return partial(_compare, comparer, comparer.sides, unsaved_texts, is_visible)

    def _take(self, result: Compared) -> None:
        self.show(*result)

    def _fail(self) -> None:
        if self.outcome is None:
            self._forget("not compared")
        self._show_bump(plain(self._latest.failure, "$text-error"))
        self._update_view()

    def show(self, outcome: ComparisonResult, texts: Coloured | None = None) -> None:
        """Show a result; the same change stays selected."""
        before = self._row() if self.outcome is not None else None
        self.outcome = outcome
        self.query_one("#compare-sides", Line).show(_sides_line(outcome))
        self.set_class(bool(outcome.missing), "-alone")
        key = self._key("compare.bump")
        bump = bump_content(outcome)
        if key and self._is_open and outcome.bump_to:
            bump = join(bump, "  ", key_offer(key, "compare.bump", "bumps"))
        if outcome.bump is not None:
            reason = bump_reason(outcome.bump, outcome.old.version, outcome.changes)
            bump = join(bump, plain(f"  {reason}" if reason else "", "dim"))
        self._show_bump(bump)
        if texts is not None or self.display:
            self.query_one(DiffRows).show_diff(texts, self.mode == "beside")
            self._shown_at = None
            self._hide_texts(texts is not None and bool(texts.diff.trouble))
        self._list(before)
        self.post_message(self.CommandsChanged())

    def _forget(self, instead: str) -> None:
        """Show `instead` in place of a result."""
        self.outcome, self._rows = None, []
        self.remove_class("-alone")
        self.query_one("#compare-sides", Line).show(Content.styled(instead, "dim"))
        self._show_bump(Content(""))
        rows = self.query_one(ChangeRows)
        rows.empty = Content("")
        rows.show(())
        texts = self.query_one(DiffRows)
        texts.show_diff(None, self.mode == "beside")
        texts.empty = Content("")
        self._hide_texts(False)
        self._update_view()

    def _show_bump(self, content: Content) -> None:
        block = self.query_one("#compare-bump", Sentences)
        block.show(content)
        block.display = bool(content.plain)

    def _hide_texts(self, are_missing: bool) -> None:
        """Hide the texts where there are none; the list then has the focus."""
        if are_missing == self.has_class("-textless"):
            return
        had_focus = self.query_one(DiffRows).has_focus
        self.set_class(are_missing, "-textless")
        if had_focus:
            self.to_focus.focus()
        if not are_missing:
            self.call_after_refresh(self._lead_again)  # Their size is known then.

    def _lead_again(self) -> None:
        self._shown_at = None
        self._lead_texts(self._row())

    def _list(self, before: CompareRow | None) -> None:
        if self.outcome is None:
            return
        self._rows = rows_of(self.outcome)
        rows = self.query_one(ChangeRows)
        rows.empty = _nothing(self.outcome)
        rows.show(LazyLines(len(self._rows), self._line), same_row(self._rows, before, rows.cursor))
        self.refresh(layout=True)
        self._update_view()

    def _line(self, index: int) -> Content:
        line, end = _line(self._rows[index]), _end(self._rows[index])
        room = self._room_before(end, line)
        return join(line.truncate(room, ellipsis=True, pad=True), "  ", end) if room else line

    def _room_before(self, end: Content, line: Content) -> int:
        """The cells of a line before its place; 0 if the place is not shown."""
        room = self.query_one(ChangeRows).room_before(end, line) if end.plain else 0
        return room if room >= _LEVEL * 3 else 0

    def _cut_message(self, row: CompareRow) -> Content:
        """The message of a row if the list has no room for all of it."""
        line = _line(row)
        room = self._room_before(_end(row), line) or self.query_one(ChangeRows).width
        return plain(_message(row)) if line.cell_length > room else Content("")

    def _row(self) -> CompareRow | None:
        at = self.query_one(ChangeRows).cursor if self.is_mounted else 0
        return self._rows[at] if at < len(self._rows) else None

    def _update_view(self) -> None:
        """Show the selected row's example and facts, the texts at its place, and the keys."""
        row = self._row()
        about, details = Content(""), Content("")
        if self.outcome is not None and row is None:
            about = _missing(self.outcome, self._key("compare.old"))
        elif row is not None:
            parts = (self._cut_message(row), _about(row))
            about = Content("\n").join([part for part in parts if part.plain])
            details = row_content(row)
        block = self.query_one("#compare-about", Sentences)
        block.show(about)
        block.display = bool(about.plain)
        self.query_one(ChangeDetails).show(details)
        self._lead_texts(row)
        self.post_message(self.CommandsChanged())

    def _lead_texts(self, row: CompareRow | None) -> None:
        """Show the texts at the place of a row, once for each place."""
        change = row.change if row is not None else None
        if change is None:
            return
        place = change.new_place or change.old_place
        if place is None:
            return
        here = (place.path, place.line, change.new_place is None)
        if here != self._shown_at:
            self._shown_at = here
            self.query_one(DiffRows).go_to(*here)

    @property
    def _is_open(self) -> bool:
        """Whether the new version is the skill that is open."""
        return self._comparer is not None and self._comparer.sides.new == WORKING_TREE

    @property
    def skill(self) -> str | None:
        return self._comparer.skill if self._comparer is not None else None

    @property
    def tab_state(self) -> Content:
        return bump_state(self.outcome)

    @property
    def hints(self) -> Iterator[KeyHint]:
        outcome, change = self.outcome, self.change
        if does := self._enter():
            yield KeyHint("enter", does)
        no_bump = outcome is None or not outcome.bump_to or not self._is_open
        yield self._hint("compare.bump", "bump", no_bump)
        yield self._hint("compare.waive", "waive", change is None or bool(why_not_waived(change)))
        yield self._hint("compare.old", "old")
        yield self._hint("compare.new", "new")
        is_compared = outcome is not None and outcome.comparison is not None
        yield self._hint("compare.copy", "copy as Markdown", not is_compared)
        yield self._hint("compare.text", _NAMES[after(MODES, self.mode)], not self._has_texts)
        yield self._hint("compare.details", "details", change is None)
        if self._has_texts:
            is_list = self.query_one(ChangeRows).has_focus
            yield KeyHint("tab", "texts" if is_list else "changes")

    @property
    def _has_texts(self) -> bool:
        """Whether there are texts of both versions."""
        return self.outcome is not None and not self.has_class("-textless")

    def _enter(self) -> str:
        """The effect of enter on the selected row."""
        if self.query_one(DiffRows).has_focus:
            return "to the line" if self._is_open and self.query_one(DiffRows).lines else ""
        row = self._row()
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
        if row is not None and not event.was_clicked and (about := row.change or row.failure):
            self.post_message(self.JumpToChange(about))

    def on_descendant_focus(self) -> None:
        self.post_message(self.CommandsChanged())


def _compare(
    comparer: SkillComparer, sides: Sides, unsaved_texts: Mapping[str, str], with_texts: bool
) -> Compared:
    outcome = comparer.compare(sides, unsaved_texts)
    if not with_texts:
        return outcome, None
    from skillstudio.session.comparing.text import TextDiff, compare_texts
    from skillstudio.tui.widgets.compare.colours import colour_diff

    trees = {"old": outcome.old.tree, "new": outcome.new.tree}
    messages = (failure.message for failure in outcome.failures if trees[failure.side] is None)
    if trouble := outcome.missing or next(messages, ""):
        return outcome, colour_diff(TextDiff(trouble=trouble))
    return outcome, colour_diff(compare_texts(outcome.old.tree, outcome.new.tree))


def _sides_line(outcome: ComparisonResult) -> Content:
    """Both versions: what they are called, and the versions that they state."""
    sides = [_side(outcome.old), _side(outcome.new)]
    return Content.styled("  →  ", "dim").join(sides)


def _side(side: ComparedSide) -> Content:
    label, version = side.label or "none", side.version
    if not version and side.opened_version is None:
        return plain(label, "bold")
    if not version:
        return join(plain(label, "bold"), Content.styled("  no version", "dim italic"))
    about = "" if label.endswith(version) else f"  {version}"
    return join(plain(label, "bold"), plain(about, "dim"))


def bump_content(outcome: ComparisonResult) -> Content:
    """The required bump, without the reason for it."""
    if outcome.absent_in:
        line = absent_line(outcome.absent_in)
    elif outcome.bump is None:
        return Content("")  # The rows or the lines below say why.
    else:
        old, to = outcome.old.version, outcome.bump_to
        line = bump_line(outcome.bump, old, outcome.changes, to, with_reason=False)
    return line_content(line).stylize("bold")


def _line(row: CompareRow) -> Content:
    glyph, word, _, style = GROUPS[row.group]
    change = row.change
    if change is None:
        return join(Content.styled(f"{glyph} ", STYLES[style]), plain(_message(row)))
    level = Content.styled(
        f"{'▲' if row.group == 'major' else glyph} {word:<{_LEVEL}} ", STYLES[style]
    )
    flags = f"{flags_text(change)}  " if flags_text(change) else ""
    return join(level, plain(_message(row)), plain(f"  {flags}".rstrip(), "dim"))


def _message(row: CompareRow) -> str:
    """The text of a row without its level."""
    if row.failure is not None:
        return f"{row.failure.side}: {row.failure.message}"
    if row.change is None:
        return row.note
    operation = f"{row.change.operation}: " if row.change.operation else ""
    return f"{operation}{row.change.message}"


def _end(row: CompareRow) -> Content:
    """The place of a change, at the end of its row."""
    place = (row.change.new_place or row.change.old_place) if row.change is not None else None
    return plain(f"{place.path}:{place.line}" if place is not None else "", "dim")


def _about(row: CompareRow) -> Content:
    """What an author needs of the selected row at once."""
    if row.change is not None:
        return lines_content(about_change(row.change))
    place = row.failure.place if row.failure is not None else None
    at = f"at {place.path}:{place.line}:{place.column}" if place is not None else ""
    return plain(at, "dim")


def _nothing(outcome: ComparisonResult) -> Content:
    if outcome.missing:
        return Content("")
    if outcome.content_differs:
        return Content("no interface changes; files differ")
    return Content("no changes")


def _missing(outcome: ComparisonResult, old_key: str) -> Content:
    if not outcome.missing:
        return Content("")
    lines = [
        plain(outcome.missing, "bold"),
        Content(""),
        Content("Compare shows what a new version breaks, and the version bump that it needs."),
        Content(""),
        Content("Commit the skill to git to compare each change with the last commit,"),
    ]
    if old_key:
        offer = key_offer(old_key, "compare.old", "chooses a tag, a folder or an archive.")
        lines.append(join("or ", offer))
    return Content("\n").join(lines)


def row_content(row: CompareRow) -> Content:
    """The details of a row."""
    if row.change is not None:
        return lines_content(change_lines(row.change, full=True))
    if row.failure is not None:
        return lines_content(_failure_lines(row.failure))
    return plain(row.note)


def _failure_lines(failure: SideFailure) -> Iterable[StyledLine]:
    yield StyledLine(f"✗ the {failure.side} version cannot be compared", "error")
    yield StyledLine(failure.message)
    if failure.place is not None:
        place = failure.place
        yield StyledLine(f"at {place.path}:{place.line}:{place.column}", "quiet")
