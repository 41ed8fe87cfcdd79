"""What comes out of the open skill: a table, and beside or below it what is under its cursor.

Tables and views are made in threads, the last wish winning; the lines of a view are painted as
they come into sight, so a file of any size costs what a screen of it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from skillstudio.preview.view import View
from skillstudio.session.commands import COMMANDS
from skillstudio.session.previewing import SUBJECTS, Looked, Previewer, Subject, Wish
from skillstudio.session.previewing_files import HOWS, FileRow, How, find_line, view_of_row
from skillstudio.tui.widgets.preview import head
from skillstudio.tui.widgets.preview.frame import PreviewFrame
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

BESIDE = 84
"""Columns from which the detail stands beside the table, and not below it."""
_FIRST = 100
"""Lines of a view that are made before it is shown."""


class PreviewView(PreviewFrame):
    """Makes tables and views of what is wished for, and looks for texts in them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(each.keys), f"screen.run('{each.id}')", each.title, show=False, id=each.id)
        for each in COMMANDS
        if each.context == "preview" and each.keys
    ]

    @dataclass
    class Found(Message):
        """A table was made of what was wished for at the time."""

        number: int
        looked: Looked

    @dataclass
    class Made(Message):
        """A view was made of the row under the cursor at the time."""

        number: int
        view: View

    @dataclass
    class Sought(Message):
        """A search is over; `line` is -1 where the text is nowhere."""

        number: int
        text: str
        line: int

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < BESIDE, "-below")
        if event.size.width != self._width:
            self._width = event.size.width
            # Text that is set anew is set to another width.
            self._view_soon()

    # What the screen calls.

    def load(self, previewer: Previewer, unsaved: Callable[[], Mapping[str, str]]) -> None:
        """Look at a skill; `unsaved` gives its unsaved texts by their path on disk."""
        self._unsaved = unsaved
        if previewer is not self._previewer:
            self._previewer, self.looked, self._text = previewer, None, ""
            self.query_one(FileTable).empty = Content("looking…")
            self.query_one(FileTable).show_rows(())
            self.query_one(ViewLines).show(None)
        self.look_soon()

    def look_soon(self) -> None:
        """Look again when the look under way is over; the last wish wins."""
        self._asked += 1
        # The thread would hold the frame up.
        self.call_after_refresh(self._start)

    def show_next_subject(self) -> None:
        """From the outputs before a run to the files after it, to the card, and back."""
        previewer = self._previewer
        if previewer is not None:
            self.show_subject(head.after(SUBJECTS, previewer.subject))

    def show_subject(self, subject: Subject, run: str | None = None) -> None:
        """Show something else, or another run; "" is the last one."""
        previewer = self._previewer
        if previewer is None:
            return
        previewer.subject = subject
        previewer.run = previewer.run if run is None else run
        self.look_soon()

    def show_next_how(self) -> None:
        """From the preview to the diff, the raw text, the bytes, and back."""
        self.how = head.after(HOWS, self.how)
        self._view_soon()

    @property
    def is_settled(self) -> bool:
        """Whether table and view are of what was wished for last."""
        return self._told_of == self._asked and self._shown == self._wanted

    # Looking.

    def _start(self) -> None:
        previewer = self._previewer
        if previewer is None or self._busy or self._told_of == self._asked or not self.is_mounted:
            return
        self._busy = self._asked
        wish = previewer.wish(dict(self._unsaved()))
        work = partial(self._look, self._asked, previewer, wish)
        self.run_worker(work, thread=True, group="preview-look", exit_on_error=False)

    def _look(self, number: int, previewer: Previewer, wish: Wish) -> None:
        self.post_message(self.Found(number, previewer.look(wish)))

    def on_preview_view_found(self, event: Found) -> None:
        event.stop()
        self._busy = 0
        self._failure = ""
        if event.number != self._asked:
            self._start()
            return
        self._told_of = event.number
        self.show(event.looked)

    def show(self, looked: Looked) -> None:
        """Show what a look found, the cursor on the row it was on."""
        at = self._same_place(looked)
        self.looked = looked
        table = self.query_one(FileTable)
        table.empty = plain(looked.trouble or "nothing")
        table.show_rows(looked.rows, at)
        self.refresh(layout=True)
        self._view_soon()
        self.post_message(self.Changed())

    def _same_place(self, looked: Looked) -> int:
        """Where the row under the cursor stands in another table of the same."""
        before, row = self.looked, self.row
        if before is None or row is None or before.wish.subject != looked.wish.subject:
            return 0
        places = [(each.root, each.path) for each in looked.rows]
        place = (row.root, row.path)
        return places.index(place) if place in places else 0

    # The view of the row.

    def _view_soon(self) -> None:
        self._wanted += 1
        self._searches += 1
        self._tell()
        self.call_after_refresh(self._start_view)

    def _start_view(self) -> None:
        if self._making or self._shown == self._wanted or not self.is_mounted:
            return
        row = self.row
        if row is None:
            self._shown = self._wanted
            self.query_one(ViewLines).show(None)
            self._tell()
            return
        self._making = self._wanted
        work = partial(self._make, self._wanted, row, self.how, self._room)
        self.run_worker(work, thread=True, group="preview-view", exit_on_error=False)

    @property
    def _room(self) -> int:
        return max(self.query_one(ViewLines).size.width, 20)

    def _make(self, number: int, row: FileRow, how: How, width: int) -> None:
        view = view_of_row(row, how, width)
        view.lines(0, _FIRST)
        self.post_message(self.Made(number, view))

    def on_preview_view_made(self, event: Made) -> None:
        event.stop()
        self._making = 0
        if event.number != self._wanted:
            self._start_view()
            return
        lines = self.query_one(ViewLines)
        if event.view is self.shown:
            return
        if self._shown == event.number:
            lines.grow(event.view)
        else:
            self._shown = event.number
            lines.show(event.view)
            lines.mark(self._text, -1)
        self._tell()
        self.post_message(self.Changed())

    def on_view_lines_grown(self, event: ViewLines.Grown) -> None:
        event.stop()
        self._tell()

    def on_view_lines_ended(self, event: ViewLines.Ended) -> None:
        """More of the file, where the view can have it."""
        event.stop()
        if self._making or self._shown != self._wanted or event.view is not self.shown:
            return
        self._making = self._wanted
        work = partial(self._enlarge, self._wanted, event.view)
        self.run_worker(work, thread=True, group="preview-view", exit_on_error=False)

    def _enlarge(self, number: int, view: View) -> None:
        more = view.more()
        while more is not None and more.count < view.count + _FIRST and not more.complete:
            more.lines(more.count, _FIRST)
        self.post_message(self.Made(number, more or view))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault in looking is told and costs no more than its own work."""
        event.stop()
        if event.state is not WorkerState.ERROR:
            return
        self._failure = f"{event.worker.group} stopped: {event.worker.error!r}"
        if event.worker.group == "preview-look":
            self._busy, self._told_of = 0, self._asked
        else:
            self._making, self._shown = 0, self._wanted
            self.query_one(ViewLines).show(None, "it cannot be shown")
        self._tell()

    # Searching.

    def open_search(self) -> None:
        """Ask for a text to look for."""
        field = self.query_one("#preview-find", Input)
        field.add_class("-shown")
        self.call_after_refresh(field.focus)

    def find_next(self) -> None:
        """Go to the next line that has the text, from the last one to the first."""
        row = self.row
        if row is None or not self._text:
            return
        self._searches += 1
        start = self.query_one(ViewLines).found + 1
        # A view of its own: the one that is shown is being painted.
        made = partial(view_of_row, row, self.how, self._room)
        work = partial(self._seek, self._searches, made, self._text, start)
        self.run_worker(work, thread=True, group="preview-search", exit_on_error=False)

    def leave_field(self) -> bool:
        """Close the search. Whether it was open."""
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
        self.post_message(self.Changed())
        self.find_next()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    def _seek(self, number: int, made: Callable[[], View], text: str, start: int) -> None:
        line = find_line(made(), text, start, lambda: number == self._searches)
        self.post_message(self.Sought(number, text, line))

    def on_preview_view_sought(self, event: Sought) -> None:
        event.stop()
        if event.number != self._searches:
            return
        self.query_one(ViewLines).mark(event.text, event.line)
        self._tell("" if event.line >= 0 else f"“{event.text}” is not in it")

    # Telling.

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._view_soon()
        self.post_message(self.Changed())

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        self.query_one(ViewLines).focus()
