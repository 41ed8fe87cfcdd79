"""The workbench: skills, the open file, its problems."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from skillstudio.session.commands.keymap import Keymap, shown
from skillstudio.session.session import Session
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.tui.commands import comparing, files, navigation, previewing, problems, running
from skillstudio.tui.views import VIEWS, Views
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.key_line import KeyLine
from skillstudio.tui.widgets.lines import Line, tabs
from skillstudio.tui.widgets.problems import ProblemList, ProblemsHead, summary_of
from skillstudio.tui.widgets.skill_tree import SkillTree
from skillstudio.tui.words import SEVERITY, plain

if TYPE_CHECKING:
    from skillstudio.session.moving import Verb
    from skillstudio.skill.analysis import Analysis
    from skillstudio.tui.widgets.compare import CompareView
    from skillstudio.tui.widgets.compare.diff import DiffRows
    from skillstudio.tui.widgets.editor import ManifestEditor
    from skillstudio.tui.widgets.run import RunView

PANES = (("skills", "s", "Skills"), ("view", "e", "Text"), ("problems", "p", "Problems"))
_NAMES = {id_: name for id_, _, name in VIEWS if id_ != "edit"}
DRAFT_PAUSE = 0.5
"""Seconds between looks for unsaved text to keep."""


class Workbench(Views):
    """Lays out the bench and runs its commands."""

    CSS_PATH = "workbench.tcss"
    DEFAULT_CLASSES = "-pane-skills"
    AUTO_FOCUS = "#skills"

    def __init__(
        self, session: Session, keymap: Keymap, file: str = "", watch: bool = True
    ) -> None:
        """`file` is the one to open first, in the skill at the workspace's root."""
        super().__init__(session, keymap, file)
        self._watch = watch
        self._had_focus: Widget | None = None

    def compose(self) -> ComposeResult:
        yield Line(Content("skillstudio needs 60 × 16 characters"), id="too-small")
        yield Line(id="panes")
        with Horizontal(id="body"):
            with Vertical(id="skills-pane"):
                yield Line(Content("Skills"), id="skills-head")
                yield EntryLine(placeholder="text, state:error, since:HEAD", id="filter")
                yield SkillTree(id="skills")
            with Vertical(id="main"):
                yield Line(id="title")
                yield Line(tabs(list(VIEWS), "edit"), id="views")
                yield Line(id="banner")
                with Vertical(id="view"):
                    yield Line(Content("enter opens the selected skill"), id="nothing")
                yield Line(id="hover")
                with Vertical(id="problems-pane"):
                    yield ProblemsHead(id="problems-head")
                    yield ProblemList(id="problems")
        yield KeyLine(self.keymap)

    def on_mount(self) -> None:
        self.query_one(SkillTree).focus()
        self.refresh_all()
        self.set_interval(DRAFT_PAUSE, self.keep_drafts)
        # Threads that check and watch would hold the first frame up.
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        self._scanner.start()
        if self._watch:
            self._scanner.watch()

    # Commands.

    async def carry_out(self, id_: str) -> None:
        await HANDLERS[id_](self)

    # Showing.

    def refresh_all(self) -> None:
        if not self.is_mounted:
            return
        self.query_one("#title", Line).show(self._title())
        self.query_one("#panes", Line).show(tabs(self._panes(), self._pane()))
        self._show_banner()
        if self.run_view is not None:
            self.run_view.tell_unsaved()
        if self.preview_view is not None:
            self.preview_view.tell_unsaved()
        if self.query_one(SkillTree).unsaved != self.session.unsaved_skills():
            self.refresh_skills()
        problems_ = self.query_one(ProblemList)
        analysis = self.analysis
        if analysis is not None and self.buffer is not None and self._told is not analysis:
            self._told = analysis
            problems_.show_problems(analysis, self.file)
            self.query_one(ProblemsHead).show(analysis.diagnostics, analysis.targets)
            self._mark(analysis)
            self._point_out()
        self.query_one(KeyLine).show(self.facts())

    def _mark(self, analysis: Analysis) -> None:
        if self.form is not None and self.current:
            self.form.refresh_from(analysis)
        from skillstudio.tui.widgets.editor.shown import ShownDiagnostic

        if self.editor is not None and self.current:
            self.editor.set_skill(analysis.skill, self.file)
            self.editor.set_diagnostics(
                [
                    ShownDiagnostic(*each.span, each.severity or "error", each.message, each.rule)
                    for each in analysis.diagnostics
                    if each.span is not None and each.path == self.file
                ]
            )

    def _title(self) -> Content:
        if self.buffer is None or self.analysis is None:
            return plain(self.session.workspace.root)
        parts = [plain(self.analysis.name, "bold")]
        parts.append(plain(self.file))
        parts += [plain(dialect, "dim") for dialect in self.analysis.dialects]
        if summary := summary_of(self.analysis.diagnostics):
            parts.append(summary)
        if self.buffer.read_only:
            parts.append(plain(f"read-only: {self.buffer.read_only}", "$text-warning"))
        elif self.buffer.dirty:
            parts.append(Content.styled("✎ unsaved", "$text-warning"))
        if self.failure:
            parts.append(plain(f"not checked: {self.failure}", "$text-error"))
        return Content(" · ").join(parts)

    def _show_banner(self) -> None:
        banner = self.query_one("#banner", Line)
        here = self.buffer is not None and self.buffer.path in self.on_disk
        banner.set_class(here, "-shown")
        if here and self.buffer is not None:
            banner.show(Content(self._banner(self.on_disk[self.buffer.path])))

    def _banner(self, there: bytes | None) -> str:
        if there is None:
            key = shown((self.keymap.keys["file.save"] or ("ctrl+p",))[0])
            return f"! This file is gone from disk; its text is still here. {key} writes it again"
        key = shown((self.keymap.keys["file.conflict"] or ("ctrl+p",))[0])
        return f"! This file changed on disk under your changes. {key}: mine, theirs, by hunks"

    # Panes.

    def _panes(self) -> list[tuple[str, str, str]]:
        """The panes as the tabs of a narrow screen, the middle one called by what it shows."""
        other = _NAMES.get(self.view, "")
        return [(id_, key, (id_ == "view" and other) or name) for id_, key, name in PANES]

    def _pane(self) -> str:
        return next((id_ for id_, _, _ in PANES if self.has_class(f"-pane-{id_}")), "skills")

    def to_front(self, pane: str) -> None:
        # Each change of classes styles all that is on the screen, so it is one.
        self.update_classes({f"-pane-{id_}": id_ == pane for id_, _, _ in PANES})

    def go_to_pane(self, pane: str) -> None:
        self.to_front(pane)
        target = self.view_focus
        if pane == "skills":
            target = self.query_one(SkillTree)
        elif pane == "problems" and self.buffer is not None:
            target = self.query_one(ProblemList)
        if target is not None:
            self.set_focus(target)
            self.call_after_refresh(self._keep_focus, target)
        self.refresh_all()

    def _keep_focus(self, target: Widget) -> None:
        """Hiding the pane before may take the focus away once more when it is drawn."""
        if self.focused is None and target.is_attached:
            self.set_focus(target)

    def on_resize(self) -> None:
        """A terminal that was too small took the focus from what it hid."""
        if self._had_focus is not None:
            self.call_after_refresh(self._keep_focus, self._had_focus)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._had_focus = event.widget
        for node in event.widget.ancestors_with_self:
            pane = {"skills-pane": "skills", "view": "view", "problems-pane": "problems"}.get(
                node.id or ""
            )
            if pane and not self.has_class(f"-pane-{pane}"):
                self.to_front(pane)
        self.refresh_all()

    async def next_pane(self) -> None:
        order = [id_ for id_, _, _ in PANES if id_ == "skills" or self.buffer is not None]
        here = self._pane()
        index = order.index(here) + 1 if here in order else 0
        self.go_to_pane(order[index % len(order)])

    async def back(self) -> None:
        """Out of a field, out of the filter, then to the skills; never out of the program."""
        if self.run_view is not None and self.run_view.leave_field():
            return
        if self.preview_view is not None and self.preview_view.leave_field():
            return
        if self.query_one("#filter", Input).has_class("-shown"):
            self._set_filter("", open_=False)
        self.go_to_pane("skills")

    # What the widgets say.

    async def on_skill_tree_skill_opened(self, event: SkillTree.SkillOpened) -> None:
        if await self.open_file(event.skill, event.file):
            self.go_to_pane("view")

    async def on_problem_list_jump_to_problem(self, event: ProblemList.JumpToProblem) -> None:
        await problems.jump(self, event.diagnostic)

    def on_form_frame_field_selected(self) -> None:
        self._point_out()
        self.query_one(KeyLine).show(self.facts())

    def on_compare_view_change_selected(self) -> None:
        self.query_one(KeyLine).show(self.facts())

    async def on_compare_view_jump_to_change(self, event: CompareView.JumpToChange) -> None:
        await comparing.jump(self, event.about)

    async def on_diff_rows_jump_to_line(self, event: DiffRows.JumpToLine) -> None:
        await comparing.go_to(self, event.path, event.line)

    def on_split_view_commands_changed(self) -> None:
        self.query_one(KeyLine).show(self.facts())

    def on_run_view_say(self, event: RunView.Say) -> None:
        self.say(event.text, event.bad)

    def _point_out(self) -> None:
        """Mark the problem in the list that the view's cursor is at: commands mean that one."""
        problems_ = self.query_one(ProblemList)
        if not problems_.has_focus:
            problems_.point_to(self.problem)

    def on_manifest_editor_cursor_moved(self) -> None:
        self._point_out()
        self.query_one(KeyLine).show(self.facts())

    def on_manifest_editor_hover_changed(self, event: ManifestEditor.HoverChanged) -> None:
        self.query_one("#hover", Line).show(plain(event.text))

    def on_manifest_editor_leave_requested(self) -> None:
        self.go_to_pane("skills")

    @property
    def problem(self) -> Diagnostic | None:
        if self.query_one(ProblemList).has_focus:
            return self.query_one(ProblemList).here
        if self.form is not None:
            return self.form.here
        editor, analysis = self.editor, self.analysis
        if editor is None or analysis is None:
            return None
        at = editor.cursor_offset
        source = analysis.source(self.file)
        here = [d for d in analysis.diagnostics if d.path == self.file and d.span is not None]
        near = [d for d in here if d.span and d.span.start <= at <= d.span.end]
        if not near and source is not None:
            line = source.position(at).line
            near = [d for d in here if d.span and source.position(d.span.start).line == line]
        near.sort(key=lambda d: (not d.fixes, list(SEVERITY).index(d.severity or "error")))
        return near[0] if near else None

    async def quit(self) -> None:
        if await navigation.may_leave(self):
            self.app.exit(0)


def _view(view: str) -> Callable[[Workbench], Awaitable[None]]:
    async def show(bench: Workbench) -> None:
        await bench.show_view(view)
        bench.go_to_pane("view")

    return show


def _to(pane: str) -> Callable[[Workbench], Awaitable[None]]:
    async def go(bench: Workbench) -> None:
        bench.go_to_pane(pane)

    return go


async def _save_all(bench: Workbench) -> None:
    await files.save_all(bench)


async def _new(bench: Workbench) -> None:
    from skillstudio.tui.commands.new import begin

    await begin(bench)


def _moving(verb: Verb) -> Callable[[Workbench], Awaitable[None]]:
    async def move(bench: Workbench) -> None:
        from skillstudio.tui.commands.moving import MOVES

        await MOVES[verb](bench)

    return move


async def _pack(bench: Workbench) -> None:
    from skillstudio.tui.commands.pack import pack

    await pack(bench)


async def _theme(bench: Workbench) -> None:
    from skillstudio.tui.commands.themes import choose

    await choose(bench)


def _in_editor(action: str) -> Callable[[Workbench], Awaitable[None]]:
    async def go(bench: Workbench) -> None:
        await bench.show_view("edit")
        bench.go_to_pane("view")
        if bench.editor is not None:
            await bench.editor.run_action(action)

    return go


HANDLERS: dict[str, Callable[[Workbench], Awaitable[None]]] = {
    "file.save": files.save,
    "file.save-all": _save_all,
    "file.conflict": files.conflict,
    "file.external": files.external,
    "file.copy": files.copy,
    "file.copy-path": files.copy_path,
    "edit.undo": files.undo,
    "edit.redo": files.redo,
    "problem.next": problems.following,
    "problem.previous": problems.previous,
    "problem.fix": problems.fix,
    "problem.copy": problems.copy,
    "problem.explain": problems.explain,
    "skill.filter": Workbench.open_filter,
    "skill.rescan": Workbench.reload,
    "skill.cancel": Workbench.cancel,
    "skill.new": _new,
    "skill.migrate": _moving("migrate"),
    "skill.convert": _moving("convert"),
    "skill.export": _moving("export"),
    "skill.pack": _pack,
    "skill.goto": navigation.go_to_skill,
    "editor.complete": _in_editor("complete"),
    "editor.find": _in_editor("find"),
    "editor.go-to-line": _in_editor("go_to_line"),
    "editor.outline": _in_editor("outline"),
    "view.edit": _view("edit"),
    "view.form": _view("form"),
    "view.run": _view("run"),
    **running.HANDLERS,
    "view.preview": _view("preview"),
    **previewing.HANDLERS,
    "view.compare": _view("compare"),
    "compare.old": comparing.choose_old,
    "compare.new": comparing.choose_new,
    "compare.text": comparing.texts,
    "compare.waive": comparing.waive,
    "compare.bump": comparing.bump,
    "pane.skills": _to("skills"),
    "pane.view": _to("view"),
    "pane.problems": _to("problems"),
    "pane.next": Workbench.next_pane,
    "theme.choose": _theme,
    "app.back": Workbench.back,
    "app.open": navigation.open_folder,
    "app.quit": Workbench.quit,
}
"""What each command of the table does; help and palette are the screen's own, and the wizard's
commands belong to its screen."""
