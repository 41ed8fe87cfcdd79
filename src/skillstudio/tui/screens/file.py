"""Look at a file of a skill that the editor does not open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from skillstudio.preview.files import How, view_of
from skillstudio.preview.source import open_source
from skillstudio.preview.view import FileView
from skillstudio.tui.dialog import BACK, Dialog
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import KeyHint, KeyLine, Line
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.skill_view import after
from skillstudio.tui.words import plain

_FIRST = 60  # Lines that are read before the view is shown.
_TITLES: Mapping[How, str] = {"preview": "preview", "hex": "bytes"}


class FileDialog(Dialog[None]):
    """Shows a picture, an archive, a database or another file, read on demand."""

    SIZE = "wide"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "show_next", "Preview or bytes"),
        Binding("q", "back", "Back"),
    ]

    def __init__(self, name: str, path: str, note: str = "") -> None:
        """`name` and a `note` are shown for the file at `path`."""
        super().__init__(name, ())
        self._file = name
        self._path = path
        self._note = note
        self._how: How = "preview"
        self._view: FileView | None = None
        self._latest = Latest(self, "file-view", self._prepare, self._take, self._show_about)

    def body(self) -> ComposeResult:
        yield Line(id="file-about")
        yield ViewLines(id="file-lines")

    def on_mount(self) -> None:
        self.query_one(ViewLines).focus()
        self._show_about()

    def on_resize(self) -> None:
        super().on_resize()
        self._view_again()  # Pictures and rendered text have the width of the dialog.

    def action_show_next(self) -> None:
        """Show the bytes instead of the preview, or back."""
        self._how = self._next_how
        self._view_again()

    @property
    def _next_how(self) -> How:
        return after(tuple(_TITLES), self._how)

    def _view_again(self) -> None:
        self._view = None
        self._latest.ask()

    def _prepare(self) -> Callable[[], FileView]:
        width = max(self.query_one(ViewLines).room, 20)
        return partial(_read, self._file, self._path, self._how, width)

    def _take(self, view: FileView) -> None:
        lines = self.query_one(ViewLines)
        if self._view is None:
            lines.show(view)
        else:
            lines.grow(view)
        self._view = view
        self._show_about()

    def on_view_lines_end_reached(self, event: ViewLines.EndReached) -> None:
        """Read more of the file, if the view has more."""
        event.stop()
        if event.view is self._view:
            self._latest.extend(partial(_extend, event.view))

    def _show_about(self) -> None:
        """Show the kind of the file and a note, and what the key shows next."""
        failure = plain(self._latest.failure, "$text-error")
        parts = [failure, plain(self._note, "$text-warning")]
        if self._view is not None:
            parts += [plain(self._view.kind, "dim"), plain(self._view.note, "$text-warning")]
        about = Content("  ").join([part for part in parts if part.plain])
        self.query_one("#file-about", Line).show(about)
        self.query_one(KeyLine).show((KeyHint("v", _TITLES[self._next_how]),), (BACK,))


def _read(name: str, path: str, how: How, width: int) -> FileView:
    view = view_of(open_source(path, name), how, width, on_screen=True)
    view.lines(0, _FIRST)
    return view


def _extend(view: FileView) -> FileView:
    """A view with more of the file; the same one at its end."""
    return view.load_more() or view
