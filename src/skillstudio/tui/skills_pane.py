"""The workbench's view of what lies around the open file: the skills, their filter, the disk."""

from __future__ import annotations

from abc import abstractmethod

from textual.content import Content
from textual.widgets import Input

from skillstudio.session.commands.keymap import Keymap
from skillstudio.session.session import Session
from skillstudio.session.workspace import since
from skillstudio.tui.bench import Bench
from skillstudio.tui.commands import files, navigation
from skillstudio.tui.messages import DiskEvents, SinceFound, SkillsChecked, SkillsFound
from skillstudio.tui.skill_scanner import SkillScanner
from skillstudio.tui.widgets.lines import Line
from skillstudio.tui.widgets.skill_tree import SkillTree
from skillstudio.tui.words import joined

NO_SKILL = Content("no skill here; N begins one, O opens another folder")
NO_MATCH = Content("no skill fits; esc shows all")


class SkillsPane(Bench):
    """Finds, checks, filters and watches the skills."""

    def __init__(self, session: Session, keymap: Keymap, file: str) -> None:
        super().__init__(session, keymap)
        self._first_file = file
        self._scanner = SkillScanner(self, session.workspace)
        self._settings_faults: set[str] = set()

    def on_unmount(self) -> None:
        self._scanner.close()

    @abstractmethod
    def to_front(self, pane: str) -> None:
        """Bring a pane to the front without the focus."""

    def refresh_skills(self) -> None:
        if not self.is_mounted:
            return
        unsaved = self.session.unsaved_skills()
        workspace = self.session.workspace
        found = workspace.matching(self.filter, unsaved)
        tree = self.query_one(SkillTree)
        tree.empty = NO_MATCH if self.filter else NO_SKILL
        tree.show_skills(found, unsaved, self.skill, self.file)
        self._show_skills_head(len(found))

    def _show_skills_head(self, found: int) -> None:
        known = len(self.session.workspace.skills)
        counts = f"{found} of {known}" if self.filter else f"{found}"
        self.query_one("#skills-head", Line).show(
            joined(Content.styled("Skills ", "bold"), counts, self._scanner.progress())
        )

    # The filter.

    async def open_filter(self) -> None:
        self.to_front("skills")
        field = self.query_one("#filter", Input)
        field.add_class("-shown")
        self.call_after_refresh(field.focus)

    def _set_filter(self, text: str, open_: bool = True) -> None:
        field = self.query_one("#filter", Input)
        if field.value != text:
            field.value = text
        field.set_class(open_ or bool(text), "-shown")
        self.filter = text
        self.refresh_skills()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "filter":
            self.filter = event.value
            self.refresh_skills()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "filter":
            ref = since(event.value)
            if ref and ref != self.session.workspace.since:
                self._scanner.find_changed(ref)
            self._set_filter(event.value, open_=False)
            self.query_one(SkillTree).focus()

    def on_since_found(self, event: SinceFound) -> None:
        if event.reason:
            self.say(event.reason, bad=True)
        else:
            self.session.workspace.since = event.ref
            self.session.workspace.changed = event.skills
            self.refresh_skills()

    def take_in(self, folder: str) -> str | None:
        """Put a skill that was made into the list, past every filter; its path there."""
        skill = self.session.workspace.add(folder)
        if skill is not None:
            self._set_filter("", open_=False)
            self._scanner.start()
        return skill

    # The survey and the disk.

    async def on_skills_found(self, event: SkillsFound) -> None:
        first = not self.session.workspace.skills and self.skill is None
        self.session.workspace.take(event.entries)
        self.refresh_skills()
        for fault in event.faults:
            if fault not in self._settings_faults:
                self.say(fault, bad=True)
        self._settings_faults = set(event.faults)
        alone = first and (len(event.entries) == 1 or bool(self._first_file))
        if alone and await self.open_file(event.entries[0].path, self._first_file):
            self.go_to_pane("view")
        if first:
            self.run_worker(navigation.offer_drafts(self), group="commands", exit_on_error=False)
        self.refresh_all()

    def on_skills_checked(self, event: SkillsChecked) -> None:
        self._scanner.checked(event)
        skills = self.session.workspace.skills
        new = [each for each in event.entries if each.path in skills and each.path != self.skill]
        skills.update((each.path, each) for each in new)
        if self.filter:
            self.refresh_skills()
        else:
            self.query_one(SkillTree).update_skills(new)
            self._show_skills_head(len(skills))

    def on_disk_events(self, event: DiskEvents) -> None:
        self.look_at_disk(event.paths)

    def look_at_disk(self, paths: frozenset[str]) -> None:
        """Take in what changed on disk: clean buffers follow, dirty ones are only told of it."""
        files.look_at_disk(self, paths)
        self._scanner.look_again(paths)
        self.refresh_skills()
        self.refresh_all()

    def keep_drafts(self) -> None:
        """Write down unsaved text for the case of a crash."""
        try:
            self.session.keep_drafts(self._scanner.now())
        except OSError as error:
            self.say(f"the draft could not be kept: {error.strerror or error}", bad=True)

    async def reload(self) -> None:
        self.session.workspace.forget_settings()
        self.say("looking for skills again")
        self._scanner.start()
        self.disk_changed()

    async def cancel(self) -> None:
        going = bool(self._scanner.progress())
        self._scanner.cancel()
        self.say("stopped checking" if going else "nothing is being checked")
        self.refresh_skills()
