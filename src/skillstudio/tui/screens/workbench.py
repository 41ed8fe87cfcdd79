"""The workbench: skills, the open file, its problems."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.worker import Worker, WorkerState

from skillstudio.present.home import SurveyProgress, first_to_fix
from skillstudio.present.lines import count
from skillstudio.present.problems import in_order
from skillstudio.session.commands.commands import KEY_LINE_END, KEY_LINES
from skillstudio.session.commands.keymap import Keymap, format_key, is_typed
from skillstudio.session.drafts import BufferDraft
from skillstudio.session.recent import recent_folders
from skillstudio.session.session import Session
from skillstudio.settings.settings import EditorSettings
from skillstudio.text.diagnostic import Diagnostic, Splice
from skillstudio.text.source import Source
from skillstudio.tui.bindings import CommandRunner, asks, typed_out, why_not
from skillstudio.tui.dialog import SingleAnswerScreen
from skillstudio.tui.following import Following
from skillstudio.tui.open_skill import OpenSkill, changed_lines
from skillstudio.tui.panes import PANES, Panes
from skillstudio.tui.tour import TourGuide
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.home import Home
from skillstudio.tui.widgets.lines import KeyHint, KeyLine, Line, key_hints
from skillstudio.tui.widgets.pane import Pane, Tab, TabBar
from skillstudio.tui.widgets.problems import ProblemList, chips_content, summary_of
from skillstudio.tui.widgets.skills_pane import (
    DiskEvents,
    GitChanged,
    SkillsFound,
    SkillsPane,
    SkillTree,
    SurveyChanged,
)
from skillstudio.tui.widgets.views import ON_SAVE, VIEWS, Views
from skillstudio.tui.words import COMMAND_META, SEVERITY, join, plain, say

if TYPE_CHECKING:
    from skillstudio.dryrun.report import RunReport
    from skillstudio.session.comparing.comparing import ComparisonResult
    from skillstudio.session.skill_files import SkillFiles
    from skillstudio.session.wizard.wizard import Wizard
    from skillstudio.skill.analysis import Analysis
    from skillstudio.skill.outcomes import TargetAnswer
    from skillstudio.tui.screens.jump import JumpTarget
    from skillstudio.tui.widgets.compare.diff import DiffRows
    from skillstudio.tui.widgets.compare.live import LiveComparison
    from skillstudio.tui.widgets.compare.view import CompareView
    from skillstudio.tui.widgets.editor.editor import ManifestEditor
    from skillstudio.tui.widgets.side import Followed, Reading

_NAMES = (*(id_ for id_, _, _ in VIEWS if id_ != "edit"), "follow")
_OFFERS = (
    ("skill.new", "new skill, from a template or from scripts"),
    ("app.open", "open another folder"),
    ("help.tour", "a tour in five steps"),
)
"""What can be started from home."""
_MOST_RECENT = 4  # Folders.
DRAFT_PAUSE = 0.5  # Seconds between writes of drafts of unsaved text.
Result = TypeVar("Result")
Handler = Callable[["Workbench"], Awaitable[object]]  # What runs a command.


@dataclass
class MouseWanted(Message):
    """Whether the application is to use the mouse."""

    is_wanted: bool


class Workbench(Screen[None]):
    """Shows the skills, and the open file with its problems."""

    CSS_PATH = "workbench.tcss"
    DEFAULT_CLASSES = "-pane-skills"
    AUTO_FOCUS = "#skills"

    @dataclass
    class Ready(Message):
        """The skills were found for the first time."""

        workbench: Workbench

    @dataclass
    class FileOpened(Message):
        """A file was opened, for which there may be drafts."""

        workbench: Workbench
        path: str

    @dataclass
    class FolderChosen(Message):
        """Another folder is to be opened instead."""

        workbench: Workbench
        path: str

    def __init__(
        self,
        session: Session,
        keymap: Keymap,
        handlers: Mapping[str, Handler],
        file: str = "",
        watch: bool = True,
        refuse_text: Callable[[], None] = lambda: None,
        follow: bool = False,
    ) -> None:
        """`handlers` are by command id; `file` is opened first, in the skill at the root;
        `refuse_text` drops the text that is typed for a dialog which did not open; `follow` shows
        the skills that other programs write."""
        super().__init__()
        self.session = session
        self.keymap = keymap
        self.open = OpenSkill(self, session, self._text_changed, self._show_analysis)
        self.skills_pane = SkillsPane(
            session, self.open, lambda: self.views.is_git_outdated, id="skills-pane"
        )
        self.views = Views(session, self.open, self._key, self._make_home, id="view")
        self.offers_drafts = False
        """Whether abandoned drafts of a file are offered when it is opened: not while those of all
        files are."""
        self.offered_drafts: set[BufferDraft] = set()
        self.follower = Following(self, follow)
        self.tour = TourGuide(self)
        self.wizard: Wizard | None = None
        """The new skill that was started and is not created yet, with its answers."""
        self._commands = CommandRunner(self)
        self._handlers = handlers
        self._refuse_text = refuse_text
        self._has_asked = False
        """Whether a dialog was opened since the last command began."""
        self._first_file = file
        self._watch = watch
        self._had_focus: Widget | None = None
        self._live: LiveComparison | None = None
        self._shown_analysis: Analysis | None = None
        self._is_namesake = False
        """Whether another skill has the name of the open one."""
        self._target_answers: tuple[Analysis, Mapping[str, TargetAnswer]] | None = None
        self._hover = ""
        """The description of the key at the cursor of the text."""
        self._fixable_problem: Diagnostic | None = None
        """The problem at which the key of a fix is shown."""
        self._skill_files: SkillFiles | None = None
        self._last_report: RunReport | None = None
        """The run that the panes beside the text show."""
        self._settings = EditorSettings()
        self._progress = SurveyProgress(is_searching=True)
        self.panes = Panes(self, os.path.dirname(session.drafts.folder), self._get_reading)

    def compose(self) -> ComposeResult:
        yield Line(Content("skillstudio needs 60 × 16 characters"), id="too-small")
        with Horizontal(id="body"):
            yield self.skills_pane
            with Vertical(id="main"):
                with Pane(id="view-pane"):
                    yield TabBar(self.run_clicked, id="views", classes="-underlined")
                    yield Line(id="banner")
                    yield self.views
                with Pane(id="problems-pane", edge="top"):
                    yield ProblemList(id="problems")
                    yield Line(id="problem")
        yield KeyLine()

    def on_mount(self) -> None:
        self.skills_pane.skill_tree.focus()
        self.refresh_all()
        self.set_interval(DRAFT_PAUSE, self.keep_drafts)
        # Threads that check and watch would delay the first frame.
        self.call_after_refresh(self.skills_pane.scan, self._watch)

    def say(self, text: str, bad: bool = False) -> None:
        """Show a short notice."""
        say(self, text, bad)

    async def ask(self, dialog: Screen[Result]) -> Result:
        """Show a dialog; its answer."""
        return await self.app.push_screen_wait(dialog)

    # Commands.

    async def action_run(self, id_: str, _key: str = "") -> None:
        """Run a command, or say why not. Keys typed before it are handled first.

        Below a dialog nothing runs: a second click on the key line would open two dialogs.
        """
        if self.app.screen is not self:
            return
        await typed_out(self)
        if id_.startswith("file."):
            self.views.settle()
        focused_widget, self._has_asked = self.focused, False
        if off := why_not(id_, self.facts()):
            self.say(f"not now: {off}")
            is_done = True
        else:
            is_done = await self._commands.run(self._handlers[id_](self))
        has_opened = self._has_asked or self._is_in_field or self.focused is not focused_widget
        if is_done and not has_opened and asks(id_):
            self._refuse_text()

    def on_screen_suspend(self) -> None:
        """A command opened a dialog, which gets the keys from now on."""
        self._has_asked = True
        self._commands.release_keys()
        if isinstance(self.app.screen, SingleAnswerScreen):
            self.query_one(KeyLine).show(())  # Its keys are not for the dialog.

    def on_screen_resume(self) -> None:
        if self.is_mounted:
            self._refresh_keys()
            self.follower.focus_changed()

    def run_clicked(self, id_: str) -> None:
        """Run a command that was clicked."""
        self.app.call_later(self.action_run, id_)

    def on_key_line_clicked(self, event: KeyLine.Clicked) -> None:
        self.run_clicked(event.command_id)

    def on_click(self, event: events.Click) -> None:
        """Run the command of a key that was clicked, or do what the banner proposes."""
        if command := event.style.meta.get(COMMAND_META):
            self.run_clicked(str(command))
        elif event.widget is self.query_one("#banner", Line):
            is_deleted = self.open.on_disk.get(self.open.path) is None
            self.run_clicked("file.save" if is_deleted else "file.conflict")

    def on_pane_frame_clicked(self, event: Pane.FrameClicked) -> None:
        """Go to the pane; the targets in the lower edge open their list."""
        pane = self.panes.pane_of(event.pane) or "view"
        if pane == "view" and event.lower:
            self.run_clicked("skill.targets")
        elif pane in ("side", "card"):  # They have no command.
            self.go_to_pane(pane)
        else:
            self.run_clicked(f"pane.{pane}")

    def on_pane_size_dragged(self, event: Pane.SizeDragged) -> None:
        self.panes.set_size(self.panes.pane_of(event.pane) or "", event.size)

    def on_unmount(self) -> None:
        self.panes.keep()
        self.views.close()
        self.session.drafts.close()

    def jump_targets(self) -> list[JumpTarget]:
        """The visible panes, tabs, targets, fields and rows: first what is in the focused list."""
        from skillstudio.tui.screens.jump import JumpTarget, places_in

        targets = []
        for bar in self.query(TabBar):
            if region := bar.region:
                targets += [
                    JumpTarget(region.x + x, region.y, command) for x, _, command in bar.places
                ]
        for pane, command in (
            ("skills-pane", "pane.skills"),
            ("view-pane", "pane.view"),
            ("problems-pane", "pane.problems"),
        ):
            region = self.query_one(f"#{pane}").region
            if region:
                targets.append(JumpTarget(region.x + 1, region.y, command))
        view = self.query_one("#view-pane").region
        if view and self.open.buffer is not None:
            targets.append(JumpTarget(view.right - 5, view.bottom - 1, "skill.targets"))
        facts = self.facts()
        commands = [target for target in targets if not why_not(target.command, facts)]
        fields = [widget for widget in self.focus_chain if widget is not self.views.editor]
        fields.sort(key=lambda widget: widget is not self.focused)
        return [*commands, *(target for widget in fields for target in places_in(widget))]

    def zoom(self) -> None:
        """Show only the focused pane, or all of them again."""
        self.panes.zoom()
        self._refresh_keys()
        if self.focused is not None:
            self.call_after_refresh(self.keep_focus, self.focused)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave undo and redo to a text field, the key that cancels a run to others, and some keys
        to vim."""
        id_ = parameters[0] if action == "run" else ""
        key, editor = parameters[1] if len(parameters) > 1 else "", self.views.editor
        if editor is not None and isinstance(key, str) and editor.takes_from_workbench(key):
            return False
        if id_ in ("run.cancel", "tests.cancel"):
            view = self.views.run_view or self.views.tests_view
            return view is not None and view.is_under_way
        return not (id_ in ("edit.undo", "edit.redo") and self._is_in_field)

    @property
    def is_in_front(self) -> bool:
        """Whether no dialog is open."""
        return self.app.screen is self

    @property
    def is_in_text(self) -> bool:
        """Whether letters are typed into what has the focus."""
        return isinstance(self.focused, Input | TextArea)

    @property
    def _is_in_field(self) -> bool:
        """Whether a text field other than the editor has the focus."""
        return self.is_in_text and self.focused is not self.views.editor

    def facts(self) -> frozenset[str]:
        """The facts that commands need; see `session.commands.REASONS`."""
        conditions = {
            "skills": bool(self.session.workspace.skills),
            "tree-file": self.selected_file is not None,
            "file-step": self._has_file_step,
            "unsaved": bool(self.session.dirty()),
            "fix": self.problem_to_fix is not None or self.skill_to_fix is not None,
            "problems": self.skills_pane.has_faults if self.is_mounted else False,
            "wide": self.has_class("-wide"),
            "editor-program": bool(os.environ.get("VISUAL") or os.environ.get("EDITOR")),
            "tour": self.tour.is_on,
        }
        fact_names = frozenset(name for name, holds in conditions.items() if holds)
        fact_names |= {"undo", "file"} if self.undoes_files else set()
        fact_names |= self.open.facts() | self.views.facts()
        return fact_names | {"problems"} if "problem" in fact_names else fact_names

    @property
    def skill_to_fix(self) -> str | None:
        """The skill that is selected in home, or in the tree beside it, with a problem that has a
        fix."""
        home, tree = self.views.home, self.skills_pane.skill_tree
        if home is not None and home.has_focus:
            return home.here.skill if home.here is not None and home.here.has_fix else None
        if home is None or self.focused is not tree or tree.selected_row is None:
            return None
        entry = self.session.workspace.skills.get(tree.selected_row.skill or "")
        worst = entry.worst if entry is not None and tree.selected_row.skill is not None else None
        return tree.selected_row.skill if worst is not None and worst.has_fix else None

    @property
    def worst_skill(self) -> str | None:
        """The skill to fix first, if none is open, or one without problems."""
        analysis = self.open.analysis
        if self.views.home is None and (analysis is None or analysis.diagnostics):
            return None
        skills = self.session.workspace.skills.values()
        return first_to_fix(entry for entry in skills if entry.path != self.open.skill)

    @property
    def selected_file(self) -> tuple[str, str] | None:
        """The skill and the path of the file or folder that is selected in the tree, or of the open
        file if something else is focused."""
        tree = self.skills_pane.skill_tree if self.is_mounted else None
        if tree is not None and self.focused is tree:
            row = tree.selected_row
            is_file = row is not None and row.file and row.kind != "other"
            return (row.skill or "", row.file) if row is not None and is_file else None
        if self.open.skill is None or self.open.buffer is None:
            return None
        return self.open.skill, self.open.file

    @property
    def skill_files(self) -> SkillFiles:
        """What creates, renames and deletes files."""
        from skillstudio.session.skill_files import SkillFiles

        if self._skill_files is None:
            self._skill_files = SkillFiles(self.session, time.time())
        return self._skill_files

    @property
    def _has_file_step(self) -> bool:
        return self._skill_files is not None and bool(self._skill_files.undo_title)

    @property
    def undoes_files(self) -> bool:
        """Whether undo is for a change of files: the tree is focused, or the last step of the text
        is the paths that a rename updated."""
        if self._skill_files is None or not self._has_file_step:
            return False
        buffer = self.open.buffer
        is_of_text = buffer is not None and self._skill_files.undoes(buffer)
        return is_of_text or self.focused is self.skills_pane.skill_tree

    def _key(self, id_: str) -> str:
        keys = self.keymap.keys[id_]
        return format_key(keys[0]) if keys else ""

    # The open file.

    async def open_file(self, skill: str, file: str = "") -> bool:
        """Open a file of a skill, by default its first manifest, at its worst problem.

        Whether it could be read.
        """
        before = self.open.buffer
        try:
            self.open.load(skill, file)
        except OSError as error:
            self.say(str(error), bad=True)
            return False
        if self.views.on_save is not None and self.views.on_save.skill != skill:
            self.views.on_save = None
        await self.show_view()
        self._tell_apart()
        if self.open.buffer is not before:
            self._go_to_worst()
        self.skills_pane.refresh_skills()
        self.skills_pane.skill_tree.select(skill, self.open.file)
        self.open.analyse_soon()
        if self.offers_drafts:
            self.post_message(self.FileOpened(self, self.open.path))
        return True

    async def reopen(self, skill: str, file: str) -> None:
        """Open a file that was open before, and select it."""
        if await self.open_file(skill, file):
            self.go_to_files()

    def _go_to_worst(self) -> None:
        """Select the worst problem of the open file, and move the cursor to it."""
        problems_, editor = self.query_one(ProblemList), self.views.editor
        worst = problems_.worst_in(self.open.file)
        if worst is not None and worst.span is not None and editor is not None:
            editor.go_to(worst.span.start)
            problems_.point_to(worst)

    async def open_worst(self, skill: str) -> bool:
        """Open a skill at its worst problem, in whatever file that is. Whether it could be read."""
        if not await self.open_file(skill):
            return False
        self.open.analyse_now()
        analysis = self.open.analysis
        first = next(iter(in_order(analysis.diagnostics if analysis else (), self.open.file)), None)
        if first is not None and first.severity != "info":
            await self.show_problem(first)
        return True

    async def go_home(self) -> None:
        """Close the open skill, and show all of the folder; unsaved text stays."""
        if not self.views.settle():
            return
        self.open.close()
        self.query_one(ProblemList).show_problems(None, "")
        self.update_classes(
            {"-open": False, **dict.fromkeys((f"-{name}" for name in _NAMES), False)}
        )
        await self.views.show_home()
        self._shown_analysis = None
        if self.views.home is not None:
            self.views.home.show_survey(self._progress)
        self.skills_pane.refresh_skills()
        self.go_to_pane("view")

    def _make_home(self) -> Home:
        folder = os.path.dirname(self.session.drafts.folder)

        def recent() -> list[str]:
            other_folders = (
                path for path in recent_folders(folder) if path != self.session.workspace.root
            )
            return list(islice(other_folders, _MOST_RECENT))

        return Home(self.session, _OFFERS, recent, self.shown_key, id="home")

    def shown_key(self, id_: str) -> str:
        """The key that runs a command now, "" if none does."""
        return next((format_key(key) for key in self.keymap.keys[id_] if self._works(key, id_)), "")

    async def show_view(self, view: str = "") -> None:
        """Show the open file in a view, by default the one that is shown."""
        if not self.views.settle():
            return
        view = view or self.views.current_view
        self.update_classes({"-open": True, **{f"-{name}": name == view for name in _NAMES}})
        await self.views.show(view)
        self._mark_breaking()
        if self.views.is_git_outdated:
            self.look_at_git()
        self._shown_analysis = None
        self.refresh_all()

    async def go_to_view(self, view: str) -> None:
        """Show a view and focus it."""
        await self.show_view(view)
        self.go_to_pane("view")

    async def switch_view(self, view: str) -> None:
        """Show a view and focus it, except the text: there the next digit would be typed."""
        was_in_text = self.is_in_text
        await self.show_view(view)
        if view != "edit" or was_in_text:
            self.go_to_pane("view")
        elif self.panes.here == "view" or self.has_class("-narrow"):
            self.go_to_files()

    def go_to_files(self) -> None:
        """Select the open file in the tree and focus it, or the problems if the tree is hidden."""
        if self.open.skill is not None:
            self.skills_pane.skill_tree.select(self.open.skill, self.open.file)
        is_alone = self.has_class("-narrow") or self.has_class("-zoomed")
        self.go_to_pane("problems" if is_alone else "skills")

    async def replace(
        self, skill: str, path: str, old: str | None, splices: Sequence[Splice], label: str
    ) -> bool:
        """Change a file as one undo step and show it. Whether its text was still `old`."""
        if not await self.open_file(skill, path) or (buffer := self.open.buffer) is None:
            return False
        if buffer.read_only or buffer.text != old:
            why = buffer.read_only or "the text has changed meanwhile"
            self.say(f"{path} not changed: {why}", bad=True)
            return False
        buffer.replace(splices, label)
        await self.go_to_view("edit")
        return True

    async def go_to_problem(self, diagnostic: Diagnostic) -> None:
        """Move the cursor to a problem, in any file of the skill, and focus the text or form."""
        await self.show_problem(diagnostic)
        self.go_to_pane("view")

    async def show_problem(self, diagnostic: Diagnostic) -> None:
        """Move the cursor to a problem, in any file of the skill, and select it in the list."""
        if self.open.skill is None:
            return
        elsewhere = diagnostic.path and diagnostic.path != self.open.file
        if elsewhere and not await self.open_file(self.open.skill, diagnostic.path):
            return
        form = self.views.form
        if self.views.editor is None and not (form is not None and form.go_to(diagnostic)):
            await self.show_view("edit")
        if self.views.editor is not None:
            self.views.editor.go_to(diagnostic.span.start if diagnostic.span else 0)
        self.query_one(ProblemList).point_to(diagnostic)
        self.refresh_all()

    async def _go_to_place(self, path: str, line: int, column: int = 1) -> None:
        """Show a place of the compared skill in the editor; line and column from 1."""
        from skillstudio.session.comparing.comparing import WORKING_TREE

        comparer = self.views.comparison
        if comparer is None:
            return
        if comparer.sides.new != WORKING_TREE:
            self.say("cannot open files of this version: it is not the working tree")
            return
        await self.go_to_line(path, line, column)

    async def go_to_line(self, path: str, line: int, column: int = 1) -> None:
        """Show a place of the open skill in the editor; line and column from 1."""
        skill = self.open.skill
        if skill is None or (path != self.open.file and not await self.open_file(skill, path)):
            return
        await self.go_to_view("edit")
        if self.views.editor is not None and self.open.buffer is not None:
            self.views.editor.go_to(Source(self.open.buffer.text).offset(line, column))

    def _text_changed(self) -> None:
        self.refresh_all()
        self.views.text_changed()

    def _show_analysis(self, row_changed: bool) -> None:
        if row_changed:
            self.skills_pane.refresh_skills()
        self.refresh_all()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a fault in a worker; it ends nothing else."""
        if event.state is WorkerState.ERROR:
            self.open.analysis_stopped()
            self.say(f"{event.worker.group} stopped: {event.worker.error!r}", bad=True)

    # The disk.

    def _apply_settings(self) -> None:
        """Use the settings of the editor, which the search for skills has read."""
        with suppress(OSError):  # It is reported by the search.
            settings = self.session.workspace.editor_settings()
            if settings != self._settings:
                self._settings = settings
                self.views.use_vim(settings.keys == "vim")
                self.app.post_message(MouseWanted(settings.mouse))

    async def on_skills_found(self, event: SkillsFound) -> None:
        self._apply_settings()
        self._tell_apart()
        alone = event.is_first and (len(event.entries) == 1 or bool(self._first_file))
        if alone:
            skill, file = event.entries[0].path, self._first_file
            if await self.open_file(skill, (file and self._text_to_open(skill, file)) or ""):
                self.go_to_files()
        if event.is_first:
            self.post_message(self.Ready(self))
            if self.follower.is_on:
                await self.follower.turn(True)
        self.follower.skills_found()
        self.refresh_all()

    def on_survey_changed(self, event: SurveyChanged) -> None:
        self._progress = event.progress
        if self.views.home is not None:
            self.views.home.show_survey(event.progress)
            self._refresh_keys()

    def on_disk_events(self, event: DiskEvents) -> None:
        self.look_at_disk(event.paths)

    def look_at_disk(self, paths: frozenset[str]) -> None:
        """Reload clean files that changed on disk, and note conflicts with unsaved ones."""
        for buffer in list(self.session.buffers.values()):
            try:
                splices = self.open.follow_disk(buffer)
            except OSError as error:
                self.say(f"{buffer.path}: {error.strerror or error}", bad=True)
                continue
            if splices is not None and buffer is self.open.buffer:
                if self.views.follow_view is None:
                    self.say(
                        f"{self.open.file} reloaded: {count(len(splices), 'change')} from disk"
                    )
                if self.views.editor is not None:
                    self.views.editor.mark_lines(changed_lines(splices, buffer.text))
        folder = self.open.folder
        if folder and any(path.startswith(folder + os.sep) for path in paths):
            self.disk_changed()
        elif paths:
            self.views.files_changed()
        tester = self.views.tester
        if tester is not None and tester.skill != self.open.skill:
            within = self.session.workspace.path(tester.skill) + os.sep
            if any(path.startswith(within) for path in paths):
                self.views.update_tests()
        self.skills_pane.look_again(paths)
        self.follower.disk_changed(paths)
        self.refresh_all()

    def start_following(self, work: Coroutine[Any, Any, None]) -> None:
        """Follow a change on disk beside the commands of the user."""
        self.run_worker(work, group="follow", exit_on_error=False)

    def on_git_changed(self, _event: GitChanged) -> None:
        self.look_at_git()

    def look_at_git(self) -> None:
        """Read again what is computed from git, which changed elsewhere."""
        self.views.git_changed()
        self.skills_pane.find_changed_again()
        if self.open.buffer is not None:
            self._compare_soon()

    def disk_changed(self) -> None:
        """Read the open skill again although its texts are the same."""
        self.open.disk_changed()
        self.views.disk_changed()

    def keep_drafts(self) -> None:
        """Write drafts of unsaved text, to recover them after a crash."""
        try:
            self.session.keep_drafts(time.time())
        except OSError as error:
            self.say(f"cannot save the draft: {error.strerror or error}", bad=True)

    # Showing.

    def refresh_all(self) -> None:
        """Show title, problems and keys again."""
        if not self.is_mounted:
            return
        self._show_frame()
        self._show_banner()
        self.views.unsaved_changed()
        if self.skills_pane.skill_tree.unsaved_paths != {
            buffer.path for buffer in self.session.dirty()
        }:
            self.skills_pane.refresh_skills()
        problems_ = self.query_one(ProblemList)
        analysis = self.open.analysis
        if (
            analysis is not None
            and self.open.buffer is not None
            and self._shown_analysis is not analysis
        ):
            self._shown_analysis = analysis
            problems_.show_problems(analysis, self.open.file)
            self._mark(analysis)
            self._point_out()
            self._show_whole_problem()
            self.panes.follow()
            self._compare_soon()
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        if not self.is_current:
            return
        self.tour.refresh()
        is_typing = self.is_in_text
        keys = partial(key_hints, keymap=self.keymap, facts=self.facts(), works=self._works)
        end = keys(KEY_LINE_END)
        if self.views.hints:
            hints = [hint for hint in self.views.hints if not (is_typing and len(hint.key) == 1)]
            hints[2:2] = keys(
                ("file.save-skill" if len(self.open.unsaved_buffers) > 1 else "file.save",)
            )
        else:
            hints = [*self._enter_hint(), *keys(KEY_LINES[self.place])]
        form = self.views.form
        if form is not None and form.has_focus_within:
            hints[:0] = form.hints
        elif self.skills_pane.is_filter_open and self.place == "skills":
            hints.insert(not is_typing, KeyHint("esc", "clear the filter", command="app.back"))
        elif self._is_in_field:
            hints.insert(0, KeyHint("esc", "leave the field", command="app.back"))
        self.query_one(KeyLine).show(hints, [*self._last_hints(), *end])
        problems_ = self.query_one(ProblemList)
        export = (hint.key for hint in keys(("skill.export",)))
        problems_.show_export(next(export, "") if problems_.has_focus else "")
        if self.views.home is not None:
            self.views.home.refresh()

    @property
    def place(self) -> str:
        """The part of the screen that has the focus, as `KEY_LINES` names it."""
        if self.focused is self.views.editor and self.focused is not None:
            return "text"
        if self.query_one(ProblemList).has_focus:
            return "problems"
        tree = self.skills_pane.skill_tree
        if self.focused is tree and tree.selected_row is not None and tree.selected_row.file:
            return "files"
        if self.focused is tree or self._is_in_field:
            return "skills"
        return "form" if self.views.form is not None else "home"

    def _enter_hint(self) -> Iterator[KeyHint]:
        """What enter does in a list."""
        tree = self.skills_pane.skill_tree
        row = tree.selected_row
        match self.place:
            case "problems":
                yield KeyHint("enter", "to the text")
            case "skills" | "files" if row is not None and not self._is_in_field:
                if row.skill is None or row.kind == "folder":
                    yield KeyHint("enter", "fold" if tree.is_expanded(row) else "unfold")
                    return
                is_open = (row.skill, row.file) == (self.open.skill, self.open.file)
                yield KeyHint("enter", "to the text" if is_open else "open")
            case "home":
                home = self.views.home
                if home is not None and home.here is not None:
                    yield KeyHint("enter", "open" if not home.here.command else "start")

    def _show_whole_problem(self) -> None:
        """Show what the row of the selected problem leaves out: the whole message where it is
        cut, and what targets make of it."""
        problems_ = self.query_one(ProblemList)
        parts = [problems_.cut_message]
        if problems_.here is not None:
            parts.append(plain(self.at_targets(problems_.here), "dim"))
        apart = Content(" · ")
        self.query_one("#problem", Line).show(apart.join([part for part in parts if part.plain]))

    @property
    def answers(self) -> Mapping[str, TargetAnswer]:
        """What targets do with the open skill; the selected ones if there are any."""
        return self._outcomes(self.open.analysis) if self.open.analysis is not None else {}

    @property
    def refusing_targets(self) -> list[str]:
        """The selected targets that refuse the open skill; with the focus in the problems, those
        that refuse it at the selected one."""
        from skillstudio.present.targets import refusals_at

        problems_ = self.query_one(ProblemList)
        here = problems_.here if problems_.has_focus else None
        if here is not None and here.rule == "target-refused":
            return [answer.target for answer, _ in refusals_at(here, self.answers)]
        return [
            answer.target
            for answer in self.answers.values()
            if answer.is_selected and answer.is_rejection
        ]

    def at_targets(self, diagnostic: Diagnostic) -> str:
        """What the targets that look at the open skill make of a problem, in one line."""
        from skillstudio.present.targets import at_targets

        return at_targets(diagnostic, self.answers)

    def on_rows_selection_moved(self) -> None:
        if self.open.skill is None:
            self.panes.follow()
        self._show_whole_problem()
        if self.problem_to_fix is not self._fixable_problem:
            self._mark_diagnostics()
        self._refresh_keys()

    def _last_hints(self) -> Iterator[KeyHint]:
        """The keys for what is selected in the editor and for what goes on."""
        editor = self.views.editor
        if editor is not None and editor.has_focus and not editor.selection.is_empty:
            yield KeyHint("y" if editor.vim is not None else "^c", "copy")
        if self.panes.is_zoomed:
            yield KeyHint(self.shown_key("pane.zoom"), "all panes", command="pane.zoom")
        if self.follower.is_on:
            yield KeyHint(self._key("app.follow"), "unfollow", command="app.follow")
        if self.views.on_save is not None:
            yield KeyHint(self._key("run.watch"), f"{ON_SAVE} runs on save", command="run.watch")

    def _mark(self, analysis: Analysis) -> None:
        if self.views.form is not None and self.open.is_current:
            self.views.form.refresh_from(analysis)
        if self.views.editor is not None and self.open.is_current:
            self.views.editor.set_skill(analysis.skill, self.open.file)
            self._mark_diagnostics()

    def _mark_diagnostics(self) -> None:
        """Mark the problems in the text, with the key of a fix at the one that it applies to."""
        analysis, editor, fixable_problem = (
            self.open.analysis,
            self.views.editor,
            self.problem_to_fix,
        )
        self._fixable_problem = fixable_problem
        key = self._key("problem.fix")
        self.query_one(ProblemList).show_fix(fixable_problem, key)
        if editor is None or analysis is None or not self.open.is_current:
            return
        from skillstudio.present.description import description_size
        from skillstudio.tui.widgets.editor.shown import ShownDiagnostic

        front = analysis.skill.front
        is_front = front is not None and front.path == self.open.file
        size = description_size(analysis.skill, analysis.name) if is_front else None
        editor.set_remark(size)
        editor.set_diagnostics(
            [
                ShownDiagnostic(
                    *diagnostic.span,
                    diagnostic.severity or "error",
                    diagnostic.message,
                    diagnostic.rule,
                    key if diagnostic is fixable_problem else "",
                    diagnostic.fixes[0].title
                    if diagnostic is fixable_problem and diagnostic.fixes
                    else "",
                )
                for diagnostic in analysis.diagnostics
                if diagnostic.span is not None and diagnostic.path == self.open.file
            ]
        )

    def _show_frame(self) -> None:
        """Show titles, tabs and states in the frames.

        Letters and digits are shown only while no text takes them.
        """
        analysis = self.open.analysis if self.open.buffer is not None else None
        view, problems_ = self.query_one("#view-pane", Pane), self.query_one("#problems-pane", Pane)
        view.label(self._title())
        diagnostics = analysis.diagnostics if analysis is not None else ()
        summary = summary_of(diagnostics)
        self.skills_pane.show_key(self._letter("pane.skills"))
        self._show_edge()
        if analysis is not None:
            hover = self._hover if self.views.editor is not None else ""
            problems_.label(plain(hover), lower=True)
            none = Content.styled("✓", "$text-success")
            head = plain(f"{self._letter('pane.problems')} Problems ".lstrip())
            problems_.label(join(head, summary if summary.plain else none))
        worst = summary.split(" ")[0] if summary.plain else summary
        states = {"edit": worst, **self._live_states(), **self.views.states()}
        nothing = Content("")
        tabs = [Tab(f"view.{id_}", key, name, states.get(id_, nothing)) for id_, key, name in VIEWS]
        way = "esc 1…6" if self.place == "text" else ""
        bar, here = self.query_one("#views", TabBar), f"view.{self.views.current_view}"
        bar.show_tabs(tabs, here, is_typing=self.is_in_text, way=way)
        self.follower.show()

    def _show_edge(self) -> None:
        """Show what targets do with the skill, and where the cursor is; a view may show its own."""
        view, edge = self.query_one("#view-pane", Pane), Content("")
        if self.open.buffer is not None and self.open.analysis is not None:
            key, place = self._letter("skill.targets"), self._text_place()
            room = view.region.width - 6 - place.cell_length
            view_edge = self.views.edge
            has_targets = any(answer.is_selected for answer in self.answers.values())
            is_text = self.views.current_view in ("edit", "form")
            chips = chips_content(self.answers, room, key) if has_targets or is_text else ""
            edge = view_edge if view_edge.plain else join(chips, place)
        view.label(edge, lower=True)

    def note_answers(self, analysis: Analysis, answers: Sequence[TargetAnswer]) -> None:
        """Show what the list of targets found: another skill of the name may take precedence."""
        by_id = {answer.target: answer for answer in answers}
        self._target_answers = analysis, {id_: by_id[id_] for id_ in self._outcomes(analysis)}
        self._show_frame()

    def _outcomes(self, analysis: Analysis) -> Mapping[str, TargetAnswer]:
        """The outcomes at the targets, judged once for each analysis: that takes milliseconds."""
        if self._target_answers is None or self._target_answers[0] is not analysis:
            self._target_answers = analysis, analysis.targets
        return self._target_answers[1]

    @property
    def live_outcome(self) -> ComparisonResult | None:
        """How the open skill differs from its last version; None while that is not known."""
        live = self._live
        return live.outcome if live is not None and live.skill == self.open.skill else None

    def _live_states(self) -> dict[str, Content]:
        """The required bump of the open skill, before its comparison was shown."""
        if self._live is None or self._live.skill != self.open.skill:
            return {}
        from skillstudio.tui.widgets.compare.live import bump_state

        return {"compare": bump_state(self._live.outcome)}

    def _letter(self, id_: str) -> str:
        """The letter that runs a command now, "" if none does."""
        keys = (key for key in self.keymap.keys[id_] if is_typed(key) and self._works(key, id_))
        return next(map(format_key, keys), "")

    def _works(self, key: str, id_: str) -> bool:
        """Whether a key runs a command now, and is not for what has the focus."""
        if is_typed(key) and self.is_in_text:
            return False
        nodes = self.focused.ancestors_with_self if self.focused is not None else [self]
        bindings = [
            binding
            for node in nodes[: nodes.index(self) + 1]
            for binding in node._bindings.key_to_bindings.get(key, ())
        ]
        # Those with priority come first, of the rest the nearest one.
        bindings.sort(key=lambda binding: not binding.priority)
        return bool(bindings) and f"'{id_}'" in bindings[0].action

    def _text_place(self) -> Content:
        """The line and column of the cursor in the text."""
        editor = self.views.editor
        if editor is None or not editor.has_focus:
            return Content("")
        row, column = editor.cursor_location
        return plain(f"  {row + 1}:{column + 1}")

    def _title(self) -> Content:
        if self.open.buffer is None or self.open.analysis is None:
            return plain(self.session.workspace.root)
        parts = [
            join(plain(self.open.analysis.name, "bold"), self._version()),
            plain(self._about_view, "not bold"),
        ]
        if self.open.buffer.read_only:
            parts.append(plain(f"read-only: {self.open.buffer.read_only}", "$text-warning"))
        elif self.open.buffer.dirty:
            parts.append(Content.styled("● unsaved", "$text-warning"))
        if self.open.failure:
            parts.append(plain(f"not checked: {self.open.failure}", "$text-error"))
        if not self.has_class("-narrow"):
            parts += [
                plain(dialect, "not bold $foreground 75%")
                for dialect in self.open.analysis.dialects
            ]
        vim = self.views.editor.vim if self.views.editor is not None else None
        if vim is not None:
            parts.insert(0, plain(vim.status_text, "bold $text-accent"))
        parts = [part for part in parts if part.plain]
        return Content.styled(" · ", "not bold $foreground 75%").join(parts)

    @property
    def _about_view(self) -> str:
        """The open file, or the operation in Run; views of the whole skill have neither."""
        run_view = self.views.run_view
        if run_view is not None:
            return run_view.operation
        return self._file_path if self.views.current_view in ("edit", "form") else ""

    @property
    def _file_path(self) -> str:
        """The path of the open file, with the skill's folder where another skill has its name."""
        folder = self.open.skill if self._is_namesake else ""
        return f"{folder}/{self.open.file}" if folder else self.open.file

    def _tell_apart(self) -> None:
        """Find out whether the open skill's name needs its folder beside it."""
        skills, skill = self.session.workspace.skills, self.open.skill or ""
        name = skills[skill].name if skill in skills else ""
        self._is_namesake = sum(entry.name == name for entry in skills.values()) > 1

    def _version(self) -> Content:
        """The version of the open skill, if it states one."""
        from skillstudio.skill.lookup import stated_version

        analysis = self.open.analysis
        version = stated_version(analysis.skill).version if analysis is not None else ""
        return plain(f" {version}", "not bold $foreground 75%") if version else Content("")

    def _show_banner(self) -> None:
        banner, path = self.query_one("#banner", Line), self.open.path
        banner.set_class(path in self.open.on_disk, "-shown")
        if path not in self.open.on_disk:
            return
        if self.open.on_disk[path] is None:
            key = self._key("file.save") or "ctrl+p"
            text = f"! This file was deleted on disk; its text is still here. {key} writes it again"
        else:
            key = self._key("file.conflict") or "ctrl+p"
            text = f"! This file changed on disk under your changes. {key}: mine, theirs, by hunks"
        banner.show(Content(text))

    # Panes.

    def to_front(self, pane: str) -> None:
        # Each change of classes styles all that is on the screen, so it is one.
        self.update_classes({f"-pane-{name}": name == pane for name in PANES})

    def go_to_pane(self, pane: str) -> None:
        self.to_front(pane)
        target = self.views.to_focus
        if pane == "skills":
            target = self.skills_pane.skill_tree
        elif pane == "problems" and self.open.buffer is not None:
            target = self.query_one(ProblemList)
        elif (side := self.panes.widget(pane)) is not None and pane in ("side", "card"):
            target = side.query_one(Details)
        if target is not None:
            self.set_focus(target)
            self.call_after_refresh(self.keep_focus, target)
        self.refresh_all()

    def keep_focus(self, target: Widget) -> None:
        """Focus again: hiding the previous pane may remove the focus when it is drawn."""
        if self.focused is None and target.is_attached:
            self.set_focus(target)

    def on_resize(self) -> None:
        """Focus again: a terminal that was too small hid the focused widget."""
        self.panes.apply()
        if self._had_focus is not None:
            self.call_after_refresh(self.keep_focus, self._had_focus)
        self.call_after_refresh(self.refresh_all)
        if self.panes.are_sides_wrong:
            self._show_sides()

    @work(group="side", exclusive=True)
    async def _show_sides(self) -> None:
        await self.panes.show_sides()

    def _compare_soon(self) -> None:
        """Compare the open skill with its last version after a pause."""
        from skillstudio.tui.widgets.compare.live import Compared, LiveComparison

        def get_versions() -> Compared | None:
            skill = self.open.skill
            if skill is None:
                return None
            return Compared(self.views.comparing_of(skill), dict(self.session.find_unsaved_texts()))

        if self._live is None:
            self._live = LiveComparison(self, get_versions, self._show_comparison)
        self._live.follow()

    def _show_comparison(self) -> None:
        """Show the required bump at the tab and in the side pane, and what breaks at its lines."""
        self._mark_breaking()
        self._show_frame()
        self.panes.follow()

    def _mark_breaking(self) -> None:
        live, editor = self._live, self.views.editor
        if live is not None and editor is not None and live.skill == self.open.skill:
            places = [place for place in live.breaking_places if place.path == self.open.file]
            editor.set_breaking({place.line - 1: place.text for place in places})

    def _get_reading(self) -> Reading | None:
        """The skill that the panes beside the text show: the open one, else the selected one."""
        from skillstudio.tui.widgets.side import Followed

        analysis = self.open.analysis
        if self.open.skill is not None:
            if analysis is None:
                return None
            targets, report = dict(self._outcomes(analysis)), self.views.report
            outcome, view = self.live_outcome, self.views.current_view
            subject = Followed(analysis.skill, targets, outcome, report, view=view)
            return lambda: subject
        row = self.skills_pane.skill_tree.selected_row
        home = self.views.home
        skill = row.skill if row is not None else None
        if home is not None and home.has_focus and home.here is not None:
            skill = home.here.skill
        return partial(self._read_followed, skill) if skill is not None else None

    def _read_followed(self, path: str) -> Followed:
        """Read a skill that is selected and not open. Runs in a thread. Raises OSError."""
        from skillstudio.skill.outcomes import answer_targets
        from skillstudio.tui.widgets.side import Followed

        skill = self.session.workspace.read(path, self.session.find_unsaved_texts())
        selected_targets = skill.settings.targets
        return Followed(skill, answer_targets(skill, ids=selected_targets or None), is_open=False)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._had_focus = event.widget
        self.follower.focus_changed()
        pane = self.panes.pane_of(event.widget)
        if pane and not self.has_class(f"-pane-{pane}"):
            self.to_front(pane)
        self.refresh_all()

    def next_pane(self) -> None:
        """Focus the next pane."""
        is_open = self.open.buffer is not None
        order = [pane for pane in PANES if self.panes.widget(pane) is not None]
        if not is_open:
            order = order[:2]
        here = self.panes.here
        index = order.index(here) + 1 if here in order else 0
        self.go_to_pane(order[index % len(order)])

    def open_filter(self) -> None:
        """Show the skills with their filter focused."""
        self.to_front("skills")
        self.skills_pane.open_filter()

    def back(self) -> None:
        """Leave a field or the filter, then go to the skills; never quit."""
        if not self.views.leave_field():
            self.skills_pane.close_filter()
            self.go_to_pane("skills")

    # Messages of the widgets.

    def on_skill_tree_laid_out(self) -> None:
        self.panes.apply()
        self._refresh_keys()

    async def on_skill_tree_skill_opened(self, event: SkillTree.SkillOpened) -> None:
        is_open = event.skill == self.open.skill and (
            event.file == self.open.file or (event.is_double and not event.file)
        )
        if is_open:
            if self.views.editor is None and self.views.form is None:
                await self.show_view("edit")  # The tree leads to texts.
            self.go_to_pane("view")
            return
        file = self._text_to_open(event.skill, event.file) if event.file else ""
        if file is None or not await self.open_file(event.skill, file):
            return
        if event.file and self.views.editor is None:
            await self.show_view("edit")
        # Only a second enter goes into the text, where more keys would be typed.
        self.go_to_files()

    def _text_to_open(self, skill: str, file: str) -> str | None:
        """The file that the editor opens; None if it is shown otherwise, or refused."""
        from skillstudio.session.skill_files import FilesRefused, file_to_open

        tree = self.session.workspace.files(skill, self.session.find_unsaved_texts())
        try:
            path, is_editable, note = file_to_open(tree, file)
        except FilesRefused as refusal:
            self.say(str(refusal), bad=True)
            return None
        except OSError as error:
            self.say(f"{file}: {error.strerror or error}", bad=True)
            return None
        if is_editable:
            return path
        from skillstudio.tui.screens.file import FileDialog

        dialog = FileDialog(file, self.session.workspace.path(skill, path), note)
        self.app.push_screen(dialog)
        return None

    async def on_home_row_chosen(self, event: Home.RowChosen) -> None:
        row = event.row
        if row.skill is not None:
            await self.open_worst(row.skill)
            self.go_to_files()
        elif row.command:
            self.run_clicked(row.command)
        else:
            self.post_message(self.FolderChosen(self, row.folder))

    async def on_problem_list_jump_to_problem(self, event: ProblemList.JumpToProblem) -> None:
        if event.diagnostic is not None:
            await self.go_to_problem(event.diagnostic)
        else:
            self.go_to_pane("view")

    def on_problem_list_room_changed(self) -> None:
        self._show_whole_problem()

    async def on_compare_view_jump_to_change(self, event: CompareView.JumpToChange) -> None:
        """Go to the place of a change in the new version, or report its old place."""
        from skillstudio.session.comparing.comparing import SideFailure

        view, about = self.views.compare, event.about
        if view is None or view.outcome is None:
            return
        if isinstance(about, SideFailure):
            place, side, old = about.place, about.side, None
        else:
            place, side, old = about.new_place, "new", about.old_place
        if place is None and old is not None:
            self.say(f"removed; it was at {old.path}:{old.line}:{old.column}")
        elif place is None:
            self.say("this has no place in a file")
        elif side == "old":
            label = view.outcome.old.label
            self.say(f"cannot open {place.path}:{place.line}:{place.column} of {label} here")
        else:
            await self._go_to_place(place.path, place.line, place.column)

    async def on_diff_rows_jump_to_line(self, event: DiffRows.JumpToLine) -> None:
        await self._go_to_place(event.path, event.line)

    def on_skill_view_commands_changed(self) -> None:
        if (tester := self.views.tester) is not None:
            self.skills_pane.skill_tree.show_tests(tester.skill, tester.results)
        if self.views.report is not self._last_report:
            self._last_report = self.views.report
            self.panes.follow()
        self._show_frame()
        self._refresh_keys()

    def _point_out(self) -> None:
        """Select the problem at the view's cursor in the list: commands apply to it."""
        problems_ = self.query_one(ProblemList)
        if not problems_.has_focus:
            problems_.point_to(self.problem)
        if self.problem_to_fix is not self._fixable_problem:
            self._mark_diagnostics()

    def on_manifest_editor_cursor_moved(self) -> None:
        self._point_out()
        self._refresh_keys()
        self._show_edge()

    on_form_view_field_selected = on_manifest_editor_cursor_moved

    def on_manifest_editor_mode_changed(self) -> None:
        self._show_frame()

    async def on_manifest_editor_commands_requested(
        self, event: ManifestEditor.CommandsRequested
    ) -> None:
        if event.text:
            self.say(event.text)
        for id_ in event.ids:
            await self.action_run(id_)

    def on_manifest_editor_hover_changed(self, event: ManifestEditor.HoverChanged) -> None:
        self._hover = event.text
        self.query_one("#problems-pane", Pane).label(plain(event.text), lower=True)

    def on_manifest_editor_leave_requested(self) -> None:
        self.go_to_files()

    @property
    def is_in_view(self) -> bool:
        """Whether the view has the focus."""
        return self.focused is not None and self.views in self.focused.ancestors

    @property
    def is_in_problems(self) -> bool:
        """Whether the list of problems has the focus."""
        return self.query_one(ProblemList).has_focus

    @property
    def problem(self) -> Diagnostic | None:
        """The problem that commands apply to: the one at the cursor of the text or form, else the
        selected one of the list."""
        selected_problem = self.query_one(ProblemList).here
        if self.query_one(ProblemList).has_focus:
            return selected_problem
        if self.views.form is not None:
            return self.views.form.here
        return self._problem_at_cursor() or selected_problem

    def _problem_at_cursor(self) -> Diagnostic | None:
        """The worst problem at the cursor of the text, or else in its line."""
        editor, analysis = self.views.editor, self.open.analysis
        if editor is None or analysis is None:
            return None
        at = editor.cursor_offset
        source = analysis.source(self.open.file)
        here = [d for d in analysis.diagnostics if d.path == self.open.file and d.span is not None]
        near = [d for d in here if d.span and d.span.start <= at <= d.span.end]
        if not near and source is not None:
            line = source.position(at).line
            near = [d for d in here if d.span and source.position(d.span.start).line == line]
        near.sort(key=lambda d: (not d.fixes, list(SEVERITY).index(d.severity or "error")))
        return near[0] if near else None

    @property
    def problem_to_fix(self) -> Diagnostic | None:
        """The problem whose fix a key applies: `problem`, else the next one with a fix."""
        problem, all_ = self.problem, self.query_one(ProblemList).diagnostics
        if problem is not None and problem.fixes:
            return problem
        start = all_.index(problem) if problem in all_ else 0
        return next(
            (diagnostic for diagnostic in (*all_[start:], *all_[:start]) if diagnostic.fixes), None
        )
