"""Show the first rows of CSV and TSV as an aligned table, with counts."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from typing import NamedTuple

from skillstudio.preview.spans import TAB, Line, aligned, cut, line
from skillstudio.text.safe import safe_text

ROWS = 500
_COLUMNS = 60
_WIDEST = 40
_SEPARATORS = ",;\t|"
_PLAIN = 4_096  # Characters that are shown raw if no table can be read.
_TRIED = 20  # Lines from which the separator is guessed.


class _Rows(NamedTuple):
    shown: list[list[str]]
    number: int
    columns: int
    fault: str


class TableView:
    """A text of rows and cells."""

    def __init__(self, text: str, name: str, whole: bool) -> None:
        self._text = text
        self._whole = whole
        self.separator = "\t" if name.lower().endswith(".tsv") else _separator(text)
        self._found: _Rows | None = None

    def note(self) -> str:
        """Counts and problems."""
        _, rows, columns, fault = self._read()
        more = "" if self._whole else "more than "
        count = max(rows - 1, 0)
        parts = [f"{more}{count:,} row{'' if count == 1 else 's'}", f"{columns} columns"]
        if count > ROWS:
            parts.append(f"the first {ROWS} are shown")
        if columns > _COLUMNS:
            parts.append(f"the first {_COLUMNS} columns are shown")
        if fault:
            parts.append(fault)
        return ", ".join(parts)

    def lines(self) -> Iterator[Line]:
        """The header, a rule, and the rows."""
        found = self._read()
        yield from aligned(found.shown)
        if found.fault and not found.shown:
            yield from (line(each) for each in self._text[:_PLAIN].split("\n"))

    def _read(self) -> _Rows:
        if self._found is None:
            self._found = self._rows()
        return self._found

    def _rows(self) -> _Rows:
        kept: list[list[str]] = []
        count = columns = 0
        fault = ""
        reader = csv.reader(StringIO(self._text, newline=""), delimiter=self.separator)
        try:
            for row in reader:
                if not row:
                    continue
                count += 1
                columns = max(columns, len(row))
                if count <= ROWS + 1:
                    kept.append([shown(cell) for cell in row[:_COLUMNS]])
        except csv.Error as error:
            fault = f"line {reader.line_num} cannot be read: {error}"
        return _Rows(kept, count, columns, fault)


def shown(cell: str) -> str:
    """A cell as one short safe text."""
    if len(cell) <= _WIDEST and cell.isascii() and cell.isprintable():
        return cell
    return cut(safe_text(cell[: _WIDEST * 2].expandtabs(TAB)), _WIDEST)


def _separator(text: str) -> str:
    """The separator with equal counts in the first lines, else a comma."""
    rows = [row for row in text[: 1 << 16].splitlines()[:_TRIED] if row]
    best = (0, 0, ",")
    for rank, each in enumerate(_SEPARATORS):
        counts = [row.count(each) for row in rows]
        same = sum(1 for count in counts if count and count == counts[0])
        best = max(best, (same, -rank, each))
    return best[2]
