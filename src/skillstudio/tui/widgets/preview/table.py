"""The table of added, changed and removed files, with the patterns that declare them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from skillstudio.present.outputs import UNDECLARED_LABEL
from skillstudio.preview.files import kinds_of, warm
from skillstudio.preview.spans import size_words
from skillstudio.session.previewing.files import APPLIED_STATUS, PreviewFileRow
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.lines import STYLES
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import join, plain

_PATH = 12, 56  # The fewest columns of a path, and the most while there are other columns.
_MOST_MEASURED = 500  # The number of rows that are measured for the widths and kinds.
_SOON = 0.1  # Seconds after which views are loaded.


class FileTable(Rows):
    """One line for each file: its path, its size or lines, and what is declared."""

    HELP = """The files: + is new, ~ changed or to be overwritten, - removed, * any number of files,
? not known, ! blocked by something else at this path. The path is followed by the size, or by the
lines that a change adds and removes, and by the pattern that declares the file. Those that no
pattern declares come first. The selected file is shown below; tab goes there. enter applies it to
the real folder, A all files of the run; a adopts observed effects into the manifest; all three ask
first. t switches from the outputs before a run to the files after it and to the skill's card, i
opens the inputs, o chooses another operation, H an earlier run."""
    _rows: Sequence[PreviewFileRow] = ()
    _warm: frozenset[str] = frozenset()  # The kinds whose views were loaded.
    DEFAULT_CSS = "FileTable { height: auto; max-height: 40%; scrollbar-gutter: stable; }"

    def show_rows(self, rows: Sequence[PreviewFileRow], cursor: int | None = None) -> None:
        """Show other files."""
        self._rows = rows
        measured_rows = rows[:_MOST_MEASURED]
        self._paths = max((cell_len(_path(row)) for row in measured_rows), default=0)
        self._sizes = max((_size(row).cell_length for row in measured_rows), default=0)
        self.show(LazyLines(len(rows), self._line), cursor)
        kinds = kinds_of(row.path for row in measured_rows)
        if set(kinds) - self._warm:
            self._warm |= set(kinds)
            # After the first row is shown, and before another one can be selected.
            self.set_timer(_SOON, partial(self._warm_up, kinds))

    def _warm_up(self, kinds: Sequence[str]) -> None:
        work = partial(warm, kinds)
        self.run_worker(work, thread=True, group="preview-warm", exit_on_error=False)

    def _line(self, index: int) -> Content:
        row = self._rows[index]
        size = _size(row)
        least, most = _PATH
        room = min(max(self.width - self._sizes - 6, least), max(min(self._paths, most), least))
        path = Content(_path(row)).truncate(room, ellipsis=True, pad=True)
        gap = " " * (self._sizes - size.cell_length + 2 * bool(self._sizes))
        return join(plain(f"{row.glyph} ", STYLES[row.style]), path, gap, size, "  ", _state(row))


def _path(row: PreviewFileRow) -> str:
    return safe_text(f"~/{row.path}" if row.root == "home" else row.path)


def _size(row: PreviewFileRow) -> Content:
    if row.lines_changed is not None:
        added_count, removed_count = row.lines_changed
        return join(
            plain(f"+{added_count}", "$text-success"), plain(f" -{removed_count}", "$text-error")
        )
    return plain("" if row.size is None else size_words(row.size, exactly=False))


def _state(row: PreviewFileRow) -> Content:
    """What is wrong with a file, that it is applied, or what declares it."""
    where = " (in the skill)" if row.root == "skill" else ""
    if row.status == APPLIED_STATUS:
        return join(plain(f"✓ {APPLIED_STATUS}", "$text-success"), plain(where, "dim"))
    if row.status and row.change is not None:
        return plain(f"✗ conflict: it {row.status}", "$text-error")
    if row.declared == UNDECLARED_LABEL:
        return join(plain("not declared", "$text-error"), plain(where, "dim"))
    if row.status:
        return plain(row.status, "dim")
    if row.change is None:
        return plain(row.about, "dim")
    words = "declared" if row.declared else ""
    pattern = row.declared if row.declared != row.path else ""
    return plain(": ".join(filter(None, (words, pattern))) + where, "dim")
