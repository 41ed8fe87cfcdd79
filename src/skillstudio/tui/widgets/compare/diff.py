"""The texts of two versions in one column or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from skillstudio.session.comparing.text import (
    FileDiff,
    TextDiff,
    TextRow,
    text_rows,
)
from skillstudio.text.splicing import common_ends
from skillstudio.tui.widgets.compare.colours import (
    Coloured,
    line_of,
    part,
    pieces,
    runs_of,
    shown_line,
)
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import join, plain

_REMOVED_STYLE, _ADDED_STYLE = "on $error 10%", "on $success 10%"
_REMOVED_PART, _ADDED_PART = "$foreground on $error 30%", "$foreground on $success 30%"
_WHAT = {
    "added": ("+", "$text-success"), "removed": ("-", "$text-error"), "changed": ("~", "bold"),
}  # fmt: skip


class DiffRows(Rows):
    """The text diff of every file that differs."""

    HELP = """The texts of the two versions, file by file: - marks a line of the old one, + a line
of the new one; the part of a line that differs is highlighted. Enter goes to the line in the open
file; v switches from one column to two; tab goes to the list of changes."""
    DEFAULT_CSS = "DiffRows { scrollbar-gutter: stable; }"
    """Lines are cut to the width, which must not change when the scrollbar appears."""

    @dataclass
    class JumpToLine(Message):
        """Go to a line of the new version, counted from 1."""

        path: str
        line: int

    empty = Content("comparing…")
    beside = False
    _texts: Coloured | None = None
    _rows: Sequence[TextRow] = ()
    _row_pieces: Sequence[tuple[int, int]] = ()
    """The row of each line of the list, and the piece of it if the row is too long for one."""
    _digits = 1

    def show_diff(self, texts: Coloured | None, beside: bool) -> None:
        """Show a diff in one column, or in two."""
        before = self._row_here()
        self._texts, self.beside = texts, beside
        diff = texts.diff if texts is not None else TextDiff()
        self._rows = text_rows(diff, beside)
        longest = max((max(len(f.old), len(f.new)) for f in diff.files), default=1)
        self._digits = len(str(longest))
        if diff.trouble:
            self.empty = plain(diff.trouble)
        elif texts is not None:
            self.empty = Content("the files are the same")
        self._lay_out(before)

    def go_to(self, path: str, line: int, old: bool = False) -> None:
        """Select the row of a line of a file, from 1, or the first row after it."""
        texts = self._texts
        if texts is None:
            return
        for at, (index, _) in enumerate(self._row_pieces):
            row = self._rows[index]
            here = row.old if old else row.new
            if texts.diff.files[row.file].path == path and here >= line - 1:
                self.cursor = at
                top = max(at - self.size.height // 3, 0)
                self.scroll_to(y=top, animate=False, force=True)
                return

    def on_resize(self) -> None:
        if self._texts is not None:
            self._lay_out(self._row_here())
        super().on_resize()

    def _row_here(self) -> TextRow | None:
        if self.cursor >= len(self._row_pieces):
            return None
        return self._rows[self._row_pieces[self.cursor][0]] if self._row_pieces else None

    def _lay_out(self, before: TextRow | None) -> None:
        """Cut long rows to the width, and keep the same text selected."""
        width = self._room()
        self._row_pieces = [
            (index, piece)
            for index, row in enumerate(self._rows)
            for piece in range(self._pieces(row, width))
        ]
        self.show(LazyLines(len(self._row_pieces), self._line), self._place_of(before))

    def _place_of(self, before: TextRow | None) -> int:
        if before is None:
            return 0
        line_rows = (self._rows[index] for index, _ in self._row_pieces)
        places = enumerate((row.file, max(row.new, row.old)) for row in line_rows)
        old_place = (before.file, max(before.new, before.old))
        return next((at for at, place in places if place >= old_place), 0)

    def _room(self) -> int:
        width = max(self.width, 12)
        if self.beside:
            return max((width - 1) // 2 - self._digits - 3, 4)
        return max(width - 2 * self._digits - 4, 4)

    def _pieces(self, row: TextRow, room: int) -> int:
        if self._texts is None or row.mark in ("file", "note", "gap"):
            return 1
        diff = self._texts.diff
        lines = [line_of(diff, row, True), line_of(diff, row, False)]
        return max(len(pieces(shown_line(line), room)) for line in lines)

    def _line(self, at: int) -> Content:
        index, piece = self._row_pieces[at]
        row, texts = self._rows[index], self._texts
        if texts is None:
            return Content("")
        file = texts.diff.files[row.file]
        if row.mark == "file":
            return _file_line(file)
        if row.mark == "note":
            return join("  ", plain(file.note, "dim"))
        if row.mark == "gap":
            return Content.styled("  " + "┄" * 8, "dim")
        return (
            self._two(texts, row, piece) if self.beside else self._draw_unified(texts, row, piece)
        )

    def _draw_unified(self, texts: Coloured, row: TextRow, piece: int) -> Content:
        old = row.mark == "old"
        sign = {"old": "-", "new": "+"}.get(row.mark, " ")
        numbers = [self._number(row.old, piece), self._number(row.new, piece)]
        text = self._text(texts, row, piece, old, row.instead)
        gutter = Content.styled(f"{' '.join(numbers)} ", "dim")
        line = join(gutter, f"{sign} ", text)
        style = {"old": _REMOVED_STYLE, "new": _ADDED_STYLE}.get(row.mark, "")
        if not style:
            return line
        fill = self.width - line.cell_length
        return join(line, " " * max(fill, 0)).stylize_before(style)

    def _two(self, texts: Coloured, row: TextRow, piece: int) -> Content:
        half = self._room() + self._digits + 3
        left_half = self._half(texts, row, piece, True)
        right = self._half(texts, row, piece, False)
        gap = " " * max(half - left_half.cell_length, 0)
        rest = " " * max(half - right.cell_length, 0)
        if row.mark in ("old", "both"):
            left_half = join(left_half, gap).stylize_before(_REMOVED_STYLE)
            gap = ""
        if row.mark in ("new", "both"):
            right = join(right, rest).stylize_before(_ADDED_STYLE)
        return join(left_half, gap, Content.styled("│", "dim"), right)

    def _half(self, texts: Coloured, row: TextRow, piece: int, old: bool) -> Content:
        at = row.old if old else row.new
        if at < 0:
            return Content("")
        sign = " " if row.mark == "same" else "-" if old else "+"
        instead = (row.new if old else row.old) if row.mark == "both" else -1
        text = self._text(texts, row, piece, old, instead)
        return join(Content.styled(f"{self._number(at, piece)} ", "dim"), f"{sign} ", text)

    def _text(self, texts: Coloured, row: TextRow, piece: int, old: bool, instead: int) -> Content:
        line = line_of(texts.diff, row, old)
        text = shown_line(line)
        cut = pieces(text, self._room())
        if piece >= len(cut):
            return Content("")
        changed_span = (0, 0)
        if instead >= 0 and text is line:
            file = texts.diff.files[row.file]
            other = (file.new if old else file.old)[instead]
            start, tail = common_ends(line, other)
            end = len(line) - tail
            changed_span = (start, end) if 2 * (end - start) < len(line) else (0, 0)
        emphasis = _REMOVED_PART if old else _ADDED_PART
        return part(text, runs_of(texts, row, old), *cut[piece], changed_span, emphasis)

    def _number(self, at: int, piece: int) -> str:
        return f"{at + 1 if at >= 0 and not piece else '':>{self._digits}}"

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        row, texts = self._row_here(), self._texts
        if row is None or texts is None:
            return
        at = row.new
        if at < 0:
            new_rows = (other for other in self._rows if other.file == row.file and other.new >= 0)
            at = next(
                (other.new for other in new_rows if max(other.old, other.instead) >= row.old), 0
            )
        self.post_message(self.JumpToLine(texts.diff.files[row.file].path, at + 1))


def _file_line(file: FileDiff) -> Content:
    glyph, style = _WHAT[file.what]
    removed_count, added_count = file.counts
    counts = f"  -{removed_count} +{added_count}" if removed_count or added_count else ""
    sign, what = Content.styled(f"{glyph} ", style), f"  {file.what}{counts}"
    return join(sign, plain(file.path, "bold underline"), Content.styled(what, "dim"))
