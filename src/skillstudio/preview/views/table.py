"""Show the first rows of CSV and TSV as an aligned table, with counts."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from skillstudio.preview.source import read_lines
from skillstudio.preview.spans import TAB, Line, align_rows, cut, line
from skillstudio.preview.view import FileView, LazyView, ViewRequest
from skillstudio.text.safe import safe_text

COUNTED = 256 << 10  # Bytes that are read and counted.
ROWS = 500
_COLUMNS = 60
_WIDEST = 40
_SEPARATORS = ",;\t|"
_PLAIN = 4_096  # Characters that are shown raw if no table can be read.
_SAMPLED_LINES = 20  # Lines from which the separator is guessed.


def table_view(request: ViewRequest) -> FileView:
    source = request.source
    text, is_all = read_lines(source, COUNTED)
    remarks, lines = table_lines(text, source.name, is_all)
    return LazyView(source.name, "csv", lines, [request.note, remarks], source)


def table_lines(text: str, name: str, whole: bool) -> tuple[str, Iterator[Line]]:
    """Counts and problems of a table, and the lines of its header, a rule and the first rows."""
    visible_rows: list[list[str]] = []
    count = columns = 0
    fault = ""
    separator = "\t" if name.lower().endswith(".tsv") else _separator(text)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        for row in filter(None, reader):
            count += 1
            columns = max(columns, len(row))
            if count <= ROWS + 1:
                visible_rows.append([render_cell(cell) for cell in row[:_COLUMNS]])
    except csv.Error as error:
        fault = f"line {reader.line_num} cannot be read: {error}"
    rows = max(count - 1, 0)
    qualifier = "" if whole else "more than "
    notes = [f"{qualifier}{rows:,} row{'' if rows == 1 else 's'}", f"{columns} columns"]
    if rows > ROWS:
        notes.append(f"the first {ROWS} are shown")
    if columns > _COLUMNS:
        notes.append(f"the first {_COLUMNS} columns are shown")
    if fault:
        notes.append(fault)
    if fault and not visible_rows:
        return ", ".join(notes), map(line, text[:_PLAIN].split("\n"))
    return ", ".join(notes), align_rows(visible_rows)


def render_cell(cell: str) -> str:
    """A cell as one short safe text."""
    if len(cell) <= _WIDEST and cell.isascii() and cell.isprintable():
        return cell
    return cut(safe_text(cell[: _WIDEST * 2].expandtabs(TAB)), _WIDEST)


def _separator(text: str) -> str:
    """The separator with equal counts in the first lines, else a comma."""
    rows = [row for row in text[: 1 << 16].splitlines()[:_SAMPLED_LINES] if row]
    best = (0, 0, ",")
    for rank, separator in enumerate(_SEPARATORS):
        counts = [row.count(separator) for row in rows]
        same = sum(1 for count in counts if count and count == counts[0])
        best = max(best, (same, -rank, separator))
    return best[2]
