"""The third step: what would be made, as a tree and file by file, and what a check says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from skillstudio.session.wizard.preview import (
    WizardFileRow,
    counts,
    file_rows,
    file_text,
    size_words,
)
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import SEVERITY, joined, plain

if TYPE_CHECKING:
    from skillstudio.scaffold.new.creation import SkillDraft
    from skillstudio.tui.widgets.compare.colours import Reader


class FileRows(Rows):
    """The check of the whole, then the files that would be made."""

    HELP = """What would be made: nothing is written yet. The first line is what a check says of it,
below it stand the files with their sizes and with what the check found in each. What is under the
cursor is shown beside it; tab goes there. The key beside Create in the last line makes the skill,
esc goes back to the questions."""


class FileLines(Rows):
    """The lines of one file, or of the check; those too long go on in the next line."""

    HELP = "The file as it would be made. Arrows, j k and page keys move; tab goes to the files."
    DEFAULT_CSS = "FileLines { scrollbar-gutter: stable; }"
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, empty=Content(""))
        self._texts: tuple[str, ...] = ()
        self._reader: Reader | None = None
        self._told: list[Content] = []
        self._pieces: list[tuple[int, int, int]] = []
        """Row, beginning and end of what stands in each line."""

    def show_file(self, path: str, lines: Sequence[str], note: str) -> None:
        """Show a file with the colours of its language."""
        from skillstudio.tui.widgets.compare.colours import shown_line

        self._texts = tuple(shown_line(each) for each in lines)
        self._reader = _reader(path, self._texts)
        self._told = [Content.styled(f"… {note}", "dim")] if note and lines else []
        self.empty = Content(note)
        self._lay_out(0)

    def show_check(self, told: list[Content]) -> None:
        """Show sentences."""
        self._texts, self._reader, self._told = (), None, told
        self._lay_out(0)

    def on_resize(self) -> None:
        self._lay_out(self.cursor)
        super().on_resize()

    def _lay_out(self, cursor: int) -> None:
        from skillstudio.tui.widgets.rows import LazyLines

        room = max(self.width, 12)
        self._digits = len(str(len(self._texts)))
        self._pieces = [
            (row, start, end)
            for row, text in enumerate(self._texts)
            for start, end in pieces(text, room - self._digits - 2)
        ]
        self._rest = [line for each in self._told for line in each.wrap(room)]
        self.show(LazyLines(len(self._pieces) + len(self._rest), self._line), cursor)

    def _line(self, index: int) -> Content:
        from skillstudio.tui.widgets.compare.colours import part

        if index >= len(self._pieces):
            return self._rest[index - len(self._pieces)]
        row, start, end = self._pieces[index]
        number = f"{'' if start else row + 1:>{self._digits}}  "
        runs = self._reader(row) if self._reader is not None else ()
        return joined(Content.styled(number, "dim"), part(self._texts[row], runs, start, end))

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()


class PreviewPane(Vertical):
    """The tree above, or on a wide screen beside, what is selected in it."""

    DEFAULT_CSS = """
    PreviewPane { height: 1fr; min-width: 24; }
    PreviewPane > FileRows { height: auto; min-height: 3; max-height: 45%; }
    PreviewPane > #file-head { background: $panel; }
    PreviewPane > FileLines { height: 1fr; min-height: 3; border-left: blank; }
    PreviewPane > FileLines:focus { border-left: outer $primary; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draft: SkillDraft | None = None
        self._rows: list[WizardFileRow] = []

    def compose(self) -> ComposeResult:
        yield FileRows(id="files", empty=Content("rendering…"))
        yield Line(id="file-head")
        yield FileLines(id="file-lines")

    @property
    def files(self) -> FileRows:
        return self.query_one(FileRows)

    def show(self, draft: SkillDraft | None, trouble: str = "") -> None:
        """Show what would be made, or why nothing can be; None while it is rendered."""
        before = self._path
        self._draft = draft
        self._rows = file_rows(draft) if draft is not None else []
        self.files.empty = Content("nothing can be made") if trouble else Content("rendering…")
        paths = [each.path for each in self._rows]
        self.files.show([_line(each) for each in self._rows],
                        paths.index(before) if before in paths else 0)  # fmt: skip
        self.refresh(layout=True)
        if draft is not None:
            self._tell()
        else:
            self.query_one("#file-head", Line).show(Content("Why" if trouble else ""))
            self.query_one(FileLines).show_check([plain(trouble, "$text-error")] if trouble else [])

    @property
    def _path(self) -> str:
        at = self.files.cursor
        return self._rows[at].path if at < len(self._rows) else ""

    def _tell(self) -> None:
        draft, path, lines = self._draft, self._path, self.query_one(FileLines)
        if draft is None:
            return
        if not path or path.endswith("/"):
            self.query_one("#file-head", Line).show(Content("Check of the whole skill"))
            lines.show_check(check_lines(draft))
        else:
            text = file_text(draft, path)
            self.query_one("#file-head", Line).show(plain(path))
            lines.show_file(path, text.lines, text.note)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        if isinstance(event.rows, FileRows):
            self._tell()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if isinstance(event.rows, FileRows):
            self.query_one(FileLines).focus()


def check_lines(draft: SkillDraft) -> list[Content]:
    """What a check says of what would be made, in sentences."""
    analysis = draft.analysis
    told = []
    for verdict, word, glyph, style in (
        (True, "accepted by", "✓", "$text-success"),
        (False, "rejected by", "✗", "$text-error"),
    ):
        names = [name for name, accepted in analysis.targets.items() if accepted is verdict]
        if names and analysis.skill.markdown is not None:
            told.append(Content.styled(f"{glyph} {word} {', '.join(names)}", style))
    for each in analysis.diagnostics:
        glyph, letter, style = SEVERITY[each.severity or "error"]
        start, _ = analysis.place(each)
        where = f"{each.path}:{start.line}:{start.column}"
        told.append(joined(
            Content.styled(f"{glyph}{letter} ", style), plain(where, "dim"), " ",
            plain(each.message), " ", plain(each.rule, "dim"),
        ))  # fmt: skip
    if not analysis.diagnostics:
        told.append(Content.styled("✓ the check finds nothing", "$text-success"))
    told += [plain(f"· {note}", "dim") for note in draft.rendered.notes]
    return told


def verdict_of(draft: SkillDraft) -> Content:
    """The check in a few words."""
    found = counts(draft)
    if not found:
        return Content.styled("✓ nothing found", "$text-success")
    bad = "E" in found
    style = "$text-error" if bad else "$text-warning" if "W" in found else "$text-primary"
    return Content.styled(f"{'✗' if bad else '!' if 'W' in found else 'i'} {found}", style)


def _line(row: WizardFileRow) -> Content:
    if not row.path:
        glyph = "✗" if "E" in row.counts else "!" if "W" in row.counts else "i"
        found = f"{glyph} check: {row.counts}" if row.counts else "✓ check: nothing found"
        return Content.styled(found, "bold")
    indent = "  " * row.depth
    if row.size is None:
        return joined(indent, plain(row.name, "bold"))
    more = ", executable" if row.executable else ""
    found = f"  {row.counts}" if row.counts else ""
    return joined(
        indent, plain(row.name), plain(f"  {size_words(row.size)}{more}", "dim"),
        Content.styled(found, "$text-error" if "E" in found else "$text-warning"),
    )  # fmt: skip


def pieces(text: str, room: int) -> list[tuple[int, int]]:
    """A line as pieces of at most `room` columns, broken behind a blank where there is one."""
    found: list[tuple[int, int]] = []
    start = at = used = blank = 0
    while at < len(text):
        cells = 1 if text[at] < "\x7f" else cell_len(text[at])
        if used + cells > room and at > start:
            end = blank if blank > start else at
            found.append((start, end))
            start = at = end
            used = 0
            continue
        used += cells
        at += 1
        if text[at - 1] == " ":
            blank = at
    return [*found, (start, len(text))]


def _reader(path: str, lines: tuple[str, ...]) -> Reader | None:
    from skillstudio.tui.widgets.compare.colours import language_of_script, read_script
    from skillstudio.tui.widgets.editor.highlight import Highlighter, language_of

    if not lines:
        return None
    if language := language_of_script(path, lines[0]):
        return read_script(lines, language)
    return Highlighter(lambda: lines, language_of(path)).runs
