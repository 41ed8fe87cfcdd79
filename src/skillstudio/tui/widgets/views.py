"""The views of the open file: its text, its form, a run, a preview, a comparison.

A view is imported and mounted when it is shown for the first time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from skillstudio.session.comparing.comparing import Comparing
from skillstudio.session.session import Session
from skillstudio.tui.open_skill import OpenSkill
from skillstudio.tui.widgets.lines import Line

if TYPE_CHECKING:
    from skillstudio.session.previewing.discovering import Discovering
    from skillstudio.session.previewing.previewing import Previewer
    from skillstudio.session.running.running import Runner
    from skillstudio.tui.widgets.compare.view import CompareView
    from skillstudio.tui.widgets.editor.editor import ManifestEditor
    from skillstudio.tui.widgets.form.view import FormView
    from skillstudio.tui.widgets.preview.view import PreviewView
    from skillstudio.tui.widgets.run.view import RunView

VIEWS = (
    ("edit", "1", "Edit"),
    ("form", "2", "Form"),
    ("run", "3", "Run"),
    ("preview", "4", "Preview"),
    ("compare", "5", "Compare"),
)


class Views(Vertical):
    """Shows one view of the open file at a time."""

    def __init__(
        self,
        session: Session,
        open_: OpenSkill,
        key: Callable[[str], str],
        id: str | None = None,
    ) -> None:
        """`key` gives the shown key of a command, "" if it has none."""
        super().__init__(id=id)
        self._session = session
        self._open = open_
        self._key = key
        self.shown = "edit"
        """The id of the view that is shown."""
        self._editor: ManifestEditor | None = None
        self._form: FormView | None = None
        self._run_view: RunView | None = None
        self._preview_view: PreviewView | None = None
        self._compare: CompareView | None = None
        self.comparing: Comparing | None = None
        self.runner: Runner | None = None
        self.previewer: Previewer | None = None
        self._discovering: Discovering | None = None

    def compose(self) -> ComposeResult:
        yield Line(Content("enter opens the selected skill"), id="nothing")

    # Each of the next five is None unless it is the view that is shown.

    @property
    def editor(self) -> ManifestEditor | None:
        return self._editor if self.shown == "edit" else None

    @property
    def form(self) -> FormView | None:
        return self._form if self.shown == "form" else None

    @property
    def run_view(self) -> RunView | None:
        return self._run_view if self.shown == "run" else None

    @property
    def preview_view(self) -> PreviewView | None:
        return self._preview_view if self.shown == "preview" else None

    @property
    def compare(self) -> CompareView | None:
        return self._compare if self.shown == "compare" else None

    @property
    def discovering(self) -> Discovering:
        """The prompt to match skills against; kept from one dialog to the next."""
        from skillstudio.session.previewing.discovering import Discovering

        if self._discovering is None:
            self._discovering = Discovering(self._session.workspace)
        return self._discovering

    @property
    def to_focus(self) -> Widget | None:
        """The widget to focus in the view that is shown."""
        other = self.form or self.run_view or self.preview_view or self.compare
        return other.to_focus if other is not None else self.editor

    @property
    def cursor_offset(self) -> int:
        """The offset in the text of the cursor of editor or form."""
        if self.form is not None:
            return self.form.offset_here
        return self.editor.cursor_offset if self.editor is not None else 0

    def settle(self) -> bool:
        """Store what is typed in a field of the form. False if it cannot be stored."""
        return self.form is None or self.form.settle()

    def leave_field(self) -> bool:
        """Close or leave the inputs of a run or preview. Whether they were open or focused."""
        view = self.run_view or self.preview_view
        return view is not None and view.leave_field()

    def facts(self) -> frozenset[str]:
        """The facts about the view that commands need; see `session.commands.REASONS`."""
        view = self.run_view or self.preview_view or self.compare
        return view.facts if view is not None else frozenset()

    # Showing a view.

    async def show(self, view: str) -> None:
        """Show a view of the open file; load the file into it."""
        offset = self.cursor_offset
        from_text = self._editor is not None and self.shown != view
        self.shown = view
        for node in self.query("#nothing"):
            await node.remove()
        front: Widget
        if view == "form":
            front = await self._show_form(offset if from_text else None)
        elif view == "run":
            front = await self._show_run()
        elif view == "preview":
            front = await self._show_preview()
        elif view == "compare":
            front = await self._show_compare()
        else:
            front = await self._show_editor(offset)
        for child in self.children:
            child.display = child is front

    async def _show_editor(self, offset: int) -> ManifestEditor:
        from skillstudio.tui.widgets.editor.editor import ManifestEditor

        if self._editor is None:
            self._editor = ManifestEditor(id="editor")
            await self.mount(self._editor)
        buffer = self._open.buffer
        if buffer is not None and self._editor.buffer is not buffer:
            self._editor.load(buffer, self._open.dialect())
        elif offset:
            self._editor.go_to(offset)
        return self._editor

    async def _show_form(self, offset: int | None) -> FormView:
        from skillstudio.tui.widgets.form.view import FormView

        if self._form is None:
            self._form = FormView(id="form")
            await self.mount(self._form)
        if self._open.buffer is not None:
            self._form.load(self._open.buffer, self._open.file, self._open.fresh)
            if offset is not None:
                self._form.go_to_offset(offset)
        return self._form

    async def _show_compare(self) -> CompareView:
        from skillstudio.tui.widgets.compare.view import CompareView

        if self._compare is None:
            self._compare = CompareView(self._key, id="compare")
            await self.mount(self._compare)
        skill = self._open.skill
        if skill is not None:
            if self.comparing is None or self.comparing.skill != skill:
                self.comparing = Comparing(self._session.workspace, skill)
            self._compare.load(self.comparing, self._session.unsaved)
        return self._compare

    async def _show_run(self) -> RunView:
        from skillstudio.tui.widgets.run.view import RunView

        if self._run_view is None:
            self._run_view = RunView(self._key, id="run")
            await self.mount(self._run_view)
        if self._open.skill is not None:
            runner = self._runner_of(self._open.skill)
            await self._run_view.load(runner, lambda: self._open.unsaved_files)
        return self._run_view

    def _runner_of(self, skill: str) -> Runner:
        """The choices for runs of a skill, which run and preview share."""
        from skillstudio.session.running.running import Runner

        if self.runner is None or self.runner.skill != skill:
            runs = os.path.join(os.path.dirname(self._session.drafts.folder), "runs")
            self.runner = Runner(self._session.workspace, skill, os.getcwd(), runs)
        return self.runner

    async def _show_preview(self) -> PreviewView:
        from skillstudio.session.previewing.previewing import Previewer
        from skillstudio.tui.widgets.preview.view import PreviewView

        if self._preview_view is None:
            self._preview_view = PreviewView(self._key, id="preview")
            await self.mount(self._preview_view)
        if self._open.skill is not None:
            runner = self._runner_of(self._open.skill)
            if self.previewer is None or self.previewer.runner is not runner:
                self.previewer = Previewer(runner)
            report = self._run_view.report if self._run_view is not None else None
            if report is not None:
                self.previewer.show_run(report)
            self._preview_view.load(self.previewer, self._session.unsaved)
        return self._preview_view

    # Changes outside the view.

    def text_changed(self) -> None:
        """Update what depends on the text of the open file."""
        if self.compare is not None:
            self.compare.compare_soon()
        if self.preview_view is not None and self.preview_view.subject == "card":
            self.preview_view.look_soon()

    def unsaved_changed(self) -> None:
        """Update what depends on which files are unsaved."""
        view = self.run_view or self.preview_view
        if view is not None:
            view.tell_unsaved()

    def disk_changed(self) -> None:
        """Update what depends on the files on disk."""
        if self.comparing is not None:
            self.comparing.forget()
        if self.compare is not None:
            self.compare.compare_soon()
        if self.runner is not None:
            self.runner.forget()
        view = self.run_view or self.preview_view
        if view is not None:
            view.look_soon()
