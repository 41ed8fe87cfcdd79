"""The pane of the skills: their list by folder, the filter and the scan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from skillstudio.session.session import Session
from skillstudio.session.workspace import WORDS, SkillEntry, since
from skillstudio.tui.messages import SinceFound, SkillsChecked, SkillsFound
from skillstudio.tui.open_skill import OpenSkill
from skillstudio.tui.skill_scanner import SkillScanner
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import joined, plain, say

NO_SKILL = Content("no skill here; N creates one, O opens another folder")
NO_MATCH = Content("no skill matches; esc shows all")


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


class SkillTree(Rows):
    """Choose a skill or one of its files; folders close and open."""

    HELP = """The skills in the open folder. ✓ ok, i notes, ! warnings, ✗ errors, · not checked yet;
✎ has unsaved changes. Enter opens a skill, or closes and opens a folder; / filters."""
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
        self._by_path: dict[str, SkillEntry] = {}
        self._grouped = False
        self.unsaved: frozenset[str] = frozenset()
        """The skills that are marked as unsaved."""
        self._open: tuple[str | None, str] = (None, "")
        self._shut: set[str] = set()

    def show_skills(
        self, entries: Sequence[SkillEntry], unsaved: Collection[str], skill: str | None, file: str
    ) -> None:
        """Show these skills; `skill` is open at `file`."""
        here = self.rows[self.cursor] if self.cursor < len(self.rows) else None
        self._by_path = {entry.path: entry for entry in sorted(entries, key=_place)}
        self.unsaved, self._open = frozenset(unsaved), (skill, file)
        self._lay_out(here)

    def _lay_out(self, here: SkillTreeRow | None) -> None:
        self.rows = []
        folder: str | None = None
        grouped = any("/" in path for path in self._by_path)
        for entry in self._by_path.values():
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
        self.show(LazyLines(len(self.rows), self._line), first if here is None else cursor)

    def update_skills(self, entries: Iterable[SkillEntry]) -> None:
        """Show new states of listed skills."""
        self._by_path |= {each.path: each for each in entries if each.path in self._by_path}
        self.refresh()

    def _line(self, index: int) -> Content:
        row = self.rows[index]
        indent = "  " if self._grouped else ""
        if row.skill is None:
            sign = "▸ " if row.folder in self._shut else "▾ "
            return joined(sign, plain(row.folder or ".", "bold"))
        if row.file:
            return self._file_line(row.file, indent + "  ")
        return self._skill_line(self._by_path[row.skill], indent)

    def _skill_line(self, entry: SkillEntry, indent: str) -> Content:
        glyph, word = WORDS[entry.status]
        name = plain(entry.name, "bold" if entry.path == self._open[0] else "")
        mark = " ✎" if entry.path in self.unsaved else ""
        style = STYLES[entry.status]
        state = Content.styled(entry.summary or word, style)
        return joined(indent, Content.styled(glyph, style), " ", name, mark, "  ", state)

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

    def action_close(self) -> None:
        """Close the selected folder, or that of the selected skill."""
        if self.rows and any(row.skill is None for row in self.rows):
            folder = self.rows[self.cursor].folder
            self._shut.add(folder)
            self._lay_out(SkillTreeRow(folder))


def _place(entry: SkillEntry) -> tuple[list[str], str]:
    """A sort key that keeps a folder together, before its subfolders."""
    folder, _, name = entry.path.rpartition("/")
    return folder.split("/") if folder else [], name


class SkillsPane(Vertical):
    """Finds, checks, filters and watches the skills of the workspace."""

    def __init__(self, session: Session, open_: OpenSkill, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._open = open_
        self._scanner = SkillScanner(self, session.workspace)
        self._settings_faults: set[str] = set()
        self.filter = ""

    def compose(self) -> ComposeResult:
        yield Line(Content("Skills"), id="skills-head")
        yield EntryLine(placeholder="text, state:error, since:HEAD", id="filter")
        yield SkillTree(id="skills")

    def on_unmount(self) -> None:
        self._scanner.close()

    @property
    def skill_tree(self) -> SkillTree:
        return self.query_one(SkillTree)

    @property
    def _field(self) -> Input:
        return self.query_one("#filter", Input)

    def refresh_skills(self) -> None:
        """Show the list again."""
        if not self.is_mounted:
            return
        unsaved = self._session.unsaved_skills()
        found = self._session.workspace.matching(self.filter, unsaved)
        tree = self.skill_tree
        tree.empty = NO_MATCH if self.filter else NO_SKILL
        tree.show_skills(found, unsaved, self._open.skill, self._open.file)
        self._show_head(len(found))

    def _show_head(self, found: int) -> None:
        counts = f"{found} of {len(self._session.workspace.skills)}" if self.filter else f"{found}"
        self.query_one("#skills-head", Line).show(
            joined(Content.styled("Skills ", "bold"), counts, self._scanner.progress())
        )

    def open_filter(self) -> None:
        """Focus the filter."""
        self._field.add_class("-shown")
        self.call_after_refresh(self._field.focus)

    def close_filter(self) -> None:
        """Clear and hide the filter where it is shown."""
        if self._field.has_class("-shown"):
            self._set_filter("")

    def _set_filter(self, text: str) -> None:
        if self._field.value != text:
            self._field.value = text
        self._field.set_class(bool(text), "-shown")
        self.filter = text
        self.refresh_skills()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.filter = event.value
        self.refresh_skills()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        ref = since(event.value)
        if ref and ref != self._session.workspace.since:
            self._scanner.find_changed(ref)
        self._set_filter(event.value)
        self.skill_tree.focus()

    def on_since_found(self, event: SinceFound) -> None:
        event.stop()
        if event.reason:
            say(self, event.reason, bad=True)
        else:
            self._session.workspace.since = event.ref
            self._session.workspace.changed = event.skills
            self.refresh_skills()

    def scan(self, watch: bool = False) -> None:
        """Find and check the skills; with `watch` also after changes on disk."""
        self._scanner.start()
        if watch:
            self._scanner.watch()

    def cancel_scan(self) -> bool:
        """Stop checking. Whether a scan was active."""
        is_active = bool(self._scanner.progress())
        self._scanner.cancel()
        self.refresh_skills()
        return is_active

    def look_again(self, paths: frozenset[str]) -> None:
        """Check the skills of changed files again."""
        self._scanner.look_again(paths)
        self.refresh_skills()

    def add(self, folder: str) -> str | None:
        """Add a new skill to the list and clear the filter. Its path in the workspace."""
        skill = self._session.workspace.add(folder)
        if skill is not None:
            self._set_filter("")
            self._scanner.start()
        return skill

    def on_skills_found(self, event: SkillsFound) -> None:
        workspace = self._session.workspace
        event.is_first = not workspace.skills and self._open.skill is None
        workspace.take(event.entries)
        self.refresh_skills()
        for fault in event.faults:
            if fault not in self._settings_faults:
                say(self, fault, bad=True)
        self._settings_faults = set(event.faults)

    def on_skills_checked(self, event: SkillsChecked) -> None:
        event.stop()
        self._scanner.checked(event)
        skills = self._session.workspace.skills
        open_ = self._open.skill
        new = [each for each in event.entries if each.path in skills and each.path != open_]
        skills.update((each.path, each) for each in new)
        if self.filter:
            self.refresh_skills()
        else:
            self.skill_tree.update_skills(new)
            self._show_head(len(skills))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a fault in a worker; it ends nothing else."""
        if event.state is WorkerState.ERROR:
            say(self, f"{event.worker.group} stopped: {event.worker.error!r}", bad=True)
