"""A text area that shows a document with colours, marks and the messages of problems.

Three parts of Textual's are replaced: the rows, the moves of the cursor through them, and the
painter. A message is shown after its line, or in a row of its own below.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual._text_area_theme import TextAreaTheme
from textual.document._document import Location, Selection
from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import TextArea

from skillstudio.present.problems import SIGNS
from skillstudio.text.diagnostic import Splice
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.editor import shown as marks
from skillstudio.tui.widgets.editor.highlight import KINDS, Highlighter, Run
from skillstudio.tui.widgets.editor.painting import (
    SIGN_CELLS,
    LineNote,
    RowContent,
    RowPainter,
    clip,
)
from skillstudio.tui.widgets.editor.rows import (
    RowNavigator,
    TextRows,
    character_start,
    column_at,
    hang_of,
)
from skillstudio.tui.widgets.editor.scrollbar import MarkedScrollBar
from skillstudio.tui.widgets.editor.shown import ShownDiagnostic
from skillstudio.tui.widgets.editor.text_document import TextDocument, pictures

ROWS_PAUSE = 0.15
"""Seconds without typing after which messages get rows of their own, or lose them."""
_MARKS = ("error", "warning", "info", "changed", "picture", "match", "worst", "quiet")
_THEME = "manifest"
_THEME_STYLES = (
    "base_style",
    "gutter_style",
    "cursor_style",
    "cursor_line_style",
    "cursor_line_gutter_style",
    "bracket_matching_style",
    "selection_style",
)
_BRACKET = re.compile(r"[\[\](){}]")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_REACH = 100_000  # The most characters between a bracket and its partner.
_NOTE_GAP = 3  # Cells between the text of a line and its message.
_NOTE_END = 1  # Cells after a message.


class EditorTheme(TextAreaTheme):
    """A theme from CSS in which the cursor's line keeps the colours of its text."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._applied_styles: list[Style | None] = []  # The styles of the last paint.

    def apply_css(self, text_area: TextArea) -> None:
        super().apply_css(text_area)
        style = text_area.get_component_rich_style("text-area--cursor-line")
        self.cursor_line_style = Style(bgcolor=style.bgcolor)
        styles = [getattr(self, name) for name in _THEME_STYLES]
        if styles != self._applied_styles:
            self._applied_styles = styles
            if isinstance(text_area, MarkedTextArea):
                text_area.forget_strips()


class MarkedTextArea(TextArea):
    """A text area with colours, underlines, signs and messages."""

    DEFAULT_CSS = """
    MarkedTextArea {
        border: none;
        padding: 0;
        background: $background;
        scrollbar-size: 0 1;
        overflow-y: scroll;
        &:focus { border: none; background: $background; }
        & .text-area--cursor-line { background: $surface; }
        &:ansi .text-area--cursor-line { background: ansi_default; }
        & .text-area--gutter { color: $foreground 75%; }
        & .text-area--cursor-gutter { color: $foreground; text-style: bold; }
        & .editor--key { color: $text-primary; }
        & .editor--string { color: $text-success; }
        & .editor--number { color: $text-warning; }
        & .editor--word { color: $text-accent; text-style: bold; }
        & .editor--comment { color: $foreground 75%; text-style: italic; }
        & .editor--punctuation { color: $foreground 80%; }
        & .editor--heading { color: $text-primary; text-style: bold; }
        & .editor--strong { text-style: bold; }
        & .editor--emphasis { text-style: italic; }
        & .editor--code { color: $text-secondary; }
        & .editor--link { color: $text-accent; }
        & .editor--marker { color: $text-warning; text-style: bold; }
        & .editor--error { color: $text-error; text-style: underline; }
        & .editor--warning { color: $text-warning; text-style: underline; }
        & .editor--info { color: $text-primary; text-style: underline; }
        & .editor--changed { color: $text-accent; }
        & .editor--picture { color: $text-error; text-style: reverse; }
        & .editor--match { text-style: reverse; }
        & .editor--worst { background: $fault; }
        & .editor--quiet { color: $foreground 75%; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"editor--{name}" for name in (*KINDS, *_MARKS)}

    selection: Reactive[Selection] = reactive(
        Selection(), init=False, always_update=True, repaint=False
    )
    """The same as Textual's, but only the rows that it changes are painted again."""

    def __init__(self, id: str | None = None) -> None:
        self.diagnostics: Sequence[ShownDiagnostic] = ()
        """The diagnostics at their places in the current text."""
        self._breaking_changes: list[ShownDiagnostic] = []
        """The changes that break calls, each at the start of its line."""
        self._remark: tuple[int, str] | None = None
        """A text about the line of an offset."""
        self._changed_rows: set[int] = set()
        self._language = "text"
        self._matches: dict[int, list[Run]] = {}
        self._underlines: dict[int, list[Run]] = {}
        self._notes: dict[int, tuple[LineNote, ...]] = {}
        self._severities: dict[int, str] = {}
        """The severity of the worst diagnostic that starts in each line."""
        self._worst_line: int | None = None
        self._bar_signs: dict[int, Segment] = {}
        self.last_search = ""
        self._pause: Timer | None = None
        """Runs while somebody types."""
        self._painter = RowPainter(self._style_of)
        super().__init__(
            soft_wrap=True,
            tab_behavior="indent",
            show_line_numbers=True,
            read_only=True,
            id=id,
        )
        self.cursor_blink = False
        self.register_theme(EditorTheme(_THEME))
        self.theme = _THEME

    # The document

    @property
    def rows(self) -> TextRows:
        """The rows of the document."""
        return self._rows

    def _set_document(self, text: str, language: str | None) -> None:
        """Replace the document by one that keeps every byte, whichever Textual asks for."""
        del language  # Textual's name for a tree-sitter grammar
        document = TextDocument(text)
        self.diagnostics, self._breaking_changes, self._remark = [], [], None
        self._changed_rows = set()
        self._matches = {}
        self._text_document = document
        self.document = document
        self.wrapped_document = self._rows = TextRows(
            document, self.indent_width, lambda line: self._rows_for_notes(line)
        )
        self.navigator = RowNavigator(self._rows)
        self._highlighter = Highlighter(lambda: document.lines, self._language)
        self._read_marks()
        self.refresh()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _watch_language(self, language: str | None) -> None:
        """Ignore the language: Textual would parse the text again, without a grammar."""

    def _change_text(self, splices: Sequence[Splice], is_typed: bool) -> bool:
        """Change the text, its rows and marks; whether the cursor was beyond the new end.

        While somebody types, no rows for messages come or go.
        """
        document, rows = self._text_document, self._rows
        old_gutter, old_tops = self.gutter_width, rows.tops
        lines = set(self._matches)
        is_moved = False
        for splice in reversed(splices):
            change = document.splice(*splice)
            self._highlighter.note_edit(*change)
            lines.update(range(change.top, change.new + 1))
            shift = change.new - change.old
            if shift:
                is_moved = True
                self._changed_rows = {
                    row + shift if row > change.old else min(row, change.new)
                    for row in self._changed_rows
                }
            rows.wrap_range((change.top, 0), (change.old, 0), (change.new, 0))
        self.diagnostics = marks.follow(self.diagnostics, splices)
        self._breaking_changes = marks.follow(self._breaking_changes, splices)
        if self._remark is not None:
            self._remark = marks.move_offset(self._remark[0], splices), self._remark[1]
        self._matches = {}
        lines |= self._read_marks()
        if self.soft_wrap and self.gutter_width != old_gutter:
            rows.wrap(self.wrap_width, self.indent_width)
        elif is_moved or not is_typed:
            rows.settle()
        else:
            self._start_pause()
        is_cut_off = max(self.selection) > document.end
        if is_cut_off:
            # After a resize Textual may read the cursor's place, which is beyond the text.
            self.set_reactive(MarkedTextArea.selection, Selection.cursor(document.end))
        self._refresh_size()
        last = rows.row_at(self.scroll_offset.y + self.size.height)[0]
        lines |= self._highlighter.settle(last)
        if is_moved or is_cut_off or rows.tops != old_tops:
            self.refresh()
        else:
            self._refresh_lines(lines)
        return is_cut_off

    # The cursor

    @property
    def cursor_offset(self) -> int:
        """The offset of the cursor in the text."""
        return self._text_document.offset_of(self.cursor_location)

    @property
    def selection_offsets(self) -> tuple[int, int]:
        """The offsets of the selection's start and of the cursor."""
        start, end = self.selection
        return self._text_document.offset_of(start), self._text_document.offset_of(end)

    def go_to(self, offset: int, end: int | None = None) -> None:
        """Move the cursor to an offset; `end` selects the text up to it.

        A place out of sight is scrolled to the middle.
        """
        place = self._text_document.location_of
        self.selection = Selection(place(offset), place(offset if end is None else end))
        self.record_cursor_width()
        if self.size.height:
            self._show_cursor()
        elif self.is_mounted:
            self.call_after_refresh(self._show_from_start)

    def _show_from_start(self) -> None:
        """Scroll from the start of the text: while it had no size, no place was in sight."""
        self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._show_cursor()

    def _show_cursor(self) -> None:
        """Scroll the cursor to the middle if it, or the message of its line, is out of sight."""
        row = last = self._rows.location_to_offset(self.cursor_location).y
        line_rows = self._rows.rows_of(self.cursor_location[0])
        if len(line_rows) <= self.size.height // 2:
            last = line_rows[-1]
        top = self.scroll_offset.y
        is_in_sight = top <= row <= last < top + self.size.height
        if not is_in_sight and self.is_mounted:
            self.scroll_cursor_visible(center=True)

    def go_to_line(self, line: int, column: int = 1) -> None:
        """Move the cursor to a line and column, both from 1, limited to the text."""
        row = min(max(line, 1), self._text_document.line_count) - 1
        self.go_to(self._text_document.offset_of((row, max(column, 1) - 1)))

    def action_to_edge(self, end: bool, select: bool = False) -> None:
        """Move the cursor to the start or the end of the text."""
        self.move_cursor(self.document.end if end else (0, 0), select=select)

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """Return the nearest partner of a bracket; brackets in strings count, too."""
        if bracket not in "()[]{}" or not bracket:
            return None
        text, at = self._text_document.text, self._text_document.offset_of(search_from)
        opens = bracket in _PAIRS
        brackets: Iterable[re.Match[str]] = _BRACKET.finditer(text, at, at + _REACH)
        if not opens:
            brackets = reversed(list(_BRACKET.finditer(text, max(at - _REACH, 0), at + 1)))
        depth = 0
        for match in brackets:
            depth += 1 if (match[0] in _PAIRS) == opens else -1
            if depth == 0:
                pair = bracket + match[0] if opens else match[0] + bracket
                is_pair = _PAIRS[pair[0]] == pair[1]
                return self._text_document.location_of(match.start()) if is_pair else None
        return None

    # Rows

    @property
    def _text_width(self) -> int:
        """The cells right of the gutter."""
        return max(self.scrollable_content_region.width - self.gutter_width, 0)

    @property
    def gutter_width(self) -> int:
        return super().gutter_width + (SIGN_CELLS if self.show_line_numbers else 0)

    def _refresh_size(self) -> None:
        """Update the size of all that can be scrolled to."""
        width = self._rows.longest if self.soft_wrap else self._text_document_width
        if width:
            width += self.gutter_width + 1
        self.virtual_size = Size(width, self._rows.height)
        self._refresh_scrollbars()

    @property
    def _text_document_width(self) -> int:
        return self._text_document.get_size(self.indent_width).width

    def _rewrap_and_refresh_virtual_size(self) -> None:
        with self._top_line_kept():
            super()._rewrap_and_refresh_virtual_size()
        self._read_bar_signs()
        # The new width may be painted already, with the old rows, and the height be the same.
        self.refresh()

    @contextmanager
    def _top_line_kept(self) -> Iterator[None]:
        """Keep the first line in its place while rows come or go."""
        rows, scroll_y = self._rows, self.scroll_offset.y
        line, row = rows.row_at(scroll_y)
        yield
        if not self.is_mounted:
            return
        line_rows = rows.rows_of(line)
        y = line_rows[min(row, len(line_rows) - 1)] if scroll_y else 0
        if y != scroll_y:
            self.scroll_to(y=y, animate=False, immediate=True, force=True)
        self._cursor_offset = rows.location_to_offset(self.cursor_location)
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset

    def _settle_rows(self, lines: Iterable[int] | None = None) -> bool:
        """Give lines, by default all, the rows that their messages need; whether any changed."""
        _, cursor_y = self._cursor_offset
        top = self.scroll_offset.y
        is_in_sight = top <= cursor_y < top + self.size.height
        with self._top_line_kept():
            if not self._rows.settle(lines):
                return False
            self._refresh_size()
        if is_in_sight and self.is_mounted:
            self.scroll_cursor_visible()
            line_rows = self._rows.rows_of(self.cursor_location[0])
            hidden_count = line_rows.stop - self.scroll_offset.y - self.size.height
            if hidden_count > 0 and len(line_rows) <= self.size.height // 2:
                self.scroll_relative(y=hidden_count, animate=False, immediate=True, force=True)
        self._read_bar_signs()
        self.refresh()
        return True

    def _start_pause(self) -> None:
        """Let rows for messages come and go only after a pause in typing."""
        if self._pause is not None:
            self._pause.reset()
        elif self.is_mounted:
            self._pause = self.set_timer(ROWS_PAUSE, self._end_pause)

    def _end_pause(self) -> None:
        self._pause = None
        self._settle_rows()

    def _rows_for_notes(self, line: int) -> int:
        """Return the rows that the messages of a line need."""
        notes = self._notes.get(line)
        width = self._text_width
        if not notes or not width:
            return 0
        fits = notes[0].fit(width - self._note_start(line) - _NOTE_END) is not None
        return len(notes) - fits

    def _note_start(self, line: int) -> int:
        return self._rows.last_cells(line) + _NOTE_GAP

    # Marks

    def set_diagnostics(self, diagnostics: Sequence[ShownDiagnostic]) -> None:
        """Show these in place of those before; they follow the text until the next ones."""
        self.diagnostics = diagnostics
        self._show_marks()

    def set_breaking(self, rows: Mapping[int, str]) -> None:
        """Show what breaks at its lines, in place of what was shown before."""
        document = self._text_document
        breaking_changes = [
            ShownDiagnostic(offset, offset, "error", text, "")
            for row, text in rows.items()
            if row < document.line_count
            for offset in (document.offset_of((row, 0)),)
        ]
        if breaking_changes != self._breaking_changes:
            self._breaking_changes = breaking_changes
            self._show_marks()

    def set_remark(self, remark: tuple[int, str] | None) -> None:
        """Show a text at the right edge of the line of an offset, in a row of its own if the last
        one is full or has a message."""
        if remark != self._remark:
            self._remark = remark
            self._show_marks()

    def mark_lines(self, lines: set[int]) -> None:
        """Mark lines as changed, counted from 1."""
        rows = {line - 1 for line in lines}
        self._refresh_lines(rows ^ self._changed_rows)
        self._changed_rows = rows

    def show_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark the matches of a search, until the text changes."""
        before, self._matches = self._matches, {}
        for start, end in spans:
            row, column = self._text_document.location_of(start)
            last, end_column = self._text_document.location_of(end)
            if last != row:
                end_column = len(self._text_document.get_line(row))
            self._matches.setdefault(row, []).append(Run(column, end_column, "match"))
        self._refresh_lines(before.keys() | self._matches.keys())

    def _show_marks(self) -> None:
        lines = self._read_marks()
        if self._pause is not None or not self._settle_rows(lines):
            self._refresh_lines(lines)

    def _read_marks(self) -> set[int]:
        """Place the marks of all problems; return the lines where they differ from before."""
        document = self._text_document
        before = (self._underlines, self._notes, self._worst_line)
        by_weight = sorted(
            self.diagnostics,
            key=lambda problem: (marks.WEIGHT[problem.severity], not problem.fix, problem.start),
        )
        worst: dict[int, ShownDiagnostic] = {}
        for diagnostic in by_weight:
            worst.setdefault(document.location_of(diagnostic.start)[0], diagnostic)
        self._severities = {line: diagnostic.severity for line, diagnostic in worst.items()}
        has_error = bool(by_weight) and by_weight[0].severity == "error"
        self._worst_line = next(iter(worst)) if has_error else None
        self._underlines = marks.underlines(self.diagnostics, document)
        notes: dict[int, tuple[LineNote, ...]]
        notes = {line: (_note(diagnostic, "◂"),) for line, diagnostic in worst.items()}
        for change in self._breaking_changes:
            line = document.location_of(change.start)[0]
            notes[line] = (*notes.get(line, ()), _note(change, "▲"))
        if self._remark is not None:
            line = document.location_of(self._remark[0])[0]
            notes[line] = (*notes.get(line, ()), LineNote("quiet", "", (self._remark[1],)))
        self._notes = notes
        self._read_bar_signs()
        lines = _diff_lines(before[0], self._underlines) | _diff_lines(before[1], self._notes)
        if before[2] != self._worst_line:
            lines |= {line for line in (before[2], self._worst_line) if line is not None}
        return lines

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar, which shows where the problems are."""
        if self._vertical_scrollbar is None:
            bar = MarkedScrollBar(lambda: self._bar_signs, vertical=True, name="vertical")
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def _read_bar_signs(self) -> None:
        """Place the sign of the worst problem that each row of the scrollbar stands for."""
        height, count = self.size.height, max(self._rows.height, 1)
        signs: dict[int, Segment] = {}
        by_weight = sorted(self._severities.items(), key=lambda item: -marks.WEIGHT[item[1]])
        for line, severity in by_weight if height else ():
            y = self._rows.rows_of(line).start
            place = y if count <= height else y * height // count
            style = self._style_of(f"{severity}-sign")
            signs[min(place, height - 1)] = Segment(SIGNS[severity], style)
        if signs != self._bar_signs:
            self._bar_signs = signs
            if self._vertical_scrollbar is not None:
                self._vertical_scrollbar.refresh()

    # Painting

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        """Paint the rows that the selection, the cursor and the brackets leave or reach."""
        bracket = self._matching_bracket_location
        super()._watch_selection(previous_selection, selection)
        lines = {previous_selection.end[0], selection.end[0]}
        if previous_selection.start != selection.start:
            lines |= {previous_selection.start[0], selection.start[0]}
        if not (previous_selection.is_empty and selection.is_empty):
            lines = set(range(min(lines), max(lines) + 1))
        for location in (bracket, self._matching_bracket_location):
            if location is not None:
                lines.add(location[0])
        self._refresh_lines(lines)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _refresh_lines(self, lines: Iterable[int]) -> None:
        """Paint lines anew, as far as they are in sight."""
        top = self.scroll_offset.y
        bottom = top + self.size.height
        for line in lines:
            rows = self._rows.rows_of(line)
            if rows.start < bottom and rows.stop > top:
                self.refresh_lines(rows.start, len(rows))

    def forget_strips(self) -> None:
        """Paint every row anew, because styles changed."""
        self._painter.clear()

    def notify_style_update(self) -> None:
        self.forget_strips()
        super().notify_style_update()
        self._read_bar_signs()

    def _style_of(self, kind: str) -> Style:
        """Return the style of a kind of text, without the background that is below it."""
        theme = self._theme
        of_theme: dict[str, Style | None] = {
            "base": theme.base_style or self.rich_style,
            "cursor-line": theme.cursor_line_style,
            "selection": theme.selection_style,
            "cursor": theme.cursor_style,
            "bracket": theme.bracket_matching_style,
        }
        if kind in of_theme:
            return of_theme[kind] or Style()
        if kind in ("gutter", "cursor-gutter"):
            gutter = theme.gutter_style if kind == "gutter" else theme.cursor_line_gutter_style
            return Style(color=gutter.color, bold=gutter.bold) if gutter else Style()
        name, _, part = kind.partition("-")
        style = self.get_component_rich_style(f"editor--{name}")
        if part == "note":
            return Style(color=style.color, italic=True)
        if part:
            return Style(color=style.color, bold=True)
        if kind == "worst":
            return Style(bgcolor=style.bgcolor)
        return Style(
            color=None if kind in ("strong", "emphasis", "match") else style.color,
            bold=style.bold,
            italic=style.italic,
            underline=style.underline,
            reverse=style.reverse,
        )

    def render_line(self, y: int) -> Strip:
        """Return a row of the widget."""
        y += self.scroll_offset.y
        if y >= self._rows.height:
            return self._painter.paint(RowContent(self.size.width))
        return self._painter.paint(self._row_content(*self._rows.row_at(y)))

    def _row_content(self, line: int, row: int) -> RowContent:
        """Return all that a row shows."""
        content = RowContent(
            width=max(self.scrollable_content_region.width, self.gutter_width),
            gutter=self.gutter_width,
            is_cursor_line=line == self.selection.end[0],
            is_worst_line=line == self._worst_line,
        )
        texts = len(self._rows.get_offsets(line)) + 1
        if row == 0:
            content = content._replace(
                number=str(line + self.line_number_start),
                severity=marks.worst(run.kind for run in self._underlines.get(line, ())) or "",
                is_changed=line in self._changed_rows,
            )
        notes = self._notes.get(line, ())
        # While somebody types, there may be more or fewer rows than the messages need.
        inline = max(len(notes) - self._rows.extra_rows(line), 0)
        if row >= texts:
            at = inline + row - texts
            return self._message_row(content, line, notes[at]) if at < len(notes) else content
        content = self._text_row(content, line, row)
        if row == texts - 1 and inline:
            start = self._note_start(line) - self.scroll_offset.x
            width = content.width - content.gutter - start - _NOTE_END
            note = notes[0].fit(width) or notes[0].cut(width)
            if note is not None and start >= content.indent + content.cells:
                start += (width - note.cells) * (not notes[0].sign)
                content = content._replace(note=note, note_at=start)
        return content

    def _message_row(self, content: RowContent, line: int, note: LineNote) -> RowContent:
        width = content.width - content.gutter
        text = self._text_document.get_line(line)[:width]
        at = hang_of(text, self._rows.table(line), width)
        room = width - at - _NOTE_END
        row_note = note.fit(room) or note.cut(room)
        if row_note is not None and not note.sign:
            at = width - row_note.cells - _NOTE_END
        return content._replace(note=row_note, note_at=at)

    def _text_row(self, content: RowContent, line: int, row: int) -> RowContent:
        """Return the content of a row of text, as far as it is in sight."""
        table = self._rows.table(line)
        start, end = self._rows.span(line, row)
        is_last = end == len(table) - 1
        indent = self._rows.indent(line, row) - self.scroll_offset.x
        left_edge, right = -indent, content.width - content.gutter - indent  # From the row's start.
        origin = table[start]
        if left_edge > 0 or table[end] - origin > right:
            first = column_at(table, origin + left_edge) if left_edge > 0 else start
            if left_edge > 0 and table[first] < origin + left_edge:
                first = min(bisect_right(table, table[first]), end)
            last = bisect_right(table, origin + right, first, end + 1) - 1
            is_last = is_last and last == end
            start, end = min(first, end), max(character_start(table, last), first)
            indent += table[start] - origin
        offset = self._text_document.offset_of((line, start))
        raw = self._text_document.text[offset : offset + end - start]
        text = self._text_document.get_line(line)[start:end]
        picture_runs = (Run(start + at, start + at + 1, "picture") for at in pictures(raw))
        runs = [
            *clip(self._highlighter.runs(line), start, end, table),
            *clip(picture_runs, start, end, table),
            *clip(self._underlines.get(line, ()), start, end, table),
            *clip(self._matches.get(line, ()), start, end, table),
            *clip(self._selection_runs(line), start, end + is_last, table),
        ]
        cells = table[end] - table[start]
        if is_last and any(run.end > end - start for run in runs):
            text, cells = text + " ", cells + 1
        return content._replace(
            indent=max(indent, 0),
            text=text,
            tabs=self._rows.tab_cells(line, start, end),
            cells=cells,
            runs=tuple(runs),
        )

    def _selection_runs(self, line: int) -> Iterator[Run]:
        """Yield what is selected of a line, the brackets at the cursor, and the cursor."""
        selection = self.selection
        row, column = selection.end
        if not selection.is_empty:
            (top, first), (bottom, last) = sorted(selection)
            length = len(self._text_document.get_line(line))
            if top <= line <= bottom:
                start = first if line == top else 0
                end = last if line == bottom else max(length, 1)
                yield Run(start, end, "selection")
        elif self._matching_bracket_location is not None:
            for place in (selection.end, self._matching_bracket_location):
                if place[0] == line:
                    yield Run(place[1], place[1] + 1, "bracket")
        if line == row and self._draw_cursor:
            yield Run(column, column + 1, "cursor")


def _note(problem: ShownDiagnostic, sign: str) -> LineNote:
    """Return the message of a problem in its wordings: whole, without advice, its fix."""
    message, brief = (" ".join(text.split()) for text in (problem.message, problem.brief))
    forms = [message, message.partition("; ")[0], brief[:1].lower() + brief[1:]]
    return LineNote(
        problem.severity,
        sign,
        tuple(safe_text(form) for form in dict.fromkeys(forms) if form) or ("",),
        safe_text(problem.fix),
    )


def _diff_lines(before: Mapping[int, object], after: Mapping[int, object]) -> set[int]:
    return {line for line in before.keys() | after.keys() if before.get(line) != after.get(line)}
