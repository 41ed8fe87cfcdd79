"""The third step of the wizard: the new files as a tree, each with its text, and their check.

On a wide screen they are also beside the questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from skillstudio.present.lines import count
from skillstudio.session.wizard.preview import (
    WizardFileRow,
    counts,
    file_rows,
    file_text,
    first_file,
)
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.problems import diagnostic_line, target_verdicts
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import SEVERITY, join, plain

if TYPE_CHECKING:
    from skillstudio.scaffold.new.creation import SkillDraft
    from skillstudio.tui.widgets.compare.colours import Reader


class FileRows(Rows):
    """The new files, then the check of the whole skill."""

    HELP = """The files of the new skill, with their sizes and the counts of their problems and
TODOs; nothing is written yet. The last line is the check of the skill. The selected file is shown
below the list, in the last step on a wide screen beside it; tab goes there. In the last step the
key beside Create in the last line creates the skill; esc goes back a step."""


class FileLines(Rows):
    """The wrapped lines of one file, or of the check."""

    HELP = "The text of the new file. Arrows, j k and page keys move; shift+tab goes to the files."
    DEFAULT_CSS = "FileLines { scrollbar-gutter: stable; }"

    empty = Content("")
    _path = ""
    _texts: tuple[str, ...] = ()
    _reader: Reader | None = None
    _sentences: Sequence[Content] = ()
    _pieces: Sequence[tuple[int, int, int]] = ()  # The row, start and end of the text of each line.

    def show_file(self, path: str, lines: Sequence[str], note: str) -> None:
        """Show a file with the colours of its language; the same one stays at its place."""
        from skillstudio.tui.widgets.compare.colours import reader_of, shown_line

        self._texts = tuple(shown_line(line) for line in lines)
        self._reader = reader_of(path, self._texts, len(lines)) if lines else None
        self._sentences = [Content.styled(f"… {note}", "dim")] if note and lines else []
        self.empty = Content(note)
        is_same, self._path = path == self._path, path
        top = self.scroll_offset.y
        self._lay_out(self.cursor if is_same else 0)
        if is_same:
            self.scroll_to(y=top, animate=False, force=True)

    def show_check(self, sentences: list[Content]) -> None:
        """Show sentences."""
        self._path = ""
        self._texts, self._reader, self._sentences = (), None, sentences
        self._lay_out(0)

    def on_resize(self) -> None:
        self._lay_out(self.cursor)
        super().on_resize()

    def _lay_out(self, cursor: int) -> None:
        from skillstudio.tui.widgets.compare.colours import pieces
        from skillstudio.tui.widgets.rows import LazyLines

        room = max(self.width, 12)
        self._digits = len(str(len(self._texts)))
        self._pieces = [
            (row, start, end)
            for row, text in enumerate(self._texts)
            for start, end in pieces(text, room - self._digits - 2)
        ]
        self._rest = [line for sentence in self._sentences for line in sentence.wrap(room)]
        self.show(LazyLines(len(self._pieces) + len(self._rest), self._line), cursor)

    def _line(self, index: int) -> Content:
        from skillstudio.tui.widgets.compare.colours import part

        if index >= len(self._pieces):
            return self._rest[index - len(self._pieces)]
        row, start, end = self._pieces[index]
        number = f"{'' if start else row + 1:>{self._digits}}  "
        runs = self._reader(row) if self._reader else ()
        return join(Content.styled(number, "dim"), part(self._texts[row], runs, start, end))


class PreviewPane(Vertical):
    """The tree of files above the selected file, or beside it on a wide screen."""

    DEFAULT_CSS = """
    PreviewPane { height: 1fr; min-width: 24; }
    PreviewPane > FileRows { height: auto; min-height: 3; max-height: 50%; }
    PreviewPane > #file-head { background: $panel; padding: 0 0 0 1; }
    PreviewPane > FileLines { height: 1fr; min-height: 3; border-left: blank; }
    PreviewPane > FileLines:focus { border-left: outer $frame-focus; }
    PreviewPane.-old > * { text-style: dim; }
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

    def keep(self, needs: str) -> None:
        """Show that the draft is an old one; without one, what a draft `needs`."""
        if self._draft is None:
            self.show(None, about=needs)
        self.set_class(self._draft is not None, "-old")

    def show(self, draft: SkillDraft | None, trouble: str = "", about: str = "rendering…") -> None:
        """Show a draft or the `trouble` that prevents it; without both, one line `about` it."""
        self.remove_class("-old")
        before = self._path if self._rows else None
        self._draft = draft
        self._rows = file_rows(draft) if draft is not None else []
        self.files.empty = plain("the skill cannot be created" if trouble else about)
        paths = [row.path for row in self._rows]
        if before not in paths and draft is not None:
            before = first_file(draft)
        cursor = paths.index(before) if before in paths else 0
        self.files.show([_line(row) for row in self._rows], cursor)
        self.refresh(layout=True)
        if draft is not None:
            self._update_view()
        else:
            self.query_one("#file-head", Line).show(Content("Why" if trouble else ""))
            self.query_one(FileLines).show_check([plain(trouble, "$text-error")] if trouble else [])

    @property
    def _path(self) -> str:
        at = self.files.cursor
        return self._rows[at].path if at < len(self._rows) else ""

    def _update_view(self) -> None:
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
            self._update_view()

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        if isinstance(event.rows, FileRows):
            self.query_one(FileLines).focus()


def check_lines(draft: SkillDraft) -> list[Content]:
    """The check of a draft in sentences: its problems, then the targets."""
    analysis = draft.analysis
    lines = [diagnostic_line(diagnostic, analysis) for diagnostic in analysis.diagnostics]
    if not analysis.diagnostics:
        lines.append(Content.styled("✓ no problems", "$text-success"))
    if analysis.skill.markdown is not None:
        lines += target_verdicts(analysis.targets)
    remarks = [*draft.rendering.notes, *filter(None, [draft.rendering.next])]
    return lines + [plain(f"· {remark}", "dim") for remark in remarks]


def verdict_of(draft: SkillDraft) -> Content:
    """The check in a few words."""
    count_text = counts(draft)
    if not draft.analysis.diagnostics:
        good = Content.styled("✓ no problems", "$text-success")
        return join(good, " · ", _style_counts(count_text)) if count_text else good
    return _style_counts(count_text)


def _style_counts(counts: str) -> Content:
    """Counts such as `✗1 !2 · 3 TODO`: in the style of the worst severity, which comes first."""
    style = next((style for sign, style in SEVERITY.values() if counts.startswith(sign)), "dim")
    problems, dot, todos = counts.partition(" · ")
    return join(plain(problems, style), plain(f"{dot}{todos}", "dim"))


def _line(row: WizardFileRow) -> Content:
    if not row.path:
        if not row.counts:
            return Content.styled("✓ check: no problems", "bold")
        return join(plain("check ", "bold"), _style_counts(row.counts))
    indent = "  " * row.depth
    if row.size is None:
        return join(indent, plain(row.name, "bold"))
    executable_note = ", executable" if row.executable else ""
    size = plain(f"  {count(row.size, 'byte')}{executable_note}", "dim")
    return join(
        indent, plain(row.name), size, "  " if row.counts else "", _style_counts(row.counts)
    )
