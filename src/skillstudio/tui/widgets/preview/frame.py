"""The frame of the preview: the table, the detail beside or below it, what is said of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.preview.view import FileView
from skillstudio.session.previewing.files import How, PreviewFileRow, bytes_of
from skillstudio.session.previewing.previewing import Previewer, PreviewState, Subject
from skillstudio.session.running.state import RunState
from skillstudio.tui.external import pager
from skillstudio.tui.widgets.compare.lines import keys_line
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.preview import head
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable
from skillstudio.tui.widgets.run.form import InputForm
from skillstudio.tui.widgets.split_view import SplitView
from skillstudio.tui.words import plain


class PreviewFrame(SplitView):
    """The table, and the detail of what is selected in it."""

    DEFAULT_CSS = """
    PreviewFrame > #preview-notes {
        display: none;
        height: auto;
        max-height: 2;
        text-wrap: wrap;
        background: $warning 30%;
    }
    PreviewFrame.-noted > #preview-notes { display: block; }
    PreviewFrame FileTable { width: 45%; height: 1fr; min-height: 3; }
    PreviewFrame #preview-about { height: auto; max-height: 2; text-wrap: wrap; }
    PreviewFrame #preview-find {
        display: none;
        border: none;
        height: 1;
        padding: 0;
        background: $surface;
    }
    PreviewFrame #preview-find.-shown { display: block; }
    PreviewFrame.-below FileTable { width: 100%; height: auto; max-height: 40%; }
    PreviewFrame InputForm { display: none; }
    PreviewFrame.-inputs InputForm { display: block; }
    PreviewFrame.-inputs.-below ViewLines { height: 2; min-height: 2; }
    PreviewFrame.-inputs.-below #preview-tabs { display: none; }
    """

    def __init__(self, key: Callable[[str], str] = lambda _: "", id: str | None = None) -> None:
        super().__init__(key, id)
        self._previewer: Previewer | None = None
        self._unsaved: Callable[[], Mapping[str, str]] = dict
        self._told_unsaved: frozenset[str] = frozenset()
        self.state: PreviewState | None = None
        self._applicable: tuple[PreviewState | None, list[ApplyChange]] = (None, [])
        """What can be applied of what was looked at."""
        self.how: How = "preview"
        self.run_state: RunState | None = None
        """The plan that the outputs were looked at by, with the fields of its inputs."""
        self._text = ""
        """What is looked for."""
        self._searches = 0
        self._failure = ""
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Line(id="preview-head")
        yield Line(id="preview-notes")
        with Horizontal(classes="body"):
            yield FileTable(id="preview-files")
            with Vertical(id="preview-side", classes="side"):
                yield InputForm(id="preview-inputs")
                yield Line(id="preview-tabs")
                yield Line(id="preview-about")
                yield ViewLines(id="preview-lines")
                yield EntryLine(placeholder="text to look for", id="preview-find")
        yield Line(id="preview-keys")

    @property
    def subject(self) -> Subject:
        return self._previewer.subject if self._previewer is not None else "ahead"

    @property
    def has_inputs(self) -> bool:
        """Whether the form of the inputs is open."""
        return self.has_class("-inputs")

    @property
    def _is_view_shown(self) -> bool:
        """Whether the view that is shown is of the selected row."""
        return True

    @property
    def to_focus(self) -> Widget:
        """What takes the focus for the view."""
        return self.query_one(FileTable)

    @property
    def row(self) -> PreviewFileRow | None:
        """The selected row."""
        rows = self.state.rows if self.state is not None else ()
        at = self.query_one(FileTable).cursor if self.is_mounted else 0
        return rows[at] if at < len(rows) else None

    @property
    def applicable(self) -> list[ApplyChange]:
        """What of the run that is shown can be applied."""
        state = self.state
        if self._applicable[0] is not state:
            # A run may change a million files, and this is asked for with every key.
            rows = state.rows if state is not None else ()
            wanted = [each.wanted for each in rows if each.wanted is not None]
            self._applicable = state, wanted
        return self._applicable[1]

    @property
    def shown(self) -> FileView | None:
        """The view that is shown."""
        return self.query_one(ViewLines).view if self.is_mounted else None

    @property
    def facts(self) -> frozenset[str]:
        """The facts that its commands need; see `session.commands.REASONS`."""
        row, state = self.row, self.state
        found = {
            "previewing": True,
            "shown": self.shown is not None and row is not None,
            "search-text": bool(self._text),
            "bytes": row is not None and bytes_of(row) is not None,
            "pager-program": bool(pager()),
            "applicable": bool(self.applicable),
            "run-shown": state is not None and state.report is not None,
            "operations": self.run_state is None or len(self.run_state.operations) > 1,
        }
        return frozenset(name for name, holds in found.items() if holds)

    @property
    def _hint(self) -> str:
        """Which key gives the inputs that are missing, while the outputs are looked at."""
        key = self._key("preview.inputs")
        wanting = self.run_state is not None and self.run_state.wanting
        is_told = self.subject == "ahead" and not self.has_inputs and bool(key)
        return f"{key} gives inputs" if wanting and is_told else ""

    @property
    def _keys(self) -> Content:
        """The keys; where there is no room for all, those that do something now, the first."""
        told = list(head.keys(self._key, self.subject, self.how, self.facts))
        line = keys_line(told)
        if line.cell_length > self.size.width:
            told = [each for each in told if not each.off]
        while told and (line := keys_line(told)).cell_length > self.size.width:
            told.pop()
        return line

    def _tell(self, word: str = "") -> None:
        state = self.state
        first, *others = (state.notes if state is not None else ()) or ("",)
        notes = [first, self._hint, *others, self._failure]
        told = " · ".join(each for each in notes if each)
        self.set_class(bool(told), "-noted")
        view = self.shown if self._is_view_shown else None
        about = plain(word, "$text-warning") if word else head.about_line(self.row, view)
        shown = {
            "head": head.subjects_line(self.subject, state),
            "notes": plain(f"! {told}"),
            "tabs": head.hows_line(self.how),
            "about": about,
            "keys": self._keys,
        }
        for name, content in shown.items():
            self.query_one(f"#preview-{name}", Line).show(content)
