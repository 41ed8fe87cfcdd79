"""The view of the open file: its text, a form, a run of the skill, what comes of it, or what
changed in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.widget import Widget

from skillstudio.session.buffer import BufferChange
from skillstudio.session.commands.keymap import Keymap, shown
from skillstudio.session.comparing.comparing import WORKING, Comparing
from skillstudio.session.comparing.rows import why_not_waived
from skillstudio.session.session import Session
from skillstudio.tui.command_runner import CommandRunner
from skillstudio.tui.widgets.lines import Line, tabs

if TYPE_CHECKING:
    from skillstudio.session.previewing.discovering import Discovering
    from skillstudio.session.previewing.previewing import Previewer
    from skillstudio.session.running.running import Runner
    from skillstudio.skill.analysis import Analysis
    from skillstudio.tui.widgets.compare import CompareView
    from skillstudio.tui.widgets.editor import ManifestEditor
    from skillstudio.tui.widgets.form import FormView
    from skillstudio.tui.widgets.preview import PreviewView
    from skillstudio.tui.widgets.run import RunView

VIEWS = (
    ("edit", "1", "Edit"),
    ("form", "2", "Form"),
    ("run", "3", "Run"),
    ("preview", "4", "Preview"),
    ("compare", "5", "Compare"),
)


class Views(CommandRunner):
    """Mounts the view that is asked for, and no other before."""

    def __init__(self, session: Session, keymap: Keymap, file: str) -> None:
        super().__init__(session, keymap, file)
        self._editor: ManifestEditor | None = None
        self._form: FormView | None = None
        self._compare: CompareView | None = None
        self._comparing: Comparing | None = None
        self._run_view: RunView | None = None
        self._runner: Runner | None = None
        self._preview_view: PreviewView | None = None
        self._previewer: Previewer | None = None
        self._discovering: Discovering | None = None
        self._told: Analysis | None = None
        """The analysis that is shown."""

    @property
    def editor(self) -> ManifestEditor | None:
        return self._editor if self.view == "edit" else None

    @property
    def form(self) -> FormView | None:
        return self._form if self.view == "form" else None

    @property
    def compare(self) -> CompareView | None:
        return self._compare if self.view == "compare" else None

    @property
    def comparing(self) -> Comparing | None:
        return self._comparing

    @property
    def run_view(self) -> RunView | None:
        """The run view, where it is the one that is shown."""
        return self._run_view if self.view == "run" else None

    @property
    def runner(self) -> Runner | None:
        return self._runner

    @property
    def preview_view(self) -> PreviewView | None:
        """The preview, where it is the view that is shown."""
        return self._preview_view if self.view == "preview" else None

    @property
    def previewer(self) -> Previewer | None:
        return self._previewer

    @property
    def discovering(self) -> Discovering:
        """The prompt that skills are looked for by; it is kept from one look to the next."""
        from skillstudio.session.previewing.discovering import Discovering

        if self._discovering is None:
            self._discovering = Discovering(self.session.workspace)
        return self._discovering

    @property
    def view_focus(self) -> Widget | None:
        """What takes the focus for the view."""
        if self.form is not None:
            return self.form.to_focus
        if self.run_view is not None:
            return self.run_view.to_focus
        if self.preview_view is not None:
            return self.preview_view.to_focus
        return self.compare.to_focus if self.compare is not None else self.editor

    async def show_view(self, view: str = "") -> None:
        if not self.settle():
            return
        place = self.place
        moved = place if self._editor is not None and self.view != (view or self.view) else None
        self.view = view or self.view
        others = ("form", "run", "preview", "compare")
        self.update_classes({"-open": True, **{f"-{each}": each == self.view for each in others}})
        for node in self.query("#nothing"):
            await node.remove()
        front: Widget
        if self.view == "form":
            front = await self._show_form(moved)
        elif self.view == "run":
            front = await self._show_run()
        elif self.view == "preview":
            front = await self._show_preview()
        elif self.view == "compare":
            front = await self._show_compare()
        else:
            front = await self._show_editor(place)
        for child in self.query_one("#view").children:
            child.display = child is front
        self.query_one("#views", Line).show(tabs(list(VIEWS), self.view))
        self._told = None
        self.refresh_all()

    async def _show_editor(self, place: int) -> ManifestEditor:
        from skillstudio.tui.widgets.editor import ManifestEditor

        if self._editor is None:
            self._editor = ManifestEditor(id="editor")
            await self.query_one("#view").mount(self._editor)
        if self.buffer is not None and self._editor.buffer is not self.buffer:
            self._editor.load(self.buffer, self.dialect())
        elif self.form is None and place:
            self._editor.go_to(place)
        return self._editor

    async def _show_form(self, place: int | None) -> FormView:
        from skillstudio.tui.widgets.form import FormView

        if self._form is None:
            self._form = FormView(id="form")
            await self.query_one("#view").mount(self._form)
        if self.buffer is not None:
            self._form.load(self.buffer, self.file, self.fresh)
            if place is not None:
                self._form.go_to_offset(place)
        return self._form

    async def _show_compare(self) -> CompareView:
        from skillstudio.tui.widgets.compare import CompareView

        if self._compare is None:
            self._compare = CompareView(self._key, id="compare")
            await self.query_one("#view").mount(self._compare)
        if self.skill is not None:
            if self._comparing is None or self._comparing.skill != self.skill:
                self._comparing = Comparing(self.session.workspace, self.skill)
            self._compare.load(self._comparing, self.session.unsaved)
        return self._compare

    async def _show_run(self) -> RunView:
        from skillstudio.tui.widgets.run import RunView

        if self._run_view is None:
            self._run_view = RunView(self._key, id="run")
            await self.query_one("#view").mount(self._run_view)
        if self.skill is not None:
            await self._run_view.load(self._runner_of(self.skill), self._unsaved_files)
        return self._run_view

    def _runner_of(self, skill: str) -> Runner:
        """What is chosen for runs of a skill: run and preview share it."""
        from skillstudio.session.running.running import Runner

        if self._runner is None or self._runner.skill != skill:
            runs = os.path.join(os.path.dirname(self.session.drafts.folder), "runs")
            self._runner = Runner(self.session.workspace, skill, os.getcwd(), runs)
        return self._runner

    async def _show_preview(self) -> PreviewView:
        from skillstudio.session.previewing.previewing import Previewer
        from skillstudio.tui.widgets.preview import PreviewView

        if self._preview_view is None:
            self._preview_view = PreviewView(self._key, id="preview")
            await self.query_one("#view").mount(self._preview_view)
        if self.skill is not None:
            runner = self._runner_of(self.skill)
            if self._previewer is None or self._previewer.runner is not runner:
                self._previewer = Previewer(runner)
            report = self._run_view.report if self._run_view is not None else None
            if report is not None:
                self._previewer.show_run(report)
            self._preview_view.load(self._previewer, self.session.unsaved)
        return self._preview_view

    def _unsaved_files(self) -> list[str]:
        """The names of the open skill's files with text that is not on disk."""
        folder = "" if self.skill is None else self.session.workspace.path(self.skill)
        return [
            os.path.relpath(buffer.path, folder)
            for buffer in self.session.dirty()
            if folder and buffer.path.startswith(folder + os.sep)
        ]

    def _changed(self, change: BufferChange) -> None:
        super()._changed(change)
        if self.compare is not None:
            self.compare.compare_soon()
        if self.preview_view is not None and self.preview_view.subject == "card":
            self.preview_view.look_soon()

    def disk_changed(self) -> None:
        super().disk_changed()
        if self._comparing is not None:
            self._comparing.forget()
        if self.compare is not None:
            self.compare.compare_soon()
        if self._runner is not None:
            self._runner.forget()
        if self.run_view is not None:
            self.run_view.look_soon()
        if self.preview_view is not None:
            self.preview_view.look_soon()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys that end a run are the screen's and the fields' own while none goes on."""
        if action == "run" and parameters[0] == "run.cancel":
            return self.run_view is not None and self.run_view.is_under_way
        return super().check_action(action, parameters)

    def facts(self) -> frozenset[str]:
        run = self.run_view
        if run is not None:
            found = {
                "run": True,
                "idle": not run.is_under_way,
                "run-active": run.is_under_way,
                "operations": run.has_operations,
                "report": run.report is not None,
            }
            return super().facts() | {name for name, holds in found.items() if holds}
        if self.preview_view is not None:
            return super().facts() | self.preview_view.facts
        compare, comparing = self.compare, self._comparing
        if compare is None or comparing is None:
            return super().facts()
        change, outcome = compare.change, compare.outcome
        found = {
            "compare": True,
            "change": change is not None,
            "waivable": change is not None and not why_not_waived(change),
            "bump": outcome is not None and bool(outcome.bump_to or outcome.no_bump),
            "new-is-open": comparing.sides.new == WORKING,
        }
        return super().facts() | {name for name, holds in found.items() if holds}

    def _key(self, id_: str) -> str:
        keys = self.keymap.keys[id_]
        return shown(keys[0]) if keys else ""
