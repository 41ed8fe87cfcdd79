"""The views of the open file, each imported and mounted when it is shown for the first time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from skillstudio.session.session import Session
from skillstudio.tui.open_skill import OpenSkill
from skillstudio.tui.widgets.home import Home
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.skill_view import SkillView
from skillstudio.tui.words import join

if TYPE_CHECKING:
    from skillstudio.dryrun.report import RunReport
    from skillstudio.session.comparing.comparing import SkillComparer
    from skillstudio.session.previewing.previewing import Previewer
    from skillstudio.session.running.running import Runner
    from skillstudio.session.testing import SampleTester
    from skillstudio.tui.widgets.compare.view import CompareView
    from skillstudio.tui.widgets.editor.editor import ManifestEditor
    from skillstudio.tui.widgets.follow import FollowView
    from skillstudio.tui.widgets.form.view import FormView
    from skillstudio.tui.widgets.preview.view import PreviewView
    from skillstudio.tui.widgets.run.view import RunView
    from skillstudio.tui.widgets.testing import TestsView

VIEWS = (
    ("edit", "1", "Edit"),
    ("form", "2", "Form"),
    ("run", "3", "Run"),
    ("preview", "4", "Preview"),
    ("compare", "5", "Compare"),
    ("tests", "6", "Tests"),
)


ON_SAVE = "↻"
"""The sign of an operation that runs again on each save."""
View = TypeVar("View", bound=Widget)
_PAUSE = 1.0  # Seconds without a change after which a hidden comparison follows.


@dataclass
class RunOnSave:
    """The skill whose last operation runs again on each save."""

    skill: str
    accepted_reasons: tuple[str, ...]  # What the user agreed to, as the plan asks for it.
    is_busy: bool = False  # Whether a run, or its plan, is active.
    is_wanted: bool = False  # Whether something was saved since that run was planned.


class Views(Vertical):
    """Shows one view of the open file at a time."""

    def __init__(
        self,
        session: Session,
        open_: OpenSkill,
        key: Callable[[str], str],
        home: Callable[[], Home],
        id: str | None = None,
    ) -> None:
        """`key` returns the shown key of a command, "" if it has none; `home` makes what is shown
        while no skill is open."""
        super().__init__(id=id)
        self._make_home = home
        self._session = session
        self._open = open_
        self._key = key
        self.current_view = "edit"
        """The id of the view that is shown."""
        self.is_vim = False
        """Whether the editor has the keys of vim."""
        # Each of the next seven is None unless it is the view that is shown.
        self.editor: ManifestEditor | None = None
        self.form: FormView | None = None
        self.run_view: RunView | None = None
        self.preview_view: PreviewView | None = None
        self.compare: CompareView | None = None
        self.tests_view: TestsView | None = None
        self.follow_view: FollowView | None = None
        self.tester: SampleTester | None = None
        self.comparison: SkillComparer | None = None
        self.runner: Runner | None = None
        self._runners: dict[str, Runner] = {}
        self._testers: dict[str, SampleTester] = {}
        self.previewer: Previewer | None = None
        self._mounted_run_view: RunView | None = None
        self._mounted_compare: CompareView | None = None
        self._mounted_tests: TestsView | None = None
        self._pause: Timer | None = None
        self.on_save: RunOnSave | None = None

    def compose(self) -> ComposeResult:
        yield self._make_home()

    @property
    def home(self) -> Home | None:
        """What is shown while no skill is open."""
        return next(iter(self.query(Home)), None)

    async def show_home(self) -> None:
        """Show no view of a file."""
        self.editor = self.form = self.run_view = self.preview_view = self.compare = None
        self.tests_view = self.follow_view = None
        for child in self.children:
            child.display = False
        if self.home is None:
            await self.mount(self._make_home())

    @property
    def to_focus(self) -> Widget | None:
        """The widget to focus in the view that is shown."""
        other = self.form or self._skill_view
        return other.to_focus if other is not None else self.editor or self.home

    @property
    def cursor_offset(self) -> int:
        """The offset in the text of the cursor of editor or form."""
        if self.form is not None:
            return self.form.offset_here
        return self.editor.cursor_offset if self.editor is not None else 0

    @property
    def _skill_view(
        self,
    ) -> RunView | PreviewView | CompareView | TestsView | FollowView | None:
        """The view that is shown, if it is neither the text nor the form."""
        return (
            self.run_view
            or self.preview_view
            or self.compare
            or self.tests_view
            or self.follow_view
        )

    def use_vim(self, on: bool) -> None:
        """Turn the keys of vim in the editor on or off."""
        self.is_vim = on
        if self.editor is not None:
            self.editor.use_vim(on)

    def settle(self) -> bool:
        """Store the text of an open field of the form. False if it cannot be stored."""
        return self.form is None or self.form.settle()

    def leave_field(self) -> bool:
        """Close or leave the inputs of a run or preview. Whether they were open or focused."""
        view = self.run_view or self.preview_view or self.tests_view
        return view is not None and view.leave_field()

    def facts(self) -> frozenset[str]:
        """The facts about the view that commands need; see `session.commands.REASONS`."""
        view = self._skill_view
        return view.facts if view is not None else frozenset()

    def states(self) -> dict[str, Content]:
        """What the tabs of views show: the last run, what it changed, the bump, the samples."""
        states: dict[str, Content] = {}
        for child in self.children:
            if isinstance(child, SkillView) and child.skill == self._open.skill:
                states = {**child.tab_states, **states, child.id or "": child.tab_state}
        if self.on_save is not None:
            sign = Content.styled(ON_SAVE, "$text-accent")
            states["run"] = join(sign, states.get("run", Content("")))
        return states

    @property
    def edge(self) -> Content:
        """What the view that is shown has for the lower edge of the frame."""
        view = self.preview_view
        return view.edge if view is not None else Content("")

    @property
    def hints(self) -> Iterable[KeyHint]:
        """The keys of the view that is shown, while the focus is in it."""
        view = self._skill_view
        return view.hints if view is not None and view.has_focus_within else ()

    async def show(self, view: str) -> None:
        """Show a view of the open file; load the file into it."""
        offset = self.cursor_offset
        in_text = offset if self.editor is not None else None
        self.current_view = view
        self.editor = self.form = self.run_view = self.preview_view = self.compare = None
        self.tests_view = self.follow_view = None
        if self.home is not None:
            await self.home.remove()
        match view:
            case "form":
                await self._show_form(in_text)
            case "run":
                await self._show_run()
            case "preview":
                await self._show_preview()
            case "compare":
                await self._show_compare()
            case "tests":
                await self._show_tests()
            case "follow":
                await self._show_follow()
            case _:
                await self._show_editor(offset)
        for child in self.children:
            child.display = child.id == view

    async def _ensure_view(self, view: type[View], *values: Any) -> View:
        """Return the view of a class; create it when it is shown for the first time."""
        for child in self.children:
            if isinstance(child, view):
                return child
        new_view = view(*values, id=self.current_view)
        await self.mount(new_view)
        return new_view

    async def _show_editor(self, offset: int) -> None:
        from skillstudio.tui.widgets.editor.editor import ManifestEditor

        editor = self.editor = await self._ensure_view(ManifestEditor)
        editor.use_vim(self.is_vim)
        buffer = self._open.buffer
        if buffer is not None and editor.buffer is not buffer:
            editor.load(buffer, self._open.dialect())
        elif buffer is not None and editor.path != buffer.path:
            # The file was renamed, maybe to one of another language.
            offset = editor.cursor_offset
            editor.load(buffer, self._open.dialect())
            editor.go_to(offset)
        elif offset:
            editor.go_to(offset)

    async def _show_form(self, offset: int | None) -> None:
        from skillstudio.tui.widgets.form.view import FormView

        form = self.form = await self._ensure_view(FormView)
        if self._open.buffer is not None:
            form.load(self._open.buffer, self._open.file, self._open.fresh)
            if offset is not None:
                form.go_to_offset(offset)

    async def _show_compare(self) -> None:
        from skillstudio.tui.widgets.compare.view import CompareView

        self.compare = self._mounted_compare = await self._ensure_view(CompareView, self._key)
        skill = self._open.skill
        if skill is not None:
            self.compare.load(self.comparing_of(skill), self._session.find_unsaved_texts)

    def comparing_of(self, skill: str) -> SkillComparer:
        """Return the two versions of a skill that are compared."""
        from skillstudio.session.comparing.comparing import SkillComparer

        if self.comparison is None or self.comparison.skill != skill:
            self.comparison = SkillComparer(self._session.workspace, skill)
        return self.comparison

    @property
    def report(self) -> RunReport | None:
        """The report that the Run view shows."""
        run_view = self._mounted_run_view
        return run_view.report if run_view is not None else None

    async def _show_run(self) -> None:
        self.run_view = await self.loaded_run_view()

    async def loaded_run_view(self) -> RunView:
        """The view of runs of the open skill, which may be hidden."""
        from skillstudio.tui.widgets.run.view import RunView

        view = self._mounted_run_view
        if view is None:
            view = self._mounted_run_view = RunView(self._key, id="run")
            view.display = self.current_view == "run"
            await self.mount(view)
        if self._open.skill is not None:
            await view.load(
                self.runner_of(self._open.skill),
                lambda: self._open.unsaved_files,
                lambda: self.on_save is not None,
            )
        return view

    def close(self) -> None:
        """Remove what was written for runs."""
        for runner in self._runners.values():
            runner.close()

    def runner_of(self, skill: str) -> Runner:
        """Return the choices for runs of a skill, which run and preview share."""
        from skillstudio.session.running.running import Runner

        if self.runner is not None and self.runner.skill == skill:
            return self.runner
        runner = self._runners.get(skill)
        if runner is None:
            runs = os.path.join(os.path.dirname(self._session.drafts.folder), "runs")
            runner = self._runners[skill] = Runner(
                self._session.workspace, skill, os.getcwd(), runs
            )
        runner.forget()
        self.runner = runner
        return runner

    async def _show_preview(self) -> None:
        from skillstudio.session.previewing.previewing import Previewer
        from skillstudio.tui.widgets.preview.view import PreviewView

        self.preview_view = await self._ensure_view(PreviewView, self._key)
        if self._open.skill is not None:
            runner = self.runner_of(self._open.skill)
            if self.previewer is None or self.previewer.runner is not runner:
                self.previewer = Previewer(runner)
            run_view = self._mounted_run_view
            if run_view is not None and run_view.report is not None:
                self.previewer.show_run(run_view.report)
            self.preview_view.load(self.previewer, self._session.find_unsaved_texts)

    async def _show_tests(self) -> None:
        self.tests_view = await self.loaded_tests_view()

    async def loaded_tests_view(self) -> TestsView:
        """The view of the samples of the open skill, which may be hidden."""
        from skillstudio.session.testing import SampleTester
        from skillstudio.tui.widgets.testing import TestsView

        view = self._mounted_tests
        if view is None:
            view = self._mounted_tests = TestsView(self._key, id="tests")
            view.display = self.current_view == "tests"
            await self.mount(view)
        skill = self._open.skill
        if skill is not None:
            runner = self.runner_of(skill)
            self.tester = self._testers.setdefault(skill, SampleTester(runner))
            view.load(self.tester, lambda: self._open.unsaved_files)
        return view

    @property
    def hidden_run_view(self) -> RunView | None:
        """The view of runs, which may be hidden; None before it is needed."""
        return self._mounted_run_view

    @property
    def hidden_tests(self) -> TestsView | None:
        """The view of samples, which may be hidden; None before it is needed."""
        return self._mounted_tests

    async def _show_follow(self) -> None:
        from skillstudio.tui.widgets.follow import FollowView

        self.follow_view = await self._ensure_view(FollowView, self._key)

    def text_changed(self) -> None:
        """Update the view after a change of the open file's text."""
        self._compare_again()
        if self.preview_view is not None and self.preview_view.subject == "card":
            self.preview_view.refresh_soon()

    def _compare_again(self) -> None:
        """Compare again: at once if the view is shown; its tab waits for a pause in typing."""
        compare = self._mounted_compare
        if self._pause is not None:
            self._pause.stop()
        if self.compare is not None:
            self.compare.refresh_soon()
        elif compare is not None and compare.skill == self._open.skill:
            self._pause = self.set_timer(_PAUSE, compare.refresh_soon)

    def _comparings(self) -> list[SkillComparer]:
        """The versions that the Compare view, its tab and the side pane show."""
        compare = self._mounted_compare
        pairs = (self.comparison, compare.comparer if compare is not None else None)
        return [comparer for comparer in dict.fromkeys(pairs) if comparer is not None]

    @property
    def is_git_outdated(self) -> bool:
        """Whether git changed since something was read from it. For any thread; starts no git."""
        return any(comparer.is_outdated for comparer in self._comparings())

    def git_changed(self) -> None:
        """Compare again after a commit, tag or branch was made elsewhere. The tab shows it, too."""
        for comparer in self._comparings():
            comparer.forget()
        if self._mounted_compare is not None:
            self._mounted_compare.refresh_soon()

    def unsaved_changed(self) -> None:
        """Update the view after a change of the unsaved files."""
        view = self.run_view or self.preview_view or self.tests_view
        if view is not None:
            view.show_unsaved()

    def disk_changed(self) -> None:
        """Update the view after a change on disk."""
        if self.comparison is not None:
            self.comparison.forget()
        self._compare_again()
        if self.runner is not None:
            self.runner.forget()
        view = self.run_view or self.preview_view or self.tests_view
        if view is not None:
            view.refresh_soon()
        tests = self._mounted_tests
        if tests is not None and tests is not view and tests.skill == self._open.skill:
            tests.refresh_soon()  # Its tab shows which results are outdated.

    def update_tests(self) -> None:
        """Update the states of tests whose files changed while another skill is open."""
        if self.tester is not None and self._mounted_tests is not None:
            self.tester.runner.forget()
            self._mounted_tests.refresh_soon()

    def files_changed(self) -> None:
        """Update the view after a change on disk outside of the skill, where outputs may be."""
        if self.preview_view is not None:
            self.preview_view.refresh_soon()
