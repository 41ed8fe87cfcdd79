"""A text area over a buffer: the buffer has the text and its history, this shows and edits it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.document._document import EditResult, Location, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset
from textual.strip import Strip
from textual.widgets import TextArea

from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.editor import shown as marks
from skillstudio.tui.widgets.editor import theme
from skillstudio.tui.widgets.editor.highlight import Highlighter, language_of
from skillstudio.tui.widgets.editor.indentation import unit_of
from skillstudio.tui.widgets.editor.pictures import pictures
from skillstudio.tui.widgets.editor.shown import GLYPHS, ShownDiagnostic, Underline
from skillstudio.tui.widgets.editor.text_document import TextDocument

_LINE_END = re.compile(r"\r\n|\n|\r")
_BRACKET = re.compile(r"[\[\](){}]")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_SIGNS = 2
"""Cells left of the line numbers: the diagnostic's letter and the mark of a changed line."""
_REACH = 100_000
"""How many characters away a bracket's partner is looked for."""


class _Wrapped(WrappedDocument):
    """Counts its rows once and not for every line that is painted."""

    @property
    def height(self) -> int:
        return len(self._offset_to_line_info)


class BufferArea(TextArea):
    """The text of one buffer with colours, underlines and marks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = theme.COMPONENTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "to_edge(False)", "Start of the text", show=False),
        Binding("ctrl+end", "to_edge(True)", "End of the text", show=False),
        Binding("ctrl+shift+home", "to_edge(False, True)", "Select to the start", show=False),
        Binding("ctrl+shift+end", "to_edge(True, True)", "Select to the end", show=False),
    ]

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        self._buffer: Buffer | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._language = "text"
        self._diagnostics: list[ShownDiagnostic] = []
        self._underlines: dict[int, list[Underline]] | None = None
        self._changed_rows: set[int] = set()
        self._found: dict[int, list[tuple[int, int]]] = {}
        self._styles: dict[str, Style] = {}
        self._cursor_after: int | None = None
        """Where the cursor goes in the change to come; None to stay where it is in the text."""
        self._cursor_next: int | None = None
        """The same for the edit to come, where it is not the end of what is put in."""
        self._applying = False
        super().__init__(
            soft_wrap=False,
            tab_behavior="indent",
            show_line_numbers=True,
            read_only=True,
            id=id,
            classes=classes,
        )
        self.cursor_blink = False
        self.register_theme(theme.EditorTheme(theme.THEME))
        self.theme = theme.THEME

    # The buffer

    @property
    def buffer(self) -> Buffer | None:
        return self._buffer

    def load(self, buffer: Buffer) -> None:
        """Show a buffer from its beginning, and follow it from now on."""
        self._forget()
        self._buffer = buffer
        self._language = language_of(buffer.path)
        self.indent_width = unit_of(buffer.text)
        self._set_document(buffer.text, None)
        self._unsubscribe = buffer.subscribe(self._buffer_changed)
        self.read_only = bool(buffer.read_only)
        self.refresh()

    def on_unmount(self) -> None:
        self._forget()

    def _forget(self) -> None:
        if self._unsubscribe:
            self._unsubscribe()
        self._unsubscribe = None
        self._buffer = None

    def _set_document(self, text: str, language: str | None) -> None:
        """Give Textual a document that keeps every byte, whatever it asks one for."""
        del language  # Textual's name for a tree-sitter grammar
        document = TextDocument(text)
        self._text_document = document
        self.document = document
        self.wrapped_document = _Wrapped(document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._highlighter = Highlighter(lambda: document.lines, self._language)
        self._diagnostics = []
        self._changed_rows = set()
        self._found = {}
        self._repaint()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _watch_language(self, language: str | None) -> None:
        """Textual would read the text anew; there is no grammar to read it with."""

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit of the text area one of the buffer; new lines get the file's line end."""
        document, buffer = self._text_document, self._buffer
        start, end = document.offset_of(edit.top), document.offset_of(edit.bottom)
        text = _LINE_END.sub(lambda _: document.newline, edit.text)
        text = text.encode("utf-8", "replace").decode("utf-8")
        if buffer is None or buffer.read_only:
            return EditResult(edit.top, "")
        replaced = document.text[start:end]
        typed = len(edit.text) + len(replaced) == 1
        if not edit.maintain_selection_offset:
            end_of_edit = start + len(text)
            self._cursor_after = end_of_edit if self._cursor_next is None else self._cursor_next
        self._cursor_next = None
        label = "Typing" if typed else "Editing"
        buffer.replace([Splice(start, end, text)], label, merge=typed, origin=self)
        if self._cursor_after is not None:  # the buffer had nothing to change
            self._put_cursor(self._cursor_after)
        return EditResult(document.location_of(start + len(text)), replaced)

    def undo(self) -> None:
        """Take back the buffer's last step, whoever made it."""
        if self._buffer and not self._buffer.read_only:
            self._show_step(self._buffer.undo(origin=self))

    def redo(self) -> None:
        """Do again what was undone last."""
        if self._buffer and not self._buffer.read_only:
            self._show_step(self._buffer.redo(origin=self))

    def _show_step(self, splices: tuple[Splice, ...] | None) -> None:
        if splices:
            last = splices[-1]
            self._put_cursor(marks.moved(last.start, splices[:-1]) + len(last.text))

    def _buffer_changed(self, change: BufferChange) -> None:
        """Take a change into the document, wherever it came from."""
        document = self._text_document
        first, last = (document.offset_of(place) for place in self.selection)
        old_gutter, old_size = self.gutter_width, self.virtual_size
        dirty = set(self._rows_underlined) | set(self._found)
        moved = False
        for splice in reversed(change.splices):
            rows = document.splice(*splice)
            self._highlighter.edited(*rows)
            dirty.update(range(rows.top, rows.new + 1))
            shift = rows.new - rows.old
            if shift:
                moved = True
                self._changed_rows = {
                    row + shift if row > rows.old else min(row, rows.new)
                    for row in self._changed_rows
                }
            self.wrapped_document.wrap_range((rows.top, 0), (rows.old, 0), (rows.new, 0))
        if self.soft_wrap and self.gutter_width != old_gutter:
            self.wrapped_document.wrap(self.wrap_width, self.indent_width)
        self._diagnostics = marks.follow(self._diagnostics, change.splices)
        self._found = {}
        self._underlines = None
        cut_off = max(self.selection) > document.end
        if cut_off:
            # A new size may have Textual look for the cursor, which is beyond the text.
            self.set_reactive(TextArea.selection, Selection.cursor(document.end))
        self._refresh_size()
        if moved or self.soft_wrap or self.virtual_size != old_size:
            self._repaint()
        else:
            self._repaint_rows(dirty | set(self._rows_underlined))
        if self._cursor_after is None:
            first, last = marks.moved(first, change.splices), marks.moved(last, change.splices)
            self._put_cursor(last, first)
        else:
            self._put_cursor(self._cursor_after)
        if cut_off and self.is_mounted:
            self.scroll_cursor_visible()

    def _put_cursor(self, offset: int, anchor: int | None = None) -> None:
        """Set the cursor as part of an edit, which does not end the typing that it belongs to."""
        self._cursor_after = None
        place = self._text_document.location_of
        self._applying = True
        try:
            self.selection = Selection(place(offset if anchor is None else anchor), place(offset))
        finally:
            self._applying = False
        self.record_cursor_width()

    def watch_selection(self) -> None:
        if self._buffer and not self._applying:
            self._buffer.seal()

    # Places

    @property
    def cursor_offset(self) -> int:
        """Where the cursor is in the text."""
        return self._text_document.offset_of(self.cursor_location)

    def go_to(self, offset: int, end: int | None = None) -> None:
        """Put the cursor at an offset, in the middle when it was out of sight.

        With `end` the text from `offset` to it is selected.
        """
        place = self._text_document.location_of
        row = place(offset)[0]
        top = self.scroll_offset.y
        center = not top <= row < top + self.size.height
        self.selection = Selection(place(offset), place(offset if end is None else end))
        self.record_cursor_width()
        if center and self.is_mounted:
            self.scroll_cursor_visible(center=True)

    def action_to_edge(self, end: bool, select: bool = False) -> None:
        """Move the cursor to the start or the end of the text."""
        self.move_cursor(self.document.end if end else (0, 0), select=select)

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """The bracket that belongs to one, among the nearest; strings are not told apart."""
        if bracket not in "()[]{}" or not bracket:
            return None
        text, at = self._text_document.text, self._text_document.offset_of(search_from)
        if bracket in _PAIRS:
            found: Iterable[tuple[int, str]] = (
                (match.start(), match.group()) for match in _BRACKET.finditer(text, at)
            )
        else:
            reach = text[max(at - _REACH, 0) : at + 1]
            found = (
                (match.start() + at + 1 - len(reach), match.group())
                for match in reversed(list(_BRACKET.finditer(reach)))
            )
        depth = 0
        for offset, character in found:
            depth += 1 if (character in _PAIRS) == (bracket in _PAIRS) else -1
            if depth == 0:
                closes = _PAIRS.get(bracket) == character or _PAIRS.get(character) == bracket
                return self._text_document.location_of(offset) if closes else None
            if abs(offset - at) > _REACH:
                return None
        return None

    # Marks

    def set_diagnostics(self, diagnostics: Sequence[ShownDiagnostic]) -> None:
        """Show these in place of those before; they follow the text until the next ones."""
        self._diagnostics = list(diagnostics)
        self._repaint()

    @property
    def diagnostics(self) -> Sequence[ShownDiagnostic]:
        """The diagnostics at their places in the present text."""
        return self._diagnostics

    def mark_lines(self, lines: set[int]) -> None:
        """Mark lines as changed, counted from 1."""
        self._changed_rows = {line - 1 for line in lines}
        self._repaint()

    def show_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark what a search has found, until the text changes."""
        self._found = {}
        for start, end in spans:
            row, column = self._text_document.location_of(start)
            last, end_column = self._text_document.location_of(end)
            if last != row:
                end_column = len(self._text_document.get_line(row))
            self._found.setdefault(row, []).append((column, end_column))
        self._repaint()

    # Painting

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    def _repaint(self) -> None:
        """Paint every line anew: Textual keeps lines for as long as their text is the same."""
        self._underlines = None
        self._line_cache.clear()
        self.refresh()

    def _repaint_rows(self, rows: set[int]) -> None:
        """Paint these rows anew, those that begin in another state, and all out of sight."""
        last = self.scroll_offset.y + self.size.height
        rows |= self._highlighter.settle(last)
        for key in list(self._line_cache.keys()):
            if key[2] in rows or key[2] > last:
                self._line_cache.discard(key)
        self.refresh()

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = theme.foreground(self, name)
        return style

    @property
    def _rows_underlined(self) -> dict[int, list[Underline]]:
        if self._underlines is None:
            self._underlines = marks.underlines(self._diagnostics, self._text_document)
        return self._underlines

    def get_line(self, line_index: int) -> Text:
        """A line with its colours and underlines."""
        line = Text(self._text_document.get_line(line_index), end="", no_wrap=True)
        for run in self._highlighter.runs(line_index):
            line.stylize(self._style(run.kind), run.start, run.end)
        for column in pictures(self._text_document.raw_line(line_index)):
            line.stylize(self._style("picture"), column, column + 1)
        for underline in self._rows_underlined.get(line_index, ()):
            line.stylize(self._style(underline.severity), underline.start, underline.end)
        for start, end in self._found.get(line_index, ()):
            line.stylize(self._style("match"), start, end)
        return line

    @property
    def gutter_width(self) -> int:
        return super().gutter_width + (_SIGNS if self.show_line_numbers else 0)

    def render_line(self, y: int) -> Strip:
        """A line of the widget, with its signs left of its number."""
        strip = super().render_line(y)
        top = y + self.scroll_offset.y
        if not self.show_line_numbers or top >= self.wrapped_document.height:
            return strip
        row, column = self.wrapped_document.offset_to_location(Offset(0, top))
        severity = marks.worst(u.severity for u in self._rows_underlined.get(row, ()))
        changed = row in self._changed_rows
        if column or not (severity or changed):
            return strip
        ground = next(iter(strip)).style or Style()
        ground = Style(bgcolor=ground.bgcolor)
        signs = [
            Segment(GLYPHS[severity], ground + _bold(self._style(severity)))
            if severity
            else Segment(" ", ground),
            Segment("~" if changed else " ", ground + self._style("changed")),
        ]
        return Strip.join([Strip(signs, _SIGNS), strip.crop(_SIGNS)])


def _bold(style: Style) -> Style:
    return Style(color=style.color, bold=True)
