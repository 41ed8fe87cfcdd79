"""The table of files: what comes, changes and goes, with what declares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from skillstudio.present.outputs import UNDECLARED
from skillstudio.preview.files import kinds_of, warm
from skillstudio.session.previewing.files import PreviewFileRow
from skillstudio.session.previewing.previewing import Subject
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.compare.rows import LazyLines
from skillstudio.tui.widgets.line_styles import STYLES
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

_LEAST = 16
"""Columns that a path has at least."""
_MOST = 28
"""Columns that a path has at most, where that leaves room for what stands behind it."""
_LEAST_ABOUT = 9
"""Columns of what it is, below which it is left out."""
_SIZE, _ABOUT, _PATTERN, _ROOT = range(4)
"""The columns behind the path."""
_MEASURED = 500
"""Rows that widths and kinds are taken from."""
_SOON = 0.1
"""Seconds after which views are loaded."""
_ORDERS: Mapping[Subject, tuple[int, ...]] = {
    "ahead": (_ABOUT, _SIZE, _PATTERN, _ROOT),
    "run": (_SIZE, _PATTERN, _ABOUT, _ROOT),
    "card": (_ABOUT, _SIZE, _PATTERN, _ROOT),
}
"""Which of them stays the longest."""


class FileTable(Rows):
    """One line for each file. What does not fit is told above the detail."""

    HELP = """The files: + would be new or was made, ~ would be overwritten or was changed, - was
removed, * any number of files, ? is not known, ! something else stands there; a second ! marks what
no pattern declares. Behind the path stand, as far as there is room, the size, what the file holds,
the declared pattern that it fits or that there is none, and the folder it lies in. Beside or below
it stands what is selected; tab goes there. t goes from the outputs before a run to the
files after it and to the skill's card, i opens the inputs and o chooses another operation, H an
earlier run. A brings files of a run into the
real folders, a brings what was seen into the manifest; both ask first."""
    _rows: Sequence[PreviewFileRow] = ()
    _warm: frozenset[str] = frozenset()
    """Kinds whose views were loaded."""
    DEFAULT_CSS = "FileTable { scrollbar-gutter: stable; }"

    def show_rows(
        self, rows: Sequence[PreviewFileRow], cursor: int | None = None, of: Subject = "run"
    ) -> None:
        """Show other files; what they are `of` says which column is given up first."""
        self._rows, self._order = rows, _ORDERS[of]
        self._widths = [
            max((cell_len(cell) for cell in column), default=0)
            for column in zip(*map(_cells, rows[:_MEASURED]), strict=True)
        ] or [0] * 5
        self.show(LazyLines(len(rows), self._line), cursor)
        kinds = kinds_of(each.path for each in rows[:_MEASURED])
        if set(kinds) - self._warm:
            self._warm |= set(kinds)
            # Once the first row is shown; nobody has moved on by then.
            self.set_timer(_SOON, partial(self._warm_up, kinds))

    def _warm_up(self, kinds: Sequence[str]) -> None:
        """Load what the views of the other rows need."""
        work = partial(warm, kinds)
        self.run_worker(work, thread=True, group="preview-warm", exit_on_error=False)

    def _line(self, index: int) -> Content:
        row = self._rows[index]
        style = STYLES[row.style]
        path, *rest = _cells(row)
        columns = self._columns()
        used = sum(width + 2 for width in columns.values())
        room = min(max(self.width - used - 3, _LEAST), max(self._widths[0], _LEAST))
        name = Content(path).truncate(room, ellipsis=True, pad=True)
        is_odd = row.declared == UNDECLARED
        flag = Content.styled("! " if is_odd else "  ", "$text-warning")
        told: list[Content | str] = [plain(row.glyph, style), flag, name]
        for at, width in columns.items():
            is_bad = at == _PATTERN and is_odd
            cell = f"{rest[at]:>{width}}" if at == _SIZE else rest[at]
            told += ["  ", _cut(cell, width).stylize("$text-warning" if is_bad else "dim")]
        return joined(*told)

    def _columns(self) -> dict[int, int]:
        """The columns behind the path that there is room for, from the left, with their widths."""
        found: dict[int, int] = {}
        left = self.width - 3 - max(min(self._widths[0], _MOST), _LEAST)
        for at in self._order:
            width = self._widths[at + 1]
            if at == _ABOUT and left - 2 >= _LEAST_ABOUT:
                width = min(width, left - 2)
            if width and left >= width + 2:
                found[at] = width
                left -= width + 2
        return dict(sorted(found.items()))


def _cut(text: str, width: int) -> Content:
    return Content(text).truncate(width, ellipsis=True, pad=True)


def _cells(row: PreviewFileRow) -> list[str]:
    """Path, size, what it is, pattern, root."""
    size = "" if row.size is None else f"{row.size:,}"
    about = "" if row.declared == row.path else row.declared
    return [safe_text(each) for each in (row.path, size, row.about, about, row.root)]
