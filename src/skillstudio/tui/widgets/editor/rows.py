"""The rows of each line of a text: soft wrap, hanging indent, and rows of their own for messages.

One table of cells per line places its wraps, the cursor and what is painted. A character that a
terminal joins with the one before it shares its cell, and no row starts there.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from rich.cells import split_graphemes
from textual.document._document import DocumentBase, Location
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset

LONGEST_WRAPPED = 16_000
"""Characters of a line above which it is not wrapped but scrolls sideways."""
_SINGLE = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0377\u0384-\u0482\u2010-\u2027\u2030-\u205e"
                     "\u2190-\u21ff\u2400-\u2426\u2500-\u25fc]*")  # fmt: skip
"""Characters of one cell, none of which is joined with another."""
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U00020000-\U0003fffd"
_CLOSERS = "\u3001-\u3003\u3005\u3009\u300b\u300d\u300f\u3011\u3015\u3017\u301f\u30fb\u30fc"
_CLOSERS += "\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d\u201d\u2019\u2026)\\]},.;:!?"
_OPENERS = "\u3008\u300a\u300c\u300e\u3010\u3014\u3016\u301d\uff08\uff3b\uff5b\u201c\u2018(\\[{"
_WORD = re.compile(r"(?<=[ \t])(?=[^ \t])")
_WORD_OR_WIDE = re.compile(
    rf"(?<=[ \t])(?=[^ \t])|(?:(?<=[{_WIDE}])|(?=[{_WIDE}]))(?<![{_OPENERS}])(?![{_CLOSERS} \t]|$)"
)
_LEAD = re.compile(r"[ \t]*(?P<marker>(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)")
_HANG = 2
"""Cells by which the further rows of a line without a list marker are indented."""

CellTable = Sequence[int]
"""The cell at which each column of a line starts, and at last the number of its cells."""


class LineCells(NamedTuple):
    """The cells of a line: where each column starts, and how many each tab has.

    A tab that is joined with the character before it has none of its own, and is not listed.
    """

    table: CellTable
    tabs: Mapping[int, int] = MappingProxyType({})


def cell_table(line: str, tab_width: int) -> CellTable:
    """Return the cells of a line's columns."""
    return line_cells(line, tab_width).table


def line_cells(line: str, tab_width: int) -> LineCells:
    """Return the cells of a line's columns and tabs."""
    if _SINGLE.fullmatch(line):
        return LineCells(range(len(line) + 1))
    tabs = {}
    # Marks at the start are drawn on the blank before the text.
    (_, marks, _), *spans = split_graphemes(" " + line.replace("\t", " "))[0]
    table = [0] * (marks - 1)
    at = 0
    for start, end, width in spans:
        table.extend([at] * (end - start))
        if tab_width and line[start - 1] == "\t":
            width = tabs[start - 1] = tab_width - at % tab_width
        at += width
    table.append(at)
    return LineCells(table, tabs)


def cell_width(line: str, tab_width: int) -> int:
    """Return the number of cells of a line."""
    return len(line) if _SINGLE.fullmatch(line) else cell_table(line, tab_width)[-1]


def character_start(table: CellTable, column: int) -> int:
    """Return the column at which the character at a column starts."""
    return bisect_left(table, table[column]) if 0 < column < len(table) - 1 else column


def column_at(table: CellTable, cell: int) -> int:
    """Return the column of the character that covers a cell; after the last one, the line's end."""
    if cell >= table[-1]:
        return len(table) - 1
    return bisect_left(table, table[bisect_right(table, max(cell, 0)) - 1])


def hang_of(line: str, table: CellTable, width: int) -> int:
    """Return the cells by which the further rows of a line are indented.

    That is the place of its text after a list marker, else a bit more than its indentation.
    """
    lead = _LEAD.match(line)
    end = lead.end() if lead else 0
    hang = table[end] + (0 if lead and lead["marker"] else _HANG)
    return max(min(hang, width // 3), 0)


def wraps(line: str, table: CellTable, width: int, hang: int) -> list[int]:
    """Return the columns at which the further rows of a line start.

    A row ends after blanks or beside a wide character where that is possible.
    """
    if table[-1] <= width:
        return []
    pattern = _WORD if line.isascii() else _WORD_OR_WIDE
    places = [match.start() for match in pattern.finditer(line)]
    starts: list[int] = []
    start, room = 0, width
    while table[-1] - table[start] > room:
        last_column = bisect_right(table, table[start] + room) - 1
        end = places[at - 1] if (at := bisect_right(places, last_column)) else 0
        if end <= start or character_start(table, end) != end:
            end = character_start(table, last_column)
        if end <= start:  # One character has more cells than the row.
            end = bisect_right(table, table[start])
            if end >= len(line):
                break
        starts.append(end)
        start, room = end, width - hang
    return starts


class TextRows(WrappedDocument):
    """The rows of a document: those of the text of each line, then those for messages.

    `extra` returns how many rows a line gets for messages.
    """

    def __init__(
        self,
        document: DocumentBase,
        tab_width: int,
        extra: Callable[[int], int] = lambda _line: 0,
    ) -> None:
        self._extra = extra
        self._hangs: list[int] = []
        self._extras: list[int] = []
        self._cells: list[LineCells | None] = []
        self._tops = [0]
        self._longest: int | None = None
        super().__init__(document, tab_width=tab_width)

    # Measuring

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        """Measure all lines for a width; with 0 none is wrapped."""
        self._width = width
        if tab_width and tab_width != self._tab_width:
            self._tab_width, self._cells = tab_width, []
        self._longest = None
        count = self.document.line_count
        if len(self._cells) != count:
            self._cells = [None] * count
        self._wrap_offsets, self._hangs = [], []
        for line in range(count):
            starts, hang = self._measure(line)
            self._wrap_offsets.append(starts)
            self._hangs.append(hang)
        self._extras = [self._extra(line) for line in range(count)]
        self._sum()

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        """Measure the lines that replaced others; the rows for messages stay as they are."""
        top, old, new = start[0], old_end[0], new_end[0]
        count = new - top + 1
        self._cells[top : old + 1] = [None] * count
        before = self._extras[top : old + 1]
        old_rows = [len(starts) for starts in self._wrap_offsets[top : old + 1]]
        self._extras[top : old + 1] = (before + [0] * count)[:count]
        self._wrap_offsets[top : old + 1] = [[]] * count
        self._hangs[top : old + 1] = [0] * count
        for line in range(top, new + 1):
            self._wrap_offsets[line], self._hangs[line] = self._measure(line)
            if self._longest or len(self.document[line]) > LONGEST_WRAPPED:
                self._longest = None
        if old_rows != [len(starts) for starts in self._wrap_offsets[top : new + 1]]:
            self._sum()

    def settle(self, lines: Iterable[int] | None = None) -> bool:
        """Give lines, by default all, the rows that their messages need; whether any changed."""
        has_changed = False
        for line in range(len(self._extras)) if lines is None else lines:
            extra = self._extra(line)
            has_changed |= extra != self._extras[line]
            self._extras[line] = extra
        if has_changed:
            self._sum()
        return has_changed

    def _measure(self, line: int) -> tuple[list[int], int]:
        text: str = self.document[line]
        width = self._width
        if not width or len(text) > LONGEST_WRAPPED:
            return [], 0
        if 2 * len(text) <= width and "\t" not in text:
            return [], 0  # No character has more than two cells.
        table = self.table(line)
        hang = hang_of(text, table, width) if table[-1] > width else 0
        return wraps(text, table, width, hang), hang

    def _sum(self) -> None:
        rows = (
            len(starts) + 1 + extra
            for starts, extra in zip(self._wrap_offsets, self._extras, strict=True)
        )
        self._tops = list(accumulate(rows, initial=0))

    # Reading

    @property
    def height(self) -> int:
        return self._tops[-1]

    @property
    def tops(self) -> Sequence[int]:
        """The first row of each line, then the number of rows; replaced when they change."""
        return self._tops

    @property
    def longest(self) -> int:
        """The cells of the longest line that is too long to wrap, 0 if there is none."""
        if self._longest is None:
            lines = self.document.lines
            long = (line for line, text in enumerate(lines) if len(text) > LONGEST_WRAPPED)
            self._longest = max((self.table(line)[-1] for line in long), default=0)
        return self._longest

    def cells(self, line: int) -> LineCells:
        """Return the cells of a line."""
        cells = self._cells[line]
        if cells is None:
            cells = self._cells[line] = line_cells(self.document[line], self._tab_width)
        return cells

    def table(self, line: int) -> CellTable:
        """Return the table of a line's cells."""
        return self.cells(line).table

    def tab_cells(self, line: int, start: int, end: int) -> tuple[int, ...]:
        """Return the cells to paint for each tab between two columns."""
        text: str = self.document[line]
        if "\t" not in text:
            return ()
        tabs = self.cells(line).tabs
        # A tab that is joined with the character before it is painted as one hidden blank.
        return tuple(tabs.get(column, 1) for column in range(start, end) if text[column] == "\t")

    def row_at(self, y: int) -> tuple[int, int]:
        """Return the line of a row, and the row's number in the line.

        A number above that of the line's wraps is a row for a message.
        """
        y = min(max(y, 0), self.height - 1)
        line = bisect_right(self._tops, y) - 1
        return line, y - self._tops[line]

    def rows_of(self, line: int) -> range:
        """Return the rows of a line, with those for messages."""
        line = min(line, len(self._wrap_offsets) - 1)
        return range(self._tops[line], self._tops[line + 1])

    def extra_rows(self, line: int) -> int:
        """Return the number of a line's rows for messages."""
        return self._extras[line]

    def span(self, line: int, row: int) -> tuple[int, int]:
        """Return the columns of the text of a row."""
        starts = self._wrap_offsets[line]
        end = starts[row] if row < len(starts) else len(self.document[line])
        return starts[row - 1] if row else 0, end

    def indent(self, line: int, row: int) -> int:
        """Return the cells before the text of a row."""
        return self._hangs[line] if row else 0

    def last_cells(self, line: int) -> int:
        """Return the cells of the last row of a line's text, with those before it."""
        starts = self._wrap_offsets[line]
        if not starts:
            return cell_width(self.document[line], self._tab_width)
        table = self.table(line)
        return table[-1] - table[starts[-1]] + self._hangs[line]

    def location_to_offset(self, location: Location) -> Offset:
        """Return the place of a location; beyond the text, that of its end."""
        line = min(max(location[0], 0), len(self._wrap_offsets) - 1)
        table = self.table(line)
        column = min(max(location[1], 0), len(table) - 1)
        row = bisect_right(self._wrap_offsets[line], column)
        x = table[column] - table[self.span(line, row)[0]]
        return Offset(x + self.indent(line, row), self._tops[line] + row)

    def offset_to_location(self, offset: Offset) -> Location:
        """Return the location of the character at a place, or nearest to it."""
        line, row = self.row_at(offset.y)
        return line, self.get_target_document_column(line, offset.x, row)

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:
        """Return the column at a cell of a row; a row for a message is the one above it."""
        last = len(self._wrap_offsets[line_index])
        row = last if y_offset < 0 else min(y_offset, last)
        start, end = self.span(line_index, row)
        table = self.table(line_index)
        x = max(x_offset - self.indent(line_index, row), 0)
        column = column_at(table, table[start] + x)
        if row < last:
            end = character_start(table, end - 1)
        return max(min(column, end), start)


class RowNavigator(DocumentNavigator):
    """Moves through rows of text, over those for messages, by whole characters."""

    _wrapped_document: TextRows

    def get_location_left(self, location: Location) -> Location:
        line, column = super().get_location_left(location)
        return line, character_start(self._wrapped_document.table(line), column)

    def get_location_right(self, location: Location) -> Location:
        line, column = super().get_location_right(location)
        table = self._wrapped_document.table(line)
        if character_start(table, column) != column:
            column = bisect_right(table, table[column])
        return line, column

    def get_location_above(self, location: Location) -> Location:
        return self._vertical(location, -1)

    def get_location_below(self, location: Location) -> Location:
        return self._vertical(location, 1)

    def _vertical(self, location: Location, by: int) -> Location:
        rows = self._wrapped_document
        y = rows.location_to_offset(location).y + by
        while 0 <= y < rows.height:
            line, row = rows.row_at(y)
            if row <= len(rows.get_offsets(line)):
                return line, rows.get_target_document_column(line, self.last_x_offset, row)
            y += by
        return (0, 0) if y < 0 else self._document.end

    def get_location_end(self, location: Location) -> Location:
        """Return the end of the row; of a row that goes on below, its last character."""
        rows = self._wrapped_document
        line, column = location
        row = bisect_right(rows.get_offsets(line), column)
        return line, rows.get_target_document_column(line, rows.table(line)[-1] + 1_000, row)

    def get_location_at_y_offset(self, location: Location, vertical_offset: int) -> Location:
        """Return the location some rows below, or above, in the remembered column."""
        y = self._wrapped_document.location_to_offset(location).y + vertical_offset
        return self._wrapped_document.offset_to_location(
            Offset(self.last_x_offset, min(max(y, 0), self._wrapped_document.height - 1))
        )
