"""The table of files: what comes, changes and goes, with what declares it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from skillstudio.session.previewing_files import UNDECLARED, FileRow
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.compare.rows import Lines
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.widgets.tones import STYLES
from skillstudio.tui.words import joined, plain

_LEAST = 16
"""Columns that a path has at least."""
_MEASURED = 500
"""Rows that widths are taken from."""


class FileTable(Rows):
    """One line for each file. What does not fit is told above the detail."""

    HELP = """The files: + would be new or was made, ~ would be overwritten or was changed, - was
removed, * any number of files, ? is not known, ! something else stands there; a second ! marks what
no pattern declares. Behind the path stand, as far as there is room, the size, what the file holds,
the declared pattern that it fits or that there is none, and the folder it lies in. Beside or below
it stands what is under the cursor; tab goes there. t goes from the outputs before a run to the
files after it and to the skill's card, H chooses an earlier run. A brings files of a run into the
real folders, a brings what was seen into the manifest; both ask first."""
    DEFAULT_CSS = "FileTable { scrollbar-gutter: stable; }"

    def show_rows(self, rows: Sequence[FileRow], cursor: int | None = None) -> None:
        """Show other files."""
        self._rows = rows
        self._widths = [
            max((cell_len(cell) for cell in column), default=0)
            for column in zip(*map(_cells, rows[:_MEASURED]), strict=True)
        ] or [0] * 5
        self.show(Lines(len(rows), self._line), cursor)

    def _line(self, index: int) -> Content:
        row = self._rows[index]
        style = STYLES[row.tone]
        path, *rest = _cells(row)
        shown = self._shown()
        behind = [
            f"{cell:>{width}}" if at == 0 else f"{cell}{' ' * max(width - cell_len(cell), 0)}"
            for at, (cell, width) in enumerate(zip(rest, self._widths[1:], strict=True))
            if width and at in shown
        ]
        used = sum(cell_len(each) + 2 for each in behind)
        room = min(max(self.width - used - 3, _LEAST), max(self._widths[0], _LEAST))
        name = Content(path).truncate(room, ellipsis=True, pad=True)
        is_odd = row.declared == UNDECLARED
        flag = Content.styled("! " if is_odd else "  ", "$text-warning")
        told: list[Content | str] = [plain(row.glyph, style), flag, name]
        for at, each in zip([at for at in range(4) if self._widths[at + 1] and at in shown],
                            behind, strict=True):  # fmt: skip
            is_bad = at == 2 and is_odd
            told += ["  ", Content.styled(each, "$text-warning" if is_bad else "dim")]
        return joined(*told)

    def _shown(self) -> tuple[int, ...]:
        """The columns behind the path that there is room for: the first ones go last."""
        shown: list[int] = []
        left = self.width - 3 - max(min(self._widths[0], 28), _LEAST)
        for at in (0, 2, 1, 3):
            width = self._widths[at + 1]
            if width and left >= width + 2:
                shown.append(at)
                left -= width + 2
        return tuple(sorted(shown))


def _cells(row: FileRow) -> list[str]:
    """Path, size, what it is, pattern, root."""
    size = "" if row.size is None else f"{row.size:,}"
    about = "" if row.declared == row.path else row.declared
    return [safe_text(each) for each in (row.path, size, row.about, about, row.root)]
