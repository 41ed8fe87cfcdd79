"""The skills of the workspace by folder, each with the state of its last check."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from skillstudio.session.workspace import WORDS, SkillEntry
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import plain

STYLES = {
    "unread": "dim",
    "ok": "$text-success",
    "info": "$text-primary",
    "warning": "$text-warning",
    "error": "$text-error",
}


class Row(NamedTuple):
    """One line: a folder (`skill` None), a skill, or with `file` one of its files."""

    folder: str
    skill: str | None = None
    file: str = ""


class SkillTree(Rows):
    """Choose a skill or one of its files; folders close and open."""

    HELP = """The skills below the folder that is open. ✓ ok, i notes, ! warnings, ✗ errors, · not
checked yet; ✎ has unsaved changes. Enter opens a skill, or closes and opens a folder; / filters."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "close", "Close", show=False),
    ]

    @dataclass
    class Opened(Message):
        """A skill was chosen; `file` is empty for its first manifest."""

        skill: str
        file: str

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, empty=Content("no skill"))
        self.rows: list[Row] = []
        self._entries: list[SkillEntry] = []
        self._unsaved: frozenset[str] = frozenset()
        self._open: tuple[str | None, str] = (None, "")
        self._shut: set[str] = set()

    def show_skills(
        self,
        entries: Sequence[SkillEntry],
        unsaved: Collection[str],
        skill: str | None,
        file: str,
    ) -> None:
        """Show these skills, the open one with its files."""
        here = self.rows[self.cursor] if self.cursor < len(self.rows) else None
        self._entries, self._unsaved = list(entries), frozenset(unsaved)
        self._open = skill, file
        self._lay_out(here)

    def _lay_out(self, here: Row | None) -> None:
        self.rows, lines = [], []
        folder: str | None = None
        grouped = any("/" in entry.path for entry in self._entries)
        for entry in self._entries:
            above = entry.path.rpartition("/")[0]
            if grouped and above != folder:
                folder = above
                closed = above in self._shut
                self.rows.append(Row(above))
                lines.append(_folder_line(above, closed))
            if grouped and above in self._shut:
                continue
            self.rows.append(Row(above, entry.path))
            lines.append(self._skill_line(entry, "  " if grouped else ""))
            if entry.path == self._open[0] and len(entry.files) > 1:
                for file in entry.files:
                    self.rows.append(Row(above, entry.path, file))
                    lines.append(self._file_line(file, "    " if grouped else "  "))
        first = next((i for i, row in enumerate(self.rows) if row.skill is not None), 0)
        cursor = self.rows.index(here) if here in self.rows else None
        self.show(lines, first if here is None else cursor)

    def _skill_line(self, entry: SkillEntry, indent: str) -> Content:
        glyph, word = WORDS[entry.status]
        name = plain(entry.name, "bold" if entry.path == self._open[0] else "")
        mark = " ✎" if entry.path in self._unsaved else ""
        return Content.assemble(
            indent,
            (glyph, STYLES[entry.status]),
            " ",
            name,
            mark,
            "  ",
            (entry.summary or word, STYLES[entry.status]),
        )

    def _file_line(self, file: str, indent: str) -> Content:
        here = file == self._open[1]
        return Content.assemble(indent, "▸ " if here else "  ", plain(file, "bold" if here else ""))

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        row = self.rows[event.index]
        if row.skill is None:
            self._shut ^= {row.folder}
            self._lay_out(row)
        else:
            self.post_message(self.Opened(row.skill, row.file))

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()

    def action_close(self) -> None:
        """Close the folder the cursor is in."""
        if self.rows and any(row.skill is None for row in self.rows):
            folder = self.rows[self.cursor].folder
            self._shut.add(folder)
            self._lay_out(Row(folder))

    def go_to_skill(self, skill: str) -> None:
        """Put the cursor on a skill."""
        for index, row in enumerate(self.rows):
            if row.skill == skill and not row.file:
                self.cursor = index


def _folder_line(folder: str, closed: bool) -> Content:
    return Content.assemble("▸ " if closed else "▾ ", plain(folder or ".", "bold"))
