"""What comes out of the open skill: a table, and beside or below it what is under its cursor.

Tables and views are made in threads, the last wish winning; the lines of a view are painted as
they come into sight, so a file of any size costs what a screen of it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from skillstudio.preview.view import View, search
from skillstudio.session.commands import COMMANDS
from skillstudio.session.previewing import SUBJECTS, Looked, Previewer, Subject, Wish
from skillstudio.session.previewing_files import HOWS, FileRow, How, bytes_of, view_of_row
from skillstudio.tui.external import pager
from skillstudio.tui.widgets.compare.lines import KeyTold, keys_line
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

BESIDE = 84
"""Columns from which the detail stands beside the table, and not below it."""
_SUBJECTS = {"ahead": "Outputs", "run": "Changes", "card": "Card"}
_HOWS = {"preview": "Preview", "diff": "Diff", "raw": "Raw", "hex": "Hex"}
Step = TypeVar("Step", bound=str)
_FIRST = 100
"""Lines of a view that are made before it is shown."""


class PreviewView(Vertical):
    """The table, and the detail of what is under its cursor."""

    DEFAULT_CSS = """
    PreviewView { height: 1fr; min-width: 24; }
    PreviewView > Line { background: $panel; }
    PreviewView > #preview-notes { display: none; background: $warning 30%; }
    PreviewView.-noted > #preview-notes { display: block; }
    PreviewView > #preview-body { height: 1fr; }
    PreviewView FileTable { width: 45%; height: 1fr; min-height: 3; }
    PreviewView #preview-side { width: 1fr; height: 1fr; border-left: vkey $primary 40%; }
    PreviewView #preview-side > Line { background: $panel; }
    PreviewView #preview-find {
        display: none;
        border: none;
        height: 1;
        padding: 0;
        background: $surface;
    }
    PreviewView #preview-find.-shown { display: block; }
    PreviewView.-below > #preview-body { layout: vertical; }
    PreviewView.-below FileTable { width: 100%; height: auto; max-height: 40%; }
    PreviewView.-below #preview-side { width: 100%; border-left: none; }
    """
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

    class Changed(Message):
        """Other commands can be run now."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, PreviewView.Changed)

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        """`key` gives the key of a command as it is shown; empty where it has none."""
        super().__init__(id=id)
        self._key = key
        self._previewer: Previewer | None = None
        self._unsaved: Callable[[], Mapping[str, str]] = dict
        self.looked: Looked | None = None
        self.how: How = "preview"
        self._asked = 0
        """Numbers what is to be looked at; a table of an earlier number is of something else."""
        self._busy = 0
        self._told_of = 0
        self._wanted = 0
        """Numbers the views; one of an earlier number is of another row."""
        self._making = 0
        self._shown = 0
        self._text = ""
        """What is looked for."""
        self._searches = 0
        self._failure = ""
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Line(id="preview-head")
        yield Line(id="preview-notes")
        with Horizontal(id="preview-body"):
            yield FileTable(id="preview-files")
            with Vertical(id="preview-side"):
                yield Line(id="preview-tabs")
                yield Line(id="preview-about")
                yield ViewLines(id="preview-lines")
                yield Input(placeholder="text to look for", id="preview-find")
        yield Line(id="preview-keys")

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
            self.show_subject(_after(SUBJECTS, previewer.subject))

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
        self.how = _after(HOWS, self.how)
        self._view_soon()

    @property
    def subject(self) -> Subject:
        return self._previewer.subject if self._previewer is not None else "ahead"

    @property
    def to_focus(self) -> Widget:
        """What takes the focus for the view."""
        return self.query_one(FileTable)

    @property
    def row(self) -> FileRow | None:
        """The row under the cursor."""
        rows = self.looked.rows if self.looked is not None else ()
        at = self.query_one(FileTable).cursor if self.is_mounted else 0
        return rows[at] if at < len(rows) else None

    @property
    def shown(self) -> View | None:
        """The view that is shown."""
        return self.query_one(ViewLines).view if self.is_mounted else None

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        row, looked = self.row, self.looked
        found = {
            "previewing": True,
            "shown": self.shown is not None,
            "sought": bool(self._text),
            "bytes": row is not None and bytes_of(row) is not None,
            "pager-program": bool(pager()),
            "run-shown": looked is not None and looked.report is not None,
        }
        return frozenset(name for name, holds in found.items() if holds)

    @property
    def is_settled(self) -> bool:
        """Whether table and view are of what was wished for last."""
        return self._told_of == self._asked and self._shown == self._wanted

    @property
    def sought(self) -> str:
        """What is looked for; "" for nothing."""
        return self._text

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
        at = self._same_place(event.looked)
        self.looked = event.looked
        table = self.query_one(FileTable)
        table.empty = plain(event.looked.trouble or "nothing")
        table.show_rows(event.looked.rows, at)
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
        work = partial(self._seek, self._searches, row, self._text, start)
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

    def _seek(self, number: int, row: FileRow, text: str, start: int) -> None:
        """Look through a view of its own: the one that is shown is being painted."""
        line = self._first(number, row, text, start)
        if line == -1 and start:
            line = self._first(number, row, text, 0)
        self.post_message(self.Sought(number, text, line))

    def _first(self, number: int, row: FileRow, text: str, start: int) -> int:
        view: View | None = view_of_row(row, self.how, self._room)
        while view is not None:
            at = start
            while number == self._searches:
                found = search(view, text, at, 1)
                if found.lines:
                    return found.lines[0]
                if found.complete:
                    break
                at = found.until
            view = view.more() if number == self._searches else None
        return -1

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

    def _tell(self, word: str = "") -> None:
        looked = self.looked
        self.query_one("#preview-head", Line).show(self._head())
        notes = list(looked.notes) if looked is not None else []
        notes += [self._failure] if self._failure else []
        self.set_class(bool(notes), "-noted")
        self.query_one("#preview-notes", Line).show(plain("! " + " · ".join(notes)))
        self.query_one("#preview-tabs", Line).show(self._tabs())
        about = plain(word, "$text-warning") if word else self._about()
        self.query_one("#preview-about", Line).show(about)
        self.query_one("#preview-keys", Line).show(keys_line(self._keys()))

    def _head(self) -> Content:
        looked = self.looked
        here = self.subject
        parts: list[Content | str] = []
        for each in SUBJECTS:
            name = _SUBJECTS[each]
            style = "bold $text-primary" if each == here else "dim"
            parts += [Content.styled(f"[{name}]" if each == here else f" {name} ", style), " "]
        if looked is not None and looked.wish.subject == here:
            parts += [" ", plain(looked.title, "bold"), "  ", plain(looked.about)]
        return joined(*parts)

    def _tabs(self) -> Content:
        parts = []
        for each in HOWS:
            is_here = each == self.how
            text = f"[{_HOWS[each]}]" if is_here else f" {_HOWS[each]} "
            parts.append(Content.styled(text, "bold $text-primary" if is_here else "dim"))
        return Content(" ").join(parts)

    def _about(self) -> Content:
        """The whole path, how many lines there are, and what is to be known of the view."""
        row, view = self.row, self.shown
        if row is None:
            return Content("")
        parts = [plain(row.path, "bold")]
        if view is not None and self._shown == self._wanted:
            more = "" if view.complete else "+"
            lines = f"{view.count:,}{more} line{'s' if more or view.count != 1 else ''}"
            parts += [plain(view.kind, "dim"), plain(lines, "dim")]
            if view.note:
                parts.append(plain(view.note, "$text-warning"))
        if row.declared:
            parts.append(plain(row.declared, "dim"))
        return Content("  ").join(parts)

    def _keys(self) -> Iterator[KeyTold]:
        has_view = self.shown is not None
        yield KeyTold(
            self._key("preview.subject"), _SUBJECTS[_after(SUBJECTS, self.subject)].lower()
        )
        yield KeyTold(self._key("preview.how"), _HOWS[_after(HOWS, self.how)].lower())
        yield KeyTold(self._key("preview.run"), "runs")
        yield KeyTold(self._key("preview.find"), "find", not has_view)
        yield KeyTold(self._key("preview.next"), "next", not self._text)
        yield KeyTold(self._key("preview.pager"), "$PAGER", not has_view)
        yield KeyTold(self._key("preview.editor"), "$EDITOR", "bytes" not in self.facts)


def _after(steps: tuple[Step, ...], here: Step) -> Step:
    """What a key leads to that goes from one to the next, and from the last to the first."""
    return steps[(steps.index(here) + 1) % len(steps)]
