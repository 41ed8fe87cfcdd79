"""The outputs of the open skill: a list of files, and the selected file below it.

Tables and views are made in threads, for the last request only; only the visible lines of a view
are painted, so a file of any size costs as much as a screen of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.present.lines import count
from skillstudio.preview.spans import line
from skillstudio.preview.view import FileView, LazyView
from skillstudio.session.previewing.files import (
    APPLIED_STATUS,
    HOWS,
    How,
    PreviewFileRow,
    bytes_of,
    find_line,
    set_lines,
    view_of_row,
    ways_of_row,
)
from skillstudio.session.previewing.previewing import SUBJECTS, Previewer, PreviewState, Subject
from skillstudio.session.running.state import RunState
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.external import pager
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.fields.entries import EntryEdited
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import KeyHint, KeyLine, Line
from skillstudio.tui.widgets.pane import Tab, TabBar
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.skill_view import SkillView, after, changes_state
from skillstudio.tui.words import plain

_FIRST = 60  # Lines of a view that are made before it is shown.
_SUBJECTS = {"ahead": "Outputs", "run": "Changes", "card": "Card"}
_HOWS = {"preview": "Rendered", "diff": "Diff", "raw": "Raw", "hex": "Hex"}
_UNCHANGED_TEXT = "real folders unchanged until you apply"
_KEYS: tuple[tuple[str, str, str, Subject | None], ...] = (
    ("preview.inputs", "inputs", "previewing", "ahead"),
    ("preview.operation", "operation", "operations", "ahead"),
    ("preview.run", "runs", "previewing", "run"),
    ("preview.find", "find", "shown", None),
    ("preview.next", "next", "search-text", None),
    ("preview.pager", "$PAGER", "shown", None),
    ("preview.editor", "$EDITOR", "bytes", None),
)
"""Commands, their short titles, the facts that they need, and the only subject that has them."""


class PreviewView(SkillView):
    """Shows outputs, changed files or the card, and searches in them."""

    DEFAULT_CSS = """
    PreviewView > #preview-notes {
        display: none;
        height: auto;
        max-height: 2;
        text-wrap: wrap;
        background: $warning 30%;
    }
    PreviewView.-noted > #preview-notes { display: block; }
    PreviewView > #preview-tabs { background: $panel; }
    PreviewView.-plain > #preview-tabs { display: none; }
    PreviewView.-empty > FileTable { scrollbar-gutter: auto; }
    PreviewView > #preview-about {
        display: none;
        height: auto;
        max-height: 2;
        text-wrap: wrap;
        color: $text-warning;
    }
    PreviewView.-remarked > #preview-about { display: block; }
    PreviewView #preview-find {
        display: none;
        border: none;
        height: 1;
        padding: 0;
        background: $surface;
    }
    PreviewView #preview-find.-shown { display: block; }
    PreviewView > InputForm { display: none; max-height: 40%; }
    PreviewView.-inputs > InputForm { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = view_bindings("preview")

    def __init__(self, key: Callable[[str], str], id: str | None = None) -> None:
        super().__init__(key, id)
        self._previewer: Previewer | None = None
        self._get_unsaved: Callable[[], Mapping[str, str]] = dict
        self._unsaved_files: frozenset[str] = frozenset()
        self.state: PreviewState | None = None
        self._applicable: tuple[PreviewState | None, list[ApplyChange], int] = (None, [], 0)
        """The changes of the shown run that were recorded, and how many are still to apply."""
        self._how: How | None = None
        """What the user chose for all files; None for what suits the selected one."""
        self.run_state: RunState | None = None
        """The plan of the outputs, with the fields of its inputs."""
        self._ways: tuple[How, ...] = ()
        """The ways in which the selected file can be shown."""
        self._text = ""
        """The searched text."""
        self._seek_from: int | None = None
        """The line where the search starts; None for no search."""
        self._width = 0
        self._latest = Latest(self, "preview-look", self._prepare, self._take, self._update_view)
        self._views = Latest(
            self, "preview-view", self._prepare_view, self._take_view, self._fail_view
        )
        self._search = Latest(
            self, "preview-search", self._prepare_search, self._take_line, self._update_view
        )
        self._row_view: FileView | None = None
        """The view of the selected row; None until it is made."""

    def compose(self) -> ComposeResult:
        yield TabBar(self._subject_clicked, id="preview-head")
        yield Line(id="preview-notes")
        yield FileTable(id="preview-files")
        yield TabBar(self._how_clicked, id="preview-tabs")
        yield Line(id="preview-about")
        yield ViewLines(id="preview-lines")
        yield EntryLine(placeholder="text to look for", id="preview-find")
        yield InputForm(id="preview-inputs")

    @property
    def subject(self) -> Subject:
        chosen_subject = self._previewer.subject if self._previewer is not None else None
        return (
            chosen_subject
            or (self.state.request.subject if self.state is not None else None)
            or "ahead"
        )

    @property
    def how(self) -> How:
        """How the selected file is shown: a change as a diff unless the user chooses."""
        row = self.row
        is_change = row is not None and row.lines_changed is not None
        how: How = self._how or ("diff" if is_change else "preview")
        return how if how in self._ways else "preview"

    @property
    def has_inputs(self) -> bool:
        """Whether the form of the inputs is open."""
        return self.has_class("-inputs")

    @property
    def to_focus(self) -> Widget:
        """The widget to focus."""
        return self.query_one(FileTable)

    @property
    def row(self) -> PreviewFileRow | None:
        """The selected row."""
        rows = self.state.rows if self.state is not None else ()
        at = self.query_one(FileTable).cursor if self.is_mounted else 0
        return rows[at] if at < len(rows) else None

    @property
    def applicable(self) -> list[ApplyChange]:
        """The changes of the shown run that were recorded."""
        return self._changes()[0]

    def _changes(self) -> tuple[list[ApplyChange], int]:
        state = self.state
        if self._applicable[0] is not state:
            # A run may change a million files, and this is read with every key.
            rows = state.rows if state is not None else ()
            changes = [row.change for row in rows if row.change is not None]
            pending_count = sum(row.change is not None and not row.status for row in rows)
            self._applicable = state, changes, pending_count
        return self._applicable[1:]

    @property
    def shown_view(self) -> FileView | None:
        """The view that is shown."""
        return self.query_one(ViewLines).view if self.is_mounted else None

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        row, state = self.row, self.state
        conditions = {
            "previewing": True,
            "shown": self.shown_view is not None
            and row is not None
            and bool(self._ways or row.lines),
            "ways": len(self._ways) > 1,
            "search-text": bool(self._text),
            "bytes": row is not None and bytes_of(row) is not None,
            "pager-program": bool(pager()),
            "applicable": bool(self.applicable),
            "applicable-file": row is not None and row.change is not None and not row.status,
            "run-shown": state is not None and state.report is not None,
            "operations": self.run_state is None or len(self.run_state.operations) > 1,
        }
        return frozenset(name for name, holds in conditions.items() if holds)

    @property
    def _may_run(self) -> bool:
        """Whether nothing prevents a run."""
        return self.run_state is not None and not self.run_state.why_not

    @property
    def _run_title(self) -> str:
        report = self.state.report if self.state is not None else None
        operation = self.run_state.selection.operation if self.run_state is not None else ""
        is_again = report is not None and report.plan.operation == operation
        return "run again" if is_again else "run"

    @property
    def _missing_inputs(self) -> str:
        """The key that opens the inputs, while some are missing."""
        key = self._key("preview.inputs")
        missing = self.run_state is not None and self.run_state.problem_fields
        is_shown = self.subject == "ahead" and not self.has_inputs and bool(key)
        return f"{key} opens the inputs" if missing and is_shown else ""

    @property
    def skill(self) -> str | None:
        return self._previewer.runner.skill if self._previewer is not None else None

    @property
    def tab_state(self) -> Content:
        """How many files the shown run changed."""
        report = self.state.report if self.state is not None else None
        return changes_state(report) if report is not None else Content("")

    @property
    def edge(self) -> Content:
        """Whether the changes of the shown run are in the real folders."""
        state = self.state
        if state is None or state.report is None or not self.applicable:
            return Content("")
        applied_count = sum(row.status == APPLIED_STATUS for row in state.rows)
        if not applied_count:
            return plain(_UNCHANGED_TEXT, "dim")
        return plain(f"{applied_count:,} of {count(len(state.rows), 'file')} applied", "dim")

    @property
    def hints(self) -> Iterator[KeyHint]:
        facts = self.facts
        pending_count = self._changes()[1]
        if self.subject == "run" and pending_count:
            yield self._hint(
                "preview.apply", f"apply all {pending_count:,}" if pending_count > 1 else "apply"
            )
            if self.query_one(FileTable).has_focus and "applicable-file" in facts:
                yield KeyHint("enter", "apply this file", command="preview.apply-file")
        if self.subject == "run":
            yield self._hint("preview.adopt", "adopt", "run-shown" not in facts)
        if "ways" in facts:
            yield self._hint("preview.mode", _HOWS[after(self._ways, self.how)].lower())
        yield self._hint("preview.subject", _SUBJECTS[after(SUBJECTS, self.subject)].lower())
        for id_, title, fact, subject in _KEYS:
            if subject in (None, self.subject):
                yield self._hint(id_, title, fact not in facts)
            if id_ == "preview.operation" and self.subject != "card":
                yield self._hint("preview.start", self._run_title, not self._may_run)

    def _show_head(self) -> None:
        """Show the subjects as tabs, and what is shown beside them."""
        state = self.state
        tabs = [Tab(subject, "", _SUBJECTS[subject]) for subject in SUBJECTS]
        after_ = Content("")
        if state is not None and state.request.subject == self.subject:
            about = [_counts(state.counts), plain(state.title, "bold"), plain(state.about, "dim")]
            after_ = Content("  ").join([part for part in about if part.plain])
        self.query_one("#preview-head", TabBar).show_tabs(tabs, self.subject, after_)

    def _subject_clicked(self, subject: str) -> None:
        self.show_subject(next(choice for choice in SUBJECTS if choice == subject))

    def _how_clicked(self, how: str) -> None:
        self.show_how(next(choice for choice in HOWS if choice == how))

    def _update_view(self, word: str = "") -> None:
        state = self.state
        first, *other_notes = (state.notes if state is not None else ()) or ("",)
        failures = [worker.failure for worker in (self._latest, self._views, self._search)]
        notes = " · ".join(filter(None, (first, self._missing_inputs, *other_notes, *failures)))
        self.set_class(bool(notes), "-noted")
        view = self.shown_view if self._row_view is not None else None
        self.query_one("#preview-notes", Line).show(plain(f"! {notes}"))
        self.set_class(len(self._ways) < 2, "-plain")
        hows = [Tab(how, "", _HOWS[how]) for how in self._ways]
        self.query_one("#preview-tabs", TabBar).show_tabs(hows, self.how, _about(view))
        about = word or (view.note if view is not None else "")
        self.set_class(bool(about), "-remarked")
        self.query_one("#preview-about", Line).show(plain(about))
        self._show_head()
        self.post_message(self.CommandsChanged())

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._width:
            self._width = event.size.width
            # Rendered text is wrapped to the width.
            self._view_soon()

    def load(self, previewer: Previewer, get_unsaved: Callable[[], Mapping[str, str]]) -> None:
        """Preview a skill; `get_unsaved` returns its unsaved texts by their path on disk."""
        self._get_unsaved = get_unsaved
        self._unsaved_files = frozenset(get_unsaved())
        if previewer is not self._previewer:
            self._previewer, self.state, self.run_state, self._text = previewer, None, None, ""
            self._how = None
            self.remove_class("-inputs")
            self.query_one(FileTable).empty = Content("reading…")
            self.query_one(FileTable).show_rows(())
            self.query_one(ViewLines).show(None)
        self.refresh_soon()

    def show_unsaved(self) -> None:
        """Refresh what depends on which texts are unsaved."""
        unsaved_files = frozenset(self._get_unsaved())
        if unsaved_files != self._unsaved_files and self._previewer is not None:
            self._unsaved_files = unsaved_files
            if self.subject == "ahead":
                self._previewer.runner.forget()
                self.refresh_soon()

    def show_next_subject(self) -> None:
        """Show the next of outputs before a run, files after it, and card."""
        self.show_subject(after(SUBJECTS, self.subject))

    def show_subject(self, subject: Subject, run: str | None = None) -> None:
        """Show another subject, or another run; "" is the last one."""
        previewer = self._previewer
        if previewer is None:
            return
        previewer.subject = subject
        previewer.run = previewer.run if run is None else run
        if subject != "ahead":
            self._close_inputs()
        self.refresh_soon()

    def show_next_how(self) -> None:
        """Show the next of preview, diff, raw text and bytes."""
        if self._ways:
            self.show_how(after(self._ways, self.how))

    def show_how(self, how: How | None) -> None:
        """Show all files in one of the ways; None for what suits the selected one."""
        self._how = how
        self._view_soon()

    @property
    def is_settled(self) -> bool:
        """Whether the table and the file of the last request are shown."""
        return self._latest.is_settled and self._views.is_settled

    def _prepare(self) -> Callable[[], PreviewState] | None:
        previewer = self._previewer
        if previewer is None:
            return None
        return partial(previewer.look, previewer.request(dict(self._get_unsaved())))

    async def _take(self, state: PreviewState) -> None:
        if self._previewer is not None and self._previewer.subject is None:
            self._previewer.subject = state.request.subject
        if self._previewer is not None and state.run_state is not None:
            self._previewer.runner.took(state.run_state)
            self.run_state = state.run_state
            await self._show_inputs()
        self.show(state)

    def show(self, state: PreviewState) -> None:
        """Show a new state; the same row stays selected."""
        at = self._same_place(state)
        self.state = state
        table = self.query_one(FileTable)
        table.empty = Content("" if state.trouble else "no files")
        self.set_class(not state.rows, "-empty")
        table.show_rows(state.rows, at)
        self.refresh(layout=True)
        self._view_soon()
        self.post_message(self.CommandsChanged())

    def _same_place(self, state: PreviewState) -> int:
        """The index of the selected row in another table of the same subject."""
        before, row = self.state, self.row
        if before is None or row is None or before.request.subject != state.request.subject:
            return 0
        place = (row.root, row.path)
        at = self.query_one(FileTable).cursor
        if state.rows[at : at + 1] and (state.rows[at].root, state.rows[at].path) == place:
            return at
        indexes = (at for at, other in enumerate(state.rows) if (other.root, other.path) == place)
        return next(indexes, 0)

    async def go_to_inputs(self) -> None:
        """Open the form of the inputs at the first field with a problem.

        This waits until the field has the focus, as the next keys are typed into it.
        """
        previewer = self._previewer
        if previewer is None:
            return
        if previewer.subject != "ahead":
            self.show_subject("ahead")
        runner = previewer.runner
        if self.run_state is None or self.run_state.selection.operation != runner.operation:
            self.run_state = await asyncio.to_thread(runner.look, runner.selection())
            runner.took(self.run_state)
        self.add_class("-inputs")
        await self._show_inputs()
        await self.wait_for_layout()
        self.query_one(InputForm).go_to_first()
        self._update_view()

    async def inputs_changed(self) -> None:
        """Show inputs that were set by a command."""
        await self._show_inputs()
        self.show_subject("ahead")

    async def _show_inputs(self) -> None:
        previewer, run_state = self._previewer, self.run_state
        if previewer is not None and run_state is not None and self.has_inputs:
            await self.query_one(InputForm).show_inputs(previewer.runner, run_state)

    def on_entry_edited(self, event: EntryEdited) -> None:
        """Refresh the outputs if the inputs changed."""
        event.stop()
        if self.query_one(InputForm).take():
            self.refresh_soon()

    def on_field_list_completed(self, event: InputForm.Completed) -> None:
        event.stop()
        self._close_inputs()

    def _close_inputs(self) -> bool:
        """Close the form. Whether it was open."""
        if not self.has_inputs:
            return False
        had_focus = self.query_one(InputForm).has_focus_within
        self.remove_class("-inputs")
        if had_focus:
            self.to_focus.focus()
        self._update_view()
        return True

    def _view_soon(self) -> None:
        self._seek_from = None
        self._search.ask()
        self._ways = ways_of_row(self.row) if self.row is not None else ()
        self._row_view = None
        self._views.ask()
        self._update_view()

    def _prepare_view(self) -> Callable[[], FileView] | None:
        row = self.row
        if row is None:
            trouble = self.state.trouble if self.state is not None else ""
            texts = [trouble, "", *self._advice()] if trouble else []
            lines = set_lines([line((text, "quiet")) for text in texts], self._room)
            self.query_one(ViewLines).show(LazyView("", "nothing", list(lines)))
            self._update_view()
            return None
        return partial(_view, row, self.how, self._room)

    def _advice(self) -> Iterator[str]:
        """The keys that show something where there is no file."""
        if self.subject == "ahead" and self._may_run:
            yield f"{self._key('preview.start')} runs the operation and shows what it changes"
        for subject in SUBJECTS:
            if subject == after(SUBJECTS, self.subject):
                yield f"{self._key('preview.subject')} shows the {_SUBJECTS[subject].lower()}"

    @property
    def _room(self) -> int:
        return max(self.query_one(ViewLines).room, 20)

    def _take_view(self, view: FileView) -> None:
        lines = self.query_one(ViewLines)
        if self._row_view is None:
            lines.show(view)
            lines.mark(self._text, -1)
        elif view is not self._row_view:
            lines.grow(view)
        self._row_view = view
        self._update_view()
        self.post_message(self.CommandsChanged())

    def on_view_lines_grown(self, event: ViewLines.Grown) -> None:
        event.stop()
        self._update_view()

    def on_view_lines_end_reached(self, event: ViewLines.EndReached) -> None:
        """Read more of the file, if the view has more."""
        event.stop()
        if event.view is self._row_view:
            self._views.extend(partial(_extend_view, event.view))

    def _fail_view(self) -> None:
        self.query_one(ViewLines).show(None, "this file cannot be shown")
        self._update_view()

    def open_search(self) -> None:
        """Open the field for the text to find."""
        field = self.query_one("#preview-find", Input)
        field.add_class("-shown")
        self.call_after_refresh(field.focus)

    def find_next(self) -> None:
        """Go to the next line with the text, wrapping around."""
        self._seek_from = self.query_one(ViewLines).match_line + 1 if self._text else None
        self._search.ask()

    def _prepare_search(self) -> Callable[[], int] | None:
        row, start = self.row, self._seek_from
        if row is None or start is None:
            return None
        how, room, text, is_wanted = self.how, self._room, self._text, self._search.still_wanted()
        # The search gets its own view: the shown one is being painted.
        return lambda: find_line(view_of_row(row, how, room), text, start, is_wanted)

    def _take_line(self, line: int) -> None:
        self.query_one(ViewLines).mark(self._text, line)
        self._update_view("" if line >= 0 else f"“{self._text}” was not found")

    def leave_field(self) -> bool:
        """Close the form of the inputs or the search. Whether one was open."""
        if self._close_inputs():
            return True
        field = self.query_one("#preview-find", Input)
        if not field.has_class("-shown"):
            return False
        field.remove_class("-shown")
        self.query_one(ViewLines).focus()
        return True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._text = event.value
        self.leave_field()
        self.query_one(ViewLines).mark(self._text, -1)
        self.post_message(self.CommandsChanged())
        self.find_next()

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._view_soon()
        self.post_message(self.CommandsChanged())

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        """Apply the file, which asks first; go to the view of one that cannot be applied."""
        event.stop()
        if "applicable-file" in self.facts and not event.was_clicked:
            self.post_message(KeyLine.Clicked("preview.apply-file"))
        elif not event.was_clicked:
            self.query_one(ViewLines).focus()


def _view(row: PreviewFileRow, how: How, width: int) -> FileView:
    view = view_of_row(row, how, width, on_screen=True)
    view.lines(0, _FIRST)
    return view


def _extend_view(view: FileView) -> FileView:
    """Return a view with more of the file, or the same one at the end of the file."""
    longer_view = view.load_more()
    while (
        longer_view is not None
        and longer_view.count < view.count + _FIRST
        and not longer_view.complete
    ):
        longer_view.lines(longer_view.count, _FIRST)
    return longer_view or view


def _counts(words: str) -> Content:
    """How many files were added, changed and removed, in the colours of their signs."""
    colours = {"+": "$text-success", "~": "$text-warning", "-": "$text-error"}
    parts = [plain(word, colours.get(word[:1], "")) for word in words.split(" ")]
    return Content(" ").join(parts)


def _about(view: FileView | None) -> Content:
    """The kind and the number of lines of a view."""
    if view is None or view.kind in ("diff", "nothing"):
        return Content("")
    plus_sign = "" if view.complete else "+"
    lines = f"{view.count:,}{plus_sign} line{'s' if plus_sign or view.count != 1 else ''}"
    return plain(f"{view.kind}  {lines}", "dim")
