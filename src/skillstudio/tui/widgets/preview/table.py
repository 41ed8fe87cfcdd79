"""The table of added, changed and removed files, with the patterns that declare them."""

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
from skillstudio.tui.widgets.lines import STYLES
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import joined, plain

_LEAST = 16  # The fewest columns of a path.
_MOST = 28  # The most columns of a path while other columns need room.
_LEAST_ABOUT = 9  # The fewest columns of the description; with less room it is left out.
_SIZE, _ABOUT, _PATTERN, _ROOT = range(4)  # The columns after the path.
_MEASURED = 500  # The number of rows that are measured for the widths and kinds.
_SOON = 0.1  # Seconds after which views are loaded.
_ORDERS: Mapping[Subject, tuple[int, ...]] = {
    "ahead": (_ABOUT, _SIZE, _PATTERN, _ROOT),
    "run": (_SIZE, _PATTERN, _ABOUT, _ROOT),
    "card": (_ABOUT, _SIZE, _PATTERN, _ROOT),
}
"""The columns by priority."""


class FileTable(Rows):
    """One line for each file; columns without room are left out."""

    HELP = """The files: + is new, ~ overwritten or changed, - removed, * any number of files, ? not
known, ! blocked by something else at this path; a second ! marks a file that no pattern declares.
The path is followed, as far as there is room, by the size, the content, the declared pattern, and
the folder. The selected file is shown beside or below; tab goes there. t switches from the outputs
before a run to the files after it and to the skill's card, i opens the inputs, o chooses another
operation, H an earlier run. A applies files of a run to the real folders, a adopts observed effects
into the manifest; both ask first."""
    _rows: Sequence[PreviewFileRow] = ()
    _warm: frozenset[str] = frozenset()  # The kinds whose views were loaded.
    DEFAULT_CSS = "FileTable { scrollbar-gutter: stable; }"

    def show_rows(
        self, rows: Sequence[PreviewFileRow], cursor: int | None = None, of: Subject = "run"
    ) -> None:
        """Show other files; the subject that they are `of` decides which columns fit."""
        self._rows, self._order = rows, _ORDERS[of]
        self._widths = [
            max((cell_len(cell) for cell in column), default=0)
            for column in zip(*map(_cells, rows[:_MEASURED]), strict=True)
        ] or [0] * 5
        self.show(LazyLines(len(rows), self._line), cursor)
        kinds = kinds_of(each.path for each in rows[:_MEASURED])
        if set(kinds) - self._warm:
            self._warm |= set(kinds)
            # After the first row is shown, and before another one can be selected.
            self.set_timer(_SOON, partial(self._warm_up, kinds))

    def _warm_up(self, kinds: Sequence[str]) -> None:
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
        parts: list[Content | str] = [plain(row.glyph, style), flag, name]
        for at, width in columns.items():
            is_bad = at == _PATTERN and is_odd
            cell = f"{rest[at]:>{width}}" if at == _SIZE else rest[at]
            column = Content(cell).truncate(width, ellipsis=True, pad=True)
            parts += ["  ", column.stylize("$text-warning" if is_bad else "dim")]
        return joined(*parts)

    def _columns(self) -> dict[int, int]:
        """The columns after the path that fit, from the left, with their widths."""
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


def _cells(row: PreviewFileRow) -> list[str]:
    """Path, size, description, pattern, root."""
    size = "" if row.size is None else f"{row.size:,}"
    about = "" if row.declared == row.path else row.declared
    return [safe_text(each) for each in (row.path, size, row.about, about, row.root)]
