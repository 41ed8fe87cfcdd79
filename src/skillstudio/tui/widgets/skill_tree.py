"""The skills of the workspace by folder, each with the state of its last check."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, overload

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


class SkillTreeRow(NamedTuple):
    """One line: a folder (`skill` None), a skill, or with `file` one of its files."""

    folder: str
    skill: str | None = None
    file: str = ""


class _Lines(Sequence[Content]):
    """The lines of a tree, made as they are drawn."""

    def __init__(self, tree: SkillTree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return len(self._tree.rows)

    @overload
    def __getitem__(self, index: int) -> Content: ...
    @overload
    def __getitem__(self, index: slice) -> list[Content]: ...
    def __getitem__(self, index: int | slice) -> Content | list[Content]:
        if isinstance(index, slice):
            return [self._tree.line(each) for each in range(len(self))[index]]
        return self._tree.line(index)


class SkillTree(Rows):
    """Choose a skill or one of its files; folders close and open."""

    HELP = """The skills below the folder that is open. ✓ ok, i notes, ! warnings, ✗ errors, · not
checked yet; ✎ has unsaved changes. Enter opens a skill, or closes and opens a folder; / filters."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "close", "Close", show=False),
    ]

    @dataclass
    class SkillOpened(Message):
        """A skill was chosen; `file` is empty for its first manifest."""

        skill: str
        file: str

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, empty=Content("no skill"))
        self.rows: list[SkillTreeRow] = []
        self._entries: list[SkillEntry] = []
        self._by_path: dict[str, SkillEntry] = {}
        self._grouped = False
        self.unsaved: frozenset[str] = frozenset()
        """The skills that are marked as having unsaved changes."""
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
        self._entries, self.unsaved = sorted(entries, key=_place), frozenset(unsaved)
        self._by_path = {entry.path: entry for entry in self._entries}
        self._open = skill, file
        self._lay_out(here)

    def _lay_out(self, here: SkillTreeRow | None) -> None:
        self.rows = []
        folder: str | None = None
        grouped = any("/" in entry.path for entry in self._entries)
        for entry in self._entries:
            above = entry.path.rpartition("/")[0]
            if grouped and above != folder:
                folder = above
                self.rows.append(SkillTreeRow(above))
            if grouped and above in self._shut:
                continue
            self.rows.append(SkillTreeRow(above, entry.path))
            if entry.path == self._open[0] and len(entry.files) > 1:
                self.rows += [SkillTreeRow(above, entry.path, file) for file in entry.files]
        first = next((i for i, row in enumerate(self.rows) if row.skill is not None), 0)
        cursor = self.rows.index(here) if here in self.rows else None
        self._grouped = grouped
        self.show(_Lines(self), first if here is None else cursor)

    def update_skills(self, entries: Iterable[SkillEntry]) -> None:
        """Show other states of skills that are in the list already."""
        for entry in entries:
            self._by_path[entry.path] = entry
        self.refresh()

    def line(self, index: int) -> Content:
        """The line of a row as it is now."""
        row = self.rows[index]
        indent = "  " if self._grouped else ""
        if row.skill is None:
            return _folder_line(row.folder, row.folder in self._shut)
        if row.file:
            return self._file_line(row.file, indent + "  ")
        return self._skill_line(self._by_path[row.skill], indent)

    def _skill_line(self, entry: SkillEntry, indent: str) -> Content:
        glyph, word = WORDS[entry.status]
        name = plain(entry.name, "bold" if entry.path == self._open[0] else "")
        mark = " ✎" if entry.path in self.unsaved else ""
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

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        row = self.rows[event.index]
        if row.skill is None:
            self._shut ^= {row.folder}
            self._lay_out(row)
        else:
            self.post_message(self.SkillOpened(row.skill, row.file))

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()

    def action_close(self) -> None:
        """Close the folder the cursor is in."""
        if self.rows and any(row.skill is None for row in self.rows):
            folder = self.rows[self.cursor].folder
            self._shut.add(folder)
            self._lay_out(SkillTreeRow(folder))

    def go_to_skill(self, skill: str) -> None:
        """Put the cursor on a skill."""
        for index, row in enumerate(self.rows):
            if row.skill == skill and not row.file:
                self.cursor = index


def _place(entry: SkillEntry) -> tuple[list[str], str]:
    """Sorts what lies in one folder together, a folder before those in it."""
    folder, _, name = entry.path.rpartition("/")
    return folder.split("/") if folder else [], name


def _folder_line(folder: str, closed: bool) -> Content:
    return Content.assemble("▸ " if closed else "▾ ", plain(folder or ".", "bold"))
