"""The pane of the skills: their list, the filter, and the scan behind both."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from skillstudio.session.session import Session
from skillstudio.session.workspace import since
from skillstudio.tui.messages import SinceFound, SkillsChecked, SkillsFound
from skillstudio.tui.open_skill import OpenSkill
from skillstudio.tui.skill_scanner import SkillScanner
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.skill_tree import SkillTree
from skillstudio.tui.words import joined, say

NO_SKILL = Content("no skill here; N begins one, O opens another folder")
NO_MATCH = Content("no skill fits; esc shows all")


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
        known = len(self._session.workspace.skills)
        counts = f"{found} of {known}" if self.filter else f"{found}"
        self.query_one("#skills-head", Line).show(
            joined(Content.styled("Skills ", "bold"), counts, self._scanner.progress())
        )

    # The filter.

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

    # The scan.

    def scan(self, watch: bool = False) -> None:
        """Find and check the skills, and with `watch` follow the disk from now on."""
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
