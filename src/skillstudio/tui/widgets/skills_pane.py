"""The pane of the skills: their list by folder, the filter and the scan."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, WorkerState, get_current_worker

from skillstudio.files.temporary import is_temporary
from skillstudio.manifest.registry import carriers, registry
from skillstudio.session.session import Session
from skillstudio.session.workspace import WORDS, SkillEntry, since
from skillstudio.settings.settings import FILE
from skillstudio.tui.open_skill import OpenSkill
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import joined, plain, say

NO_SKILL = Content("no skill here; N creates one, O opens another folder")
NO_MATCH = Content("no skill matches; esc shows all")
BATCH_SECONDS = 0.1  # How long results are collected before they are shown.
_START_MS = 500  # Milliseconds without a change until the watch reports that it has started.
_UNWATCHED = {".git", "node_modules", "__pycache__", ".venv"}

STYLES = {
    "unread": "dim",
    "ok": "$text-success",
    "info": "$text-primary",
    "warning": "$text-warning",
    "error": "$text-error",
}


@dataclass
class SkillsFound(Message):
    """The workspace was searched; `faults` are problems with its settings."""

    entries: Sequence[SkillEntry]
    faults: Sequence[str] = ()
    is_first: bool = False  # Whether no skill was known before.


@dataclass
class DiskEvents(Message):
    """Files below the workspace changed; several messages are merged."""

    paths: frozenset[str]

    def can_replace(self, message: Message) -> bool:
        if isinstance(message, DiskEvents):
            self.paths |= message.paths
            return True
        return False


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
        self._workspace = session.workspace
        self._open = open_
        self._checked = self._to_check = 0
        """How many skills the active survey has checked, and has to check."""
        self._stop_watch = threading.Event()
        self._settings_faults: set[str] = set()
        self.filter = ""

    def compose(self) -> ComposeResult:
        yield Line(Content("Skills"), id="skills-head")
        yield EntryLine(placeholder="text, state:error, since:HEAD", id="filter")
        yield SkillTree(id="skills")

    def on_unmount(self) -> None:
        self._stop_watch.set()

    @property
    def skill_tree(self) -> SkillTree:
        return self.query_one(SkillTree)

    @property
    def _is_checking(self) -> bool:
        return self._checked < self._to_check

    @property
    def _field(self) -> Input:
        return self.query_one("#filter", Input)

    def refresh_skills(self) -> None:
        """Show the list again."""
        if not self.is_mounted:
            return
        unsaved = self._session.unsaved_skills()
        found = self._workspace.matching(self.filter, unsaved)
        tree = self.skill_tree
        tree.empty = NO_MATCH if self.filter else NO_SKILL
        tree.show_skills(found, unsaved, self._open.skill, self._open.file)
        self._show_head(len(found))

    def _show_head(self, found: int) -> None:
        counts = f"{found} of {len(self._workspace.skills)}" if self.filter else f"{found}"
        progress = f" · checked {self._checked} of {self._to_check}" if self._is_checking else ""
        head = joined(Content.styled("Skills ", "bold"), counts, Content.styled(progress, "dim"))
        self.query_one("#skills-head", Line).show(head)

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
        if ref and ref != self._workspace.since:
            self._in_thread(partial(self._find_changed, ref), "since")
        self._set_filter(event.value)
        self.skill_tree.focus()

    def _find_changed(self, ref: str) -> None:
        """Ask git which skills changed since a revision."""
        from skillstudio.files.git import GitError

        try:
            self.call_later(self._show_changed, ref, self._workspace.find_changed(ref))
        except GitError as error:
            self.call_later(say, self, str(error), bad=True)

    def _show_changed(self, ref: str, skills: frozenset[str]) -> None:
        self._workspace.since, self._workspace.changed = ref, skills
        self.refresh_skills()

    def add(self, folder: str) -> str | None:
        """Add a new skill to the list and clear the filter. Its path in the workspace."""
        skill = self._workspace.add(folder)
        if skill is not None:
            self._set_filter("")
            self.scan()
        return skill

    def scan(self, watch: bool = False) -> None:
        """Find and check the skills; with `watch` also after changes on disk."""
        self._in_thread(self._find, "survey")
        if watch:
            self._in_thread(self._watch, "watch")

    def cancel_scan(self) -> bool:
        """Stop checking; keep the results. Whether a scan was active."""
        is_active = self._is_checking
        self.workers.cancel_group(self, "survey")
        self._checked = self._to_check = 0
        self.refresh_skills()
        return is_active

    def look_again(self, paths: frozenset[str]) -> None:
        """Check the skills of changed files; find all skills if one may be new or deleted."""
        found_by = {file.lower() for file in (*carriers(), FILE, "plugin.json", "marketplace.json")}
        if not found_by.isdisjoint(os.path.basename(path).lower() for path in paths):
            self._workspace.forget_settings()
            self.scan()
        elif touched := [
            entry
            for skill, entry in self._workspace.skills.items()
            if any(path.startswith(self._workspace.path(skill) + os.sep) for path in paths)
        ]:
            self._in_thread(partial(self._check, touched), "survey-again")
        self.refresh_skills()

    # In threads, which touch no widget.

    def _in_thread(self, work: Callable[[], None], group: str) -> None:
        """Do some work in place of the active work of its group."""
        self.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    def _find(self) -> None:
        worker, workspace = get_current_worker(), self._workspace
        found = workspace.find(lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            faults = [*registry().unusable, *workspace.settings_faults()]
            faults += (*workspace.plugin_faults(), *workspace.folders_passed_over())
            self.post_message(SkillsFound(found, faults))
            self._check(found)

    def _check(self, found: Sequence[SkillEntry]) -> None:
        worker = get_current_worker()
        batch: list[SkillEntry] = []
        sent = time.monotonic()
        for done, entry in enumerate(found, 1):
            if worker.is_cancelled:
                return
            batch.append(self._workspace.examine(entry))
            time.sleep(0)  # Let the thread of the screen run.
            if time.monotonic() - sent > BATCH_SECONDS or done == len(found):
                self.call_later(self._show_checked, batch, done, len(found))
                batch, sent = [], time.monotonic()

    def _watch(self) -> None:
        # In a thread: starting to watch a large tree takes seconds.
        from watchfiles import watch

        def wanted(_change: object, path: str) -> bool:
            parts = path.split(os.sep)
            return _UNWATCHED.isdisjoint(parts) and not any(map(is_temporary, parts))

        begun = False
        for changes in watch(
            self._workspace.root,
            watch_filter=wanted,
            step=50,
            debounce=300,
            rust_timeout=_START_MS,
            yield_on_timeout=True,
            stop_event=self._stop_watch,
            raise_interrupt=False,
        ):
            # Once without a change: there are no events for changes before the watch started.
            if changes or not begun:
                self.post_message(DiskEvents(frozenset(path for _, path in changes)))
            begun = True

    # What they found.

    def on_skills_found(self, event: SkillsFound) -> None:
        workspace = self._workspace
        event.is_first = not workspace.skills and self._open.skill is None
        workspace.take(event.entries)
        self.refresh_skills()
        for fault in event.faults:
            if fault not in self._settings_faults:
                say(self, fault, bad=True)
        self._settings_faults = set(event.faults)

    def _show_checked(self, entries: Sequence[SkillEntry], done: int, total: int) -> None:
        self._checked, self._to_check = done, total
        skills = self._workspace.skills
        open_ = self._open.skill
        new = [each for each in entries if each.path in skills and each.path != open_]
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
