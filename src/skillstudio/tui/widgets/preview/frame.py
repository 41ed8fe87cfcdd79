"""The frame of the preview: the table, the detail beside or below it, what is said of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from skillstudio.dryrun.applying.wanted import Wanted
from skillstudio.preview.view import View
from skillstudio.session.previewing import Looked, Previewer, Subject
from skillstudio.session.previewing_files import FileRow, How, bytes_of
from skillstudio.tui.external import pager
from skillstudio.tui.widgets.compare.lines import keys_line
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.preview import head
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.words import plain


class PreviewFrame(Vertical):
    """The table, and the detail of what is under its cursor."""

    DEFAULT_CSS = """
    PreviewFrame { height: 1fr; min-width: 24; }
    PreviewFrame > Line { background: $panel; }
    PreviewFrame > #preview-notes { display: none; background: $warning 30%; }
    PreviewFrame.-noted > #preview-notes { display: block; }
    PreviewFrame > #preview-body { height: 1fr; }
    PreviewFrame FileTable { width: 45%; height: 1fr; min-height: 3; }
    PreviewFrame #preview-side { width: 1fr; height: 1fr; border-left: vkey $primary 40%; }
    PreviewFrame #preview-side > Line { background: $panel; }
    PreviewFrame #preview-about { height: auto; max-height: 2; text-wrap: wrap; }
    PreviewFrame #preview-find {
        display: none;
        border: none;
        height: 1;
        padding: 0;
        background: $surface;
    }
    PreviewFrame #preview-find.-shown { display: block; }
    PreviewFrame.-below > #preview-body { layout: vertical; }
    PreviewFrame.-below FileTable { width: 100%; height: auto; max-height: 40%; }
    PreviewFrame.-below #preview-side { width: 100%; border-left: none; }
    """

    class Changed(Message, namespace="preview_view"):
        """Other commands can be run now."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, PreviewFrame.Changed)

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
    def applicable(self) -> list[Wanted]:
        """What of the run that is shown can be applied."""
        rows = self.looked.rows if self.looked is not None else ()
        return [each.wanted for each in rows if each.wanted is not None]

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
            "applicable": bool(self.applicable),
            "run-shown": looked is not None and looked.report is not None,
        }
        return frozenset(name for name, holds in found.items() if holds)

    def _tell(self, word: str = "") -> None:
        looked = self.looked
        notes = [*(looked.notes if looked is not None else ()), self._failure]
        told = " · ".join(each for each in notes if each)
        self.set_class(bool(told), "-noted")
        view = self.shown if self._shown == self._wanted else None
        about = plain(word, "$text-warning") if word else head.about_line(self.row, view)
        shown = {
            "head": head.subjects_line(self.subject, looked),
            "notes": plain(f"! {told}"),
            "tabs": head.hows_line(self.how),
            "about": about,
            "keys": keys_line(head.keys(self._key, self.subject, self.how, self.facts)),
        }
        for name, content in shown.items():
            self.query_one(f"#preview-{name}", Line).show(content)
