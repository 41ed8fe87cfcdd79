"""The state of the workbench and the few things that everything it does is made of."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, TextArea
from textual.worker import Worker, WorkerState

from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.session.commands.keymap import Keymap
from skillstudio.session.session import Session
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.safe import safe_text
from skillstudio.tui.messages import Analysed, AnalysisFailed

if TYPE_CHECKING:
    from textual.widget import Widget

    from skillstudio.session.wizard.wizard import Wizard
    from skillstudio.skill.analysis import Analysis
    from skillstudio.tui.widgets.editor import ManifestEditor
    from skillstudio.tui.widgets.form import FormView

INLINE_LINES = 500
"""A text of so many lines is checked between two keystrokes; a longer one in a thread."""
Stamp = tuple[tuple[str, int], ...]


class Bench(Screen[None]):
    """What is open, and what is known of it. What is laid out where is a subclass's."""

    def __init__(self, session: Session, keymap: Keymap) -> None:
        super().__init__()
        self.session = session
        self.keymap = keymap
        self.skill: str | None = None
        self.file = ""
        self.buffer: Buffer | None = None
        self.analysis: Analysis | None = None
        self.view = "edit"
        """The view that is shown: `edit` or `form`."""
        self.filter = ""
        self.on_disk: dict[str, bytes | None] = {}
        """Files that changed on disk under unsaved changes: what they are now, None if gone."""
        self.wizard: Wizard | None = None
        """The new skill that was begun and is not made yet: its answers are kept."""
        self.failure = ""
        """Why the open skill could not be checked."""
        self._stamp: Stamp | None = None
        self._due = False
        self._busy = False
        self._unsubscribe: Callable[[], None] | None = None

    # What a subclass shows.

    @abstractmethod
    def refresh_all(self) -> None:
        """Show the state anew: title, problems, footer."""

    @abstractmethod
    def refresh_skills(self) -> None:
        """Show the list of skills anew."""

    @abstractmethod
    async def show_view(self, view: str = "") -> None:
        """Put the open file in the middle, as `edit` or `form`, by default as it was."""

    @abstractmethod
    def go_to_pane(self, pane: str) -> None:
        """Bring `skills`, `view` or `problems` to the front and focus it."""

    @property
    @abstractmethod
    def editor(self) -> ManifestEditor | None:
        """The editor, where it is the view that is shown."""

    @property
    @abstractmethod
    def form(self) -> FormView | None:
        """The form, where it is the view that is shown."""

    @property
    @abstractmethod
    def problem(self) -> Diagnostic | None:
        """The problem that commands mean: under the cursor of the text or of the list."""

    # Words to the user.

    def say(self, text: str, bad: bool = False) -> None:
        """A short notice; never markup."""
        self.notify(
            safe_text(text),
            severity="error" if bad else "information",
            markup=False,
            timeout=8 if bad else 3,
        )

    def settle(self) -> bool:
        """Keep what is typed in a field of the form. False where it cannot be kept as it is."""
        return self.form is None or self.form.settle()

    @property
    def place(self) -> int:
        """Where in the text the view's cursor stands."""
        if self.form is not None:
            return self.form.offset_here
        return self.editor.cursor_offset if self.editor is not None else 0

    def typing(self) -> bool:
        """Whether a line of text is being typed that is not the file."""
        focused = self.focused
        return isinstance(focused, Input) or (
            isinstance(focused, TextArea) and focused is not self._editing()
        )

    def _editing(self) -> Widget | None:
        editor = self.editor
        focused = self.focused
        if editor is None or focused is None:
            return None
        return focused if focused is editor or editor in focused.ancestors else None

    # Opening.

    async def open_file(self, skill: str, file: str = "") -> bool:
        """Open a file of a skill, its first manifest by default. Whether it could be."""
        analysis = self.analysis
        if skill != self.skill or analysis is None:
            try:
                analysis = self.session.workspace.analyse(skill, self.session.unsaved())
            except OSError as error:
                self.say(f"{skill or self.session.workspace.tree.name}: {_reason(error)}", bad=True)
                return False
            self.session.workspace.note(skill, analysis)
        told = [each.path for each in analysis.manifests]
        told += [each.path for each in analysis.diagnostics if each.path]
        file = file or next(iter(told), "SKILL.md")
        try:
            buffer = self.session.open(skill, file)
        except OSError as error:
            self.say(f"{file}: {_reason(error)}", bad=True)
            return False
        self.skill, self.file, self.buffer, self.failure = skill, file, buffer, ""
        self.analysis, self._stamp = analysis, None
        if self._unsubscribe:
            self._unsubscribe()
        self._unsubscribe = buffer.subscribe(self._changed)
        await self.show_view()
        self.refresh_skills()
        self.analyse_soon()
        return True

    def dialect(self) -> str:
        """The id of the last manifest in the open file: the one with the most to say."""
        manifests = self.analysis.manifests if self.analysis else ()
        found = [m.dialect.id for m in manifests if m.path == self.file]
        return found[-1] if found else ""

    def _changed(self, _change: BufferChange) -> None:
        self.analyse_soon()
        self.refresh_all()

    # Checking.

    def stamp(self) -> Stamp:
        """The versions of all texts that an analysis of now would read."""
        return tuple((path, buffer.version) for path, buffer in self.session.buffers.items())

    @property
    def current(self) -> bool:
        """Whether the analysis is of the texts as they are."""
        return self._stamp == self.stamp()

    def fresh(self) -> Analysis | None:
        """The analysis of the texts as they are; None where they cannot be checked."""
        self.analyse_now()
        return self.analysis if self.current and not self.failure else None

    def analyse_soon(self) -> None:
        """Check the open skill when the keys at hand are dealt with; the last text wins."""
        if not self._due:
            self._due = True
            self.call_later(self._analyse)

    def analyse_now(self) -> None:
        """Check the open skill at once, where the analysis is of other texts."""
        if self.skill is None or self.current:
            return
        stamp = self.stamp()
        try:
            analysis = self.session.workspace.analyse(self.skill, self.session.unsaved())
        except OSError as error:
            self._take_failure(self.skill, _reason(error))
        else:
            self._take(self.skill, analysis, stamp)

    def disk_changed(self) -> None:
        """Check the open skill again though its texts are the same."""
        self._stamp = None
        self.analyse_soon()

    def _analyse(self) -> None:
        self._due = False
        if self.skill is None or self.current:
            return
        if self.buffer is None or self.buffer.text.count("\n") <= INLINE_LINES:
            self.analyse_now()
        elif not self._busy:
            self._busy = True
            work = partial(
                self._analyse_in_thread, self.skill, self.session.unsaved(), self.stamp()
            )
            self.run_worker(work, thread=True, group="analysis", exit_on_error=False)

    def _analyse_in_thread(self, skill: str, unsaved: dict[str, str], stamp: Stamp) -> None:
        try:
            analysis = self.session.workspace.analyse(skill, unsaved)
        except OSError as error:
            self.post_message(AnalysisFailed(skill, _reason(error)))
        else:
            self.post_message(Analysed(skill, analysis, stamp))

    def on_analysed(self, message: Analysed) -> None:
        self._busy = False
        self._take(message.skill, message.analysis, message.stamp)
        self.analyse_soon()

    def on_analysis_failed(self, message: AnalysisFailed) -> None:
        self._busy = False
        self._take_failure(message.skill, message.reason)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault in a worker is told and costs no more than its own work."""
        if event.state is WorkerState.ERROR:
            self._busy = False
            self.say(f"{event.worker.group} stopped: {event.worker.error!r}", bad=True)

    def _take(self, skill: str, analysis: Analysis, stamp: Stamp) -> None:
        if skill != self.skill:
            return
        self.analysis, self._stamp, self.failure = analysis, stamp, ""
        before = self.session.workspace.skills.get(skill)
        if self.session.workspace.note(skill, analysis) != before:
            self.refresh_skills()
        self.refresh_all()

    def _take_failure(self, skill: str, reason: str) -> None:
        if skill == self.skill:
            self._stamp, self.failure = self.stamp(), reason
            self.refresh_all()

    # What holds now.

    def facts(self) -> frozenset[str]:
        """The facts that commands need; see `session.commands.REASONS`."""
        buffer = self.buffer
        problem = self.problem
        changed = buffer is not None and buffer.path in self.on_disk
        gone = buffer is not None and changed and self.on_disk[buffer.path] is None
        found = {
            "skills": bool(self.session.workspace.skills),
            "file": buffer is not None,
            "writable": buffer is not None and not buffer.read_only,
            "dirty": gone or (buffer is not None and buffer.dirty),
            "unsaved": bool(self.session.dirty()),
            "undo": buffer is not None and bool(buffer.undo_label),
            "redo": buffer is not None and bool(buffer.redo_label),
            "problem": self.analysis is not None and bool(self.analysis.diagnostics),
            "fix": problem is not None and bool(problem.fixes),
            "changed-on-disk": changed,
            "editor-program": bool(os.environ.get("VISUAL") or os.environ.get("EDITOR")),
        }
        return frozenset(name for name, holds in found.items() if holds)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def content_of(text: str) -> Content:
    """A text of several lines, safe and never markup."""
    return Content(safe_text(text, keep_newlines=True))
