"""The pane of the skills: their list by folder, the filter and the scan."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, WorkerState, get_current_worker

from skillstudio.files.git_state import GitState, git_state
from skillstudio.files.paths import make_relative
from skillstudio.files.temporary import is_temporary
from skillstudio.files.tree import Kind
from skillstudio.manifest.registry import carriers, registry
from skillstudio.present.home import SurveyProgress
from skillstudio.present.lines import count
from skillstudio.present.problems import SIGNS, problem_text
from skillstudio.session.following import all_files
from skillstudio.session.session import Session
from skillstudio.session.workspace import LEVELS, SkillEntry, Status, since
from skillstudio.settings.settings import FILE, PYPROJECT
from skillstudio.tui.bindings import view_bindings
from skillstudio.tui.open_skill import OpenSkill
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import STYLES as LINE_STYLES
from skillstudio.tui.widgets.pane import Pane
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import join, plain, say

if TYPE_CHECKING:
    from skillstudio.present.samples import SampleResult

NO_MATCH = Content("no skill matches; esc shows all")
BATCH_SECONDS = 0.1  # How long results are collected before they are shown.
_UNWATCHED_NAMES = {".git", "node_modules", "__pycache__", ".venv"}
_MOST_FAULTS = 3  # The most notices about problems of no skill.
_MOST_MISSED = 2_000  # Skills up to which a second search at the start costs little.
_FEW = 60  # Skills beyond which the first ones are shown before all are found.
_GROWTH = 4  # How many times as many skills there are until they are shown again.
_MOST_FILES = 500  # The most entries of a folder of a skill that are listed.
_STATE = 8  # Cells for the state after a name, the scrollbar and the frame.
_WIDE = 60  # Cells of a line from which it also shows the worst problem of a skill.
_NAMES = 24  # Cells of the names before those problems.

STYLES = {
    "unread": "dim",
    "ok": "$text-success",
    "elsewhere": "dim",
    "info": "$text-primary",
    "warning": "$text-warning",
    "error": "$text-error",
}


@dataclass
class SkillsFound(Message):
    """The workspace was searched."""

    entries: Sequence[SkillEntry]
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


class GitChanged(Message):
    """A commit, tag or branch was made elsewhere; several messages are merged."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, GitChanged)


@dataclass
class SurveyChanged(Message):
    """The search or the check of the skills went on."""

    progress: SurveyProgress

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, SurveyChanged)


class SkillTreeRow(NamedTuple):
    """One line: a folder of skills (`skill` None), a skill, or with `file` something in it."""

    folder: str
    skill: str | None = None
    file: str = ""
    kind: Kind = "file"
    depth: int = 0
    note: str = ""  # The target of a link, or why a folder is not listed whole.


class SkillTree(Rows):
    """Choose a skill or one of its files; folders and skills close and open."""

    HELP = """The skills in the open folder. ✓ ok, i notes, ! warnings, ✗ errors, · not checked yet;
● has unsaved changes. Beside a sample is the state of its test: ✓ passed, ✗ failed, ○ not run,
! outdated. Enter opens a skill or a file, or closes and opens a folder; right shows the files of a
skill and left hides them. a creates a file, r renames and d deletes the selected one, u undoes
that; / filters."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "close", "Close", show=False),
        Binding("right,l", "expand", "Expand", show=False),
        *view_bindings("tree"),
    ]

    @dataclass
    class SkillOpened(Message):
        """A skill was chosen; `file` is empty for its first manifest."""

        skill: str
        file: str
        is_double: bool = False  # Whether it was a double click, which goes into the text.

    class LaidOut(Message):
        """There are other lines."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SkillTree.LaidOut)

    def __init__(self, session: Session, id: str | None = None) -> None:
        super().__init__(id=id, empty=Content(""))
        self._session = session
        self.rows: list[SkillTreeRow] = []
        self._by_path: dict[str, SkillEntry] = {}
        self._is_grouped = False
        self.unsaved_paths: frozenset[str] = frozenset()
        """The paths on disk of the files that are marked as unsaved."""
        self._unsaved_skills: frozenset[str] = frozenset()
        self._open: tuple[str | None, str] = (None, "")
        self._closed_folders: set[str] = set()
        self._test_results: tuple[str, Mapping[str, SampleResult]] = "", {}
        """The skill whose samples were tested, and their results by path."""
        self._expanded_paths: set[tuple[str, str]] = set()
        """The expanded skills, and folders in them."""

    @property
    def selected_row(self) -> SkillTreeRow | None:
        """The selected line."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def is_expanded(self, row: SkillTreeRow) -> bool:
        """Whether what is in the folder, or the skill, of a line is listed below it."""
        if row.skill is None:
            return row.folder not in self._closed_folders
        return (row.skill, row.file) in self._expanded_paths

    def show_skills(self, entries: Sequence[SkillEntry], skill: str | None, file: str) -> None:
        """Show these skills; `skill` is open at `file`."""
        here = self.selected_row
        self._by_path = {entry.path: entry for entry in sorted(entries, key=_place)}
        self.unsaved_paths = frozenset(buffer.path for buffer in self._session.dirty())
        self._unsaved_skills = self._session.unsaved_skills()
        if (skill, file) != self._open and skill is not None:
            if skill != self._open[0]:
                self._expanded_paths.add((skill, ""))
            self._expanded_paths |= {(skill, above) for above in _folders_above(file)}
        self._open = (skill, file)
        self._lay_out(here)

    def show_tests(self, skill: str, results: Mapping[str, SampleResult]) -> None:
        """Show the states of the samples of a skill, by path."""
        if self._test_results != (skill, results):
            self._test_results = skill, results
            self.refresh()

    def _test_sign(self, skill: str, file: str) -> Content:
        """The state of the test that a file is; empty for another file."""
        from skillstudio.dryrun.sampling.sample import FOLDER, SUFFIX

        if not (file.startswith(f"{FOLDER}/") and file.endswith(SUFFIX)):
            return Content("")
        from skillstudio.present.samples import SampleResult, outcome_sign

        results = self._test_results[1] if skill == self._test_results[0] else {}
        none = SampleResult("", "", "", file, state="not run")
        sign, style = outcome_sign(results.get(file, none))
        return plain(sign, LINE_STYLES[style])

    def select(self, skill: str, file: str) -> None:
        """Select a file of a skill; show its folders."""
        self._expanded_paths |= {(skill, above) for above in ("", *_folders_above(file))}
        self._lay_out(None)
        indexes = (at for at, row in enumerate(self.rows) if (row.skill, row.file) == (skill, file))
        self.cursor = next(indexes, self.cursor)

    def _lay_out(self, here: SkillTreeRow | None) -> None:
        self.rows = []
        folder: str | None = None
        is_grouped = any("/" in path for path in self._by_path)
        for entry in self._by_path.values():
            above = entry.path.rpartition("/")[0]
            if is_grouped and above != folder:
                folder = above
                self.rows.append(SkillTreeRow(above))
            if is_grouped and above in self._closed_folders:
                continue
            self.rows.append(SkillTreeRow(above, entry.path))
            if (entry.path, "") in self._expanded_paths:
                self.rows += self._files(above, entry.path, "", 1)
        first = next((i for i, row in enumerate(self.rows) if row.skill is not None), 0)
        cursor = self.rows.index(here) if here in self.rows else None
        self._is_grouped = is_grouped
        self.show(LazyLines(len(self.rows), self._line), first if here is None else cursor)
        self.post_message(self.LaidOut())

    @property
    def widest(self) -> int:
        """The cells that the lines of a single skill need; 0 if there are more skills."""
        if len(self._by_path) != 1:
            return 0
        return max(_STATE + cell_len(self._text(row)) for row in self.rows)

    def _text(self, row: SkillTreeRow) -> str:
        """The name in a line, with the blanks and signs before it."""
        if not (row.file or row.note):
            return f"▾ ✗ {self._by_path[row.skill or ''].name if row.skill is not None else ''}"
        name = row.file.rpartition("/")[2]
        link = f" → {row.note}" if row.kind == "link" else ""
        return f"{'  ' * (row.depth + 1)}{name}{'/' * (row.kind == 'folder')}{link}"

    def _files(self, above: str, skill: str, folder: str, depth: int) -> Iterable[SkillTreeRow]:
        """The files of a folder of a skill, with those of its expanded folders."""
        tree = self._session.workspace.files(skill, self._session.find_unsaved_texts())
        try:
            entries = [entry for entry in tree.list(folder) if entry.name not in _UNWATCHED_NAMES]
        except OSError as error:
            note = f"cannot be listed: {error.strerror or error}"
            yield SkillTreeRow(above, skill, folder, "other", depth, note)
            return
        for entry in entries[:_MOST_FILES]:
            path = f"{folder}/{entry.name}" if folder else entry.name
            note = ""
            if entry.kind == "link":
                with suppress(OSError):
                    note = tree.target(path)
            yield SkillTreeRow(above, skill, path, entry.kind, depth, note)
            if entry.kind == "folder" and (skill, path) in self._expanded_paths:
                yield from self._files(above, skill, path, depth + 1)
        if len(entries) > _MOST_FILES:
            note = f"{len(entries) - _MOST_FILES} more"
            yield SkillTreeRow(above, skill, folder, "other", depth, note)

    def update_skills(self, entries: Iterable[SkillEntry]) -> None:
        """Show new states of listed skills."""
        self._by_path |= {entry.path: entry for entry in entries if entry.path in self._by_path}
        self.refresh()

    def _line(self, index: int) -> Content:
        row = self.rows[index]
        indent = "  " if self._is_grouped else ""
        if row.skill is None:
            sign = "▾ " if self.is_expanded(row) else "▸ "
            root = os.path.basename(self._session.workspace.root)
            return join(sign, plain(row.folder or root, "bold"))
        if row.file or row.note:
            return self._file_line(row, indent + "  " * row.depth)
        return self._skill_line(self._by_path[row.skill], indent)

    def _sign(self, skill: str, folder: str) -> str:
        return "▾ " if (skill, folder) in self._expanded_paths else "▸ "

    def _skill_line(self, entry: SkillEntry, indent: str) -> Content:
        glyph = SIGNS[entry.status]
        name = plain(entry.name, "bold" if entry.path == self._open[0] else "")
        mark = " ●" if entry.path in self._unsaved_skills else ""
        style = STYLES[entry.status]
        count = entry.counts.get(entry.status, "")  # Of the severity that the sign shows.
        arrow = Content.styled(self._sign(entry.path, ""), "dim")
        line = join(indent, arrow, Content.styled(glyph, style), " ", name)
        worst = entry.worst
        if self.width >= _WIDE and worst is not None:
            about = plain(f"  {worst.place}  {worst.message}", "dim")
            line = join(line, mark)
            line, mark = join(line.pad_right(max(_NAMES - line.cell_length, 0)), about), ""
        state = "" if entry.status in ("ok", "elsewhere") else f" {count}"
        return self._with_state(line, mark, Content.styled(state, style))

    def _with_state(self, line: Content, mark: str, state: Content) -> Content:
        """A line with its mark and, at the right edge, its state; only the line is cut."""
        room = self.width - state.cell_length - bool(state.plain) - 1
        marked_line = join(line.truncate(room - len(mark), ellipsis=True), mark)
        return join(marked_line.pad_right(max(room - marked_line.cell_length, 0)), " ", state)

    def _file_line(self, row: SkillTreeRow, indent: str) -> Content:
        skill, name = row.skill or "", row.file.rpartition("/")[2]
        if row.kind == "other":
            return join(indent, "  ", plain(row.note or f"{name} (not a file)", "dim"))
        if row.kind == "link":
            return join(indent, "  ", plain(name), plain(f" → {row.note}", "dim"))
        is_open = (skill, row.file) == self._open
        sign = self._sign(skill, row.file) if row.kind == "folder" else "› " if is_open else "  "
        path = self._session.workspace.path(skill, row.file)
        name = f"{name}/" if row.kind == "folder" else name
        mark = (
            " ●"
            if any(_is_at(unsaved_path, path, os.sep) for unsaved_path in self.unsaved_paths)
            else ""
        )
        line = join(indent, Content.styled(sign, "dim"), plain(name, "bold" * is_open))
        counts: Counter[Status] = Counter()
        for (file, severity), number in self._by_path[skill].numbers.items():
            counts[severity] += number if _is_at(file, row.file, "/") else 0
        worst = next((level for level in LEVELS if counts[level]), None)
        parts = []
        if worst and not (row.kind == "folder" and (skill, row.file) in self._expanded_paths):
            parts.append(Content.styled(f"{SIGNS[worst]}{counts[worst]}", STYLES[worst]))
        if row.kind == "file" and "/" in row.file and (test := self._test_sign(skill, row.file)):
            parts.append(test)
        state = join(" ", Content(" ").join(parts)) if parts else Content("")
        return self._with_state(line, mark, state)

    def on_click(self, event: events.Click) -> None:
        """Show or hide the files of a skill whose arrow is clicked; else choose the line."""
        index = event.y + round(self.scroll_offset.y)
        row = self.rows[index] if index < len(self.rows) else None
        arrow = 2 * self._is_grouped
        is_skill = row is not None and row.skill is not None and not (row.file or row.note)
        if row is not None and is_skill and arrow <= event.x < arrow + 2:
            event.prevent_default()
            self.cursor = index
            self._toggle(row)

    def _toggle(self, row: SkillTreeRow) -> None:
        self._expanded_paths ^= {(row.skill or "", row.file)}
        self._lay_out(row)

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        row = self.rows[event.index]
        is_toggled_back = event.is_double and (row.skill is None or row.kind == "folder")
        if is_toggled_back:
            return
        if row.skill is None:
            self._closed_folders ^= {row.folder}
            self._lay_out(row)
        elif row.kind == "folder":
            self._toggle(row)
        elif row.kind != "other" or not row.note:
            self.post_message(self.SkillOpened(row.skill, row.file, event.is_double))

    def action_expand(self) -> None:
        """Show what is in the selected folder or skill; open what is shown."""
        row = self.selected_row
        if row is None:
            return
        has_files = row.skill is not None and (row.kind == "folder" or not row.file)
        if has_files and not row.note and not self.is_expanded(row):
            self._toggle(row)
        elif row.kind == "folder" or (row.skill is None and self.is_expanded(row)):
            self.cursor += 1
        else:
            self.action_choose()

    def action_close(self) -> None:
        """Close the selected folder or skill, or go to the one around the selected line."""
        row = self.selected_row
        if row is None:
            return
        if row.skill is not None and (row.skill, row.file) in self._expanded_paths:
            self._toggle(row)
        elif row.skill is not None and (row.file or row.note):
            # A note is a line in the folder that it is about.
            above = row.file if row.kind == "other" else row.file.rpartition("/")[0]
            self.select(row.skill, above)
        elif any(row.skill is None for row in self.rows):
            self._closed_folders.add(row.folder)
            self._lay_out(SkillTreeRow(row.folder))


def _is_at(path: str, folder: str, separator: str) -> bool:
    """Whether a path is another one or below it."""
    return path == folder or path.startswith(folder + separator)


def _folders_above(file: str) -> list[str]:
    """The folders of a file in its skill, the outermost first."""
    parts = file.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _place(entry: SkillEntry) -> tuple[list[str], str]:
    """A sort key that keeps a folder together, before its subfolders."""
    folder, _, name = entry.path.rpartition("/")
    return folder.split("/") if folder else [], name


class SkillsPane(Pane):
    """Finds, checks, filters and watches the skills of the workspace."""

    EDGE = "right"

    def __init__(
        self,
        session: Session,
        open_: OpenSkill,
        is_git_outdated: Callable[[], bool],
        id: str | None = None,
    ) -> None:
        """`is_git_outdated` is called in a thread; it returns whether to report a change of git."""
        super().__init__(id=id)
        self._session = session
        self._workspace = session.workspace
        self._open = open_
        self._is_git_outdated = is_git_outdated
        self._git: GitState = ()
        """The state of git before it was asked which skills changed."""
        self._progress = SurveyProgress(is_searching=True)
        """How far the active survey is, from before it starts."""
        self._was_found = False
        """Whether a search has ended."""
        self._has_missed = False
        """Whether the watch started during the first search, which may have missed skills."""
        self.has_faults = False
        """Whether a skill has errors or warnings."""
        self._key = ""
        self._match_count = 0
        """How many skills match the filter."""
        self._stop_watch = threading.Event()
        self._faults: set[str] = set()
        self.filter = ""

    def compose(self) -> ComposeResult:
        yield EntryLine(placeholder="text, state:error, since:HEAD", id="filter")
        yield SkillTree(self._session, id="skills")

    def on_unmount(self) -> None:
        self._stop_watch.set()

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
        unsaved_skills = self._session.unsaved_skills()
        entries = self._workspace.filter_skills(self.filter, unsaved_skills)
        tree = self.skill_tree
        is_filtered = self.filter and self._workspace.skills
        tree.empty = NO_MATCH if is_filtered else Content(self._progress.without_skills)
        tree.show_skills(entries, self._open.skill, self._open.file)
        self._match_count = len(entries)
        self._show_head()

    def _show_head(self) -> None:
        counts = (
            f"{self._match_count} of {len(self._workspace.skills)}"
            if self.filter
            else f"{self._match_count}"
        )
        self.label(plain(f"{self._key} Skills {counts}".lstrip()))
        skills = self._workspace.skills.values()
        self.has_faults = any(entry.status in ("error", "warning") for entry in skills)
        if self._progress.text:
            state = Content(self._progress.text)
        else:
            states = Counter(entry.status for entry in skills)
            parts = [
                Content.styled(f"{SIGNS[status]}{states[status]}", STYLES[status])
                for status in ("error", "warning", "info", "elsewhere", "ok")
                if states[status]
            ]
            state = Content(" ").join(parts)
        self.label(state, lower=True)
        self.post_message(SurveyChanged(self._progress))

    def show_key(self, key: str) -> None:
        """Show the key that leads here before the title, "" for none."""
        if key != self._key:
            self._key = key
            self._show_head()

    def open_filter(self) -> None:
        """Focus the filter."""
        self._field.add_class("-shown")
        self.call_after_refresh(self._field.focus)

    @property
    def is_filter_open(self) -> bool:
        """Whether the field of the filter is visible."""
        return self._field.has_class("-shown")

    def close_filter(self) -> None:
        """Clear and hide the filter where it is shown."""
        if self.is_filter_open:
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
        self._find_since(event.value)
        self._set_filter(event.value)
        self.skill_tree.focus()

    def _find_since(self, query: str) -> None:
        if ref := since(query):
            self._in_thread(partial(self._find_changed, ref), "since")

    def find_changed_again(self) -> None:
        """Ask git again which skills changed, if the filter shows only those."""
        if self._workspace.since == since(self.filter):
            self._find_since(self.filter)
        else:
            self._workspace.since = ""  # The result of an earlier filter is not followed.

    def _find_changed(self, ref: str) -> None:
        """Ask git which skills changed since a revision."""
        from skillstudio.files.git import GitError

        worker = get_current_worker()
        self._git = git_state(self._workspace.root)
        skills, failure = frozenset[str](), ""
        try:
            skills = self._workspace.find_changed(ref)
        except GitError as error:
            ref, failure = "", str(error)
        if worker.is_cancelled:
            return  # A newer request is on its way.
        self.call_later(self._show_changed, ref, skills)
        if failure:
            self.call_later(say, self, failure, bad=True)

    def _show_changed(self, ref: str, skills: frozenset[str]) -> None:
        self._workspace.since, self._workspace.changed_skills = ref, skills
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
        self._go_on(SurveyProgress(is_searching=True))
        self._in_thread(self._find, "survey")
        if watch:
            self._in_thread(self._watch, "watch")

    def cancel_scan(self) -> bool:
        """Stop checking; keep the results. Whether a scan was active."""
        is_active = bool(self._progress.text)
        self.workers.cancel_group(self, "survey")
        self._go_on(SurveyProgress(was_stopped=self._progress.is_searching))
        return is_active

    def _go_on(self, progress: SurveyProgress) -> None:
        self._progress = progress
        if self._workspace.skills:
            self._show_head()  # Laying out thousands of skills takes long.
        else:
            self.refresh_skills()

    def _show_found(self, worker: Worker[None], number: int) -> None:
        if self._progress.is_searching and not worker.is_cancelled:
            self._go_on(SurveyProgress(True, number))

    def _show_first(self, worker: Worker[None], entries: Sequence[SkillEntry]) -> None:
        """Show the skills that were found so far, until all are."""
        if self._progress.is_searching and not worker.is_cancelled:
            self._workspace.take(entries)
            self._progress = SurveyProgress(True, len(entries))
            self.refresh_skills()

    def look_again(self, paths: frozenset[str]) -> None:
        """Check the skills of changed files; find all skills if one may be new or deleted."""
        workspace_files = (FILE, PYPROJECT, "plugin.json", "marketplace.json")
        found_by = {file.lower() for file in (*carriers(), *workspace_files)}
        names = {os.path.basename(path).lower() for path in all_files(paths)}
        if not found_by.isdisjoint(names) or any(map(self._was_skill, paths)):
            self._workspace.forget_settings()
            self.scan()
        elif touched_entries := [
            entry
            for skill, entry in self._workspace.skills.items()
            if any(path.startswith(self._workspace.path(skill) + os.sep) for path in paths)
        ]:
            self._in_thread(partial(self._check, touched_entries), "survey-again")
        if paths:
            self.find_changed_again()
        self.refresh_skills()

    def _was_skill(self, path: str) -> bool:
        """Whether a path is that of a skill whose folder was moved or deleted."""
        inside = make_relative(path, self._workspace.root).replace(os.sep, "/")
        return inside in self._workspace.skills and not os.path.isdir(path)

    # In threads, which touch no widget.

    def _in_thread(self, work: Callable[[], None], group: str) -> None:
        """Do some work in place of the active work of its group."""
        self.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    def _find(self) -> None:
        worker, workspace = get_current_worker(), self._workspace
        send_time, listed_count = time.monotonic(), 0
        is_first = not workspace.skills

        def progress(entries: Sequence[SkillEntry]) -> None:
            """Show the first skills as soon as they fill the screen, then each time that there
            are several times as many: laying out thousands takes long."""
            nonlocal send_time, listed_count
            is_late = time.monotonic() - send_time > BATCH_SECONDS
            if (
                is_first
                and len(entries) > max(_FEW, _GROWTH * listed_count)
                and (is_late or not listed_count)
            ):
                listed_count = len(entries)
                self.call_later(self._show_first, worker, list(entries))
            elif is_late:
                self.call_later(self._show_found, worker, len(entries))
            else:
                return
            send_time = time.monotonic()

        found_entries = workspace.find(lambda: worker.is_cancelled, progress)
        if not worker.is_cancelled:
            self.post_message(SkillsFound(found_entries))
            self._check(found_entries)

    def _check(self, entries: Sequence[SkillEntry]) -> None:
        worker, workspace = get_current_worker(), self._workspace
        batch: list[SkillEntry] = []
        results: list[SkillEntry] = []
        send_time = time.monotonic()
        for checked_count, entry in enumerate(entries, 1):
            if worker.is_cancelled:
                return
            batch.append(workspace.examine(entry))
            results.append(batch[-1])
            time.sleep(0)  # Let the thread of the screen run.
            if time.monotonic() - send_time > BATCH_SECONDS or checked_count == len(entries):
                self.call_later(self._show_checked, batch, checked_count, len(entries))
                batch, send_time = [], time.monotonic()
        # Only once the skills are known.
        known_skills = workspace.skills | {entry.path: entry for entry in results}
        self.call_later(self._show_related, workspace.relate(known_skills.values()))

    def _watch(self) -> None:
        from skillstudio.files.watching import changes

        def is_wanted(path: str) -> bool:
            parts = path.split(os.sep)
            return _UNWATCHED_NAMES.isdisjoint(parts) and not any(map(is_temporary, parts))

        has_begun = False
        for changed_paths in changes(self._workspace.root, self._stop_watch):
            paths = frozenset(filter(is_wanted, changed_paths))
            # Once without a change: there are no events for changes before the watch started.
            if paths or not has_begun:
                self.post_message(DiskEvents(paths))
            if not has_begun:
                self.call_later(self._find_missed)
            has_begun = True
            # Git's folder may be above the workspace, or elsewhere.
            if self._is_git_outdated() or self._is_since_outdated():
                self.post_message(GitChanged())

    def _find_missed(self) -> None:
        """Find skills that were written after the search and before the watch started."""
        if not self._was_found:
            self._has_missed = True  # The search is not finished.
        elif len(self._workspace.skills) <= _MOST_MISSED:
            self._in_thread(self._compare_found, "survey-missed")

    def _compare_found(self) -> None:
        worker = get_current_worker()
        paths = {entry.path for entry in self._workspace.find(lambda: worker.is_cancelled)}
        if not worker.is_cancelled and paths != set(self._workspace.skills):
            self.call_later(self.scan)

    def _is_since_outdated(self) -> bool:
        return bool(self._workspace.since) and self._git != git_state(self._workspace.root)

    # What they found.

    def on_skills_found(self, event: SkillsFound) -> None:
        workspace = self._workspace
        event.is_first = not self._was_found and self._open.skill is None
        self._was_found = True
        workspace.take(event.entries)
        if self._has_missed:
            self._has_missed = False
            self._find_missed()
        self._progress = SurveyProgress(skill_count=len(event.entries))
        self.refresh_skills()

    def _report(self, faults: Sequence[str]) -> None:
        """Show the first of some faults that were not shown before."""
        new = [fault for fault in faults if fault not in self._faults]
        for fault in new[:_MOST_FAULTS]:
            say(self, fault, bad=True)
        if len(new) > _MOST_FAULTS:
            number = count(len(new) - _MOST_FAULTS, "more problem")
            say(self, f"{number} of no skill; skillstudio check prints all", bad=True)
        self._faults = set(faults)

    def _show_related(self, entries: Sequence[SkillEntry]) -> None:
        """Show how the skills go together: their own problems by it, and those of none."""
        checked_count, total = self._progress.checked_count, self._progress.to_check
        urgent = (
            problem
            for problem in self._workspace.problems
            if problem.diagnostic.severity == "error"
            or os.path.basename(problem.path) in (FILE, PYPROJECT)
        )
        self._report([*registry().unusable, *map(problem_text, urgent)])
        if any(entry.path == self._open.skill for entry in entries):
            self._open.disk_changed()
        self._show_checked(entries, checked_count, total)

    def _show_checked(self, entries: Sequence[SkillEntry], checked_count: int, total: int) -> None:
        self._progress = self._progress._replace(checked_count=checked_count, to_check=total)
        skills = self._workspace.skills
        open_ = self._open.skill
        new = [entry for entry in entries if entry.path in skills and entry.path != open_]
        skills.update((entry.path, entry) for entry in new)
        if self.filter:
            self.refresh_skills()
        else:
            self.skill_tree.update_skills(new)
            self._show_head()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a fault in a worker; it ends nothing else."""
        if event.state is WorkerState.ERROR:
            if event.worker.group == "survey":
                self._go_on(SurveyProgress(was_stopped=self._progress.is_searching))
            say(self, f"{event.worker.group} stopped: {event.worker.error!r}", bad=True)
