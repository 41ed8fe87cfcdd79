"""Follow mode: open the skill that another program writes, and rerun the tests that it touches.

Only tests of operations that the user ran in this workbench run again, and only with isolation.
Unsaved text is never replaced, and a field that the user types into is never taken away.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from skillstudio.present.problems import SIGNS, in_order
from skillstudio.session.following import SkillChange, new_skill, skill_changes
from skillstudio.session.running.state import RunRefused

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from skillstudio.session.comparing.comparing import ComparisonResult
    from skillstudio.session.session import Session
    from skillstudio.session.testing import SampleRow, SampleTester
    from skillstudio.text.diagnostic import Diagnostic
    from skillstudio.tui.open_skill import OpenSkill
    from skillstudio.tui.widgets.follow import FollowedChange, FollowedTests, FollowState
    from skillstudio.tui.widgets.testing import TestsView
    from skillstudio.tui.widgets.views import Views

_MOST_SKILLS = 20  # Changed skills that are remembered.
_MOST_PATHS = 1_000  # Changed paths of no known skill that may be of a new one.


class FollowScreen(Protocol):
    """What is used of the workbench."""

    session: Session
    open: OpenSkill
    views: Views

    @property
    def is_in_front(self) -> bool: ...
    @property
    def is_in_text(self) -> bool: ...
    @property
    def live_outcome(self) -> ComparisonResult | None: ...
    def say(self, text: str, bad: bool = False) -> None: ...
    def refresh_all(self) -> None: ...
    def shown_key(self, id_: str) -> str: ...
    def go_to_files(self) -> None: ...
    def go_to_pane(self, pane: str) -> None: ...
    def start_following(self, work: Coroutine[Any, Any, None]) -> None: ...
    async def open_file(self, skill: str, file: str = "") -> bool: ...
    async def show_view(self, view: str = "") -> None: ...
    async def go_to_view(self, view: str) -> None: ...


class Following:
    """Whether and what the workbench follows."""

    def __init__(self, workbench: FollowScreen, is_on: bool = False) -> None:
        self._workbench = workbench
        self.is_on = is_on
        self.changes: list[FollowedChange] = []
        """The last change of each skill, the newest first."""
        self._stray_paths: frozenset[str] = frozenset()
        """Changed paths of no known skill."""
        self._known_skills: frozenset[str] | None = None
        """The skills of the last search; None before that."""
        self._untested_files: dict[str, set[str]] = {}
        """The changed files whose tests did not run since, by skill."""
        self._tested_skill: str | None = None
        """The skill whose tests the last change touched."""
        self._waiting_paths: frozenset[str] = frozenset()
        """The paths of its samples that only the user may run."""
        self._refusal = ""
        """Why none of its samples can run."""
        self._next_skill: str | None = None
        """The skill to show next."""
        self._delayed_skill: str | None = None
        """The skill to show once the user leaves the text."""
        self._is_busy = False
        self._is_testing = False
        """Whether the active tests were started here."""

    async def turn(self, on: bool) -> None:
        """Begin or end following."""
        self.is_on = on
        workbench = self._workbench
        if not on:
            self._end_tests()
        if on:
            workbench.say("following: shows the skill that another program writes next")
            if workbench.open.skill is not None:
                await workbench.go_to_view("follow")
        elif workbench.views.current_view == "follow" and workbench.open.skill is not None:
            await workbench.show_view("edit")
            workbench.go_to_files()
        workbench.refresh_all()

    # What changed.

    def disk_changed(self, paths: frozenset[str]) -> None:
        """Follow changes of files by other programs."""
        if self.is_on and paths:
            workspace = self._workbench.session.workspace
            changes, stray_paths = skill_changes(paths, workspace.root, workspace.skills)
            self._stray_paths = frozenset([*stray_paths, *self._stray_paths][:_MOST_PATHS])
            self._take(changes)

    def skills_found(self) -> None:
        """Follow skills that are new, and changes that belong to one."""
        workspace = self._workbench.session.workspace
        skills = frozenset(workspace.skills)
        new = skills - (skills if self._known_skills is None else self._known_skills)
        self._known_skills = skills
        if self.is_on:
            changes, _ = skill_changes(self._stray_paths, workspace.root, skills)
            changed_skills = {change.skill for change in changes}
            new_changes = [
                new_skill(skill, workspace.path(skill)) for skill in sorted(new - changed_skills)
            ]
            self._stray_paths = frozenset()
            self._take([*new_changes, *changes])

    def _take(self, changes: Sequence[SkillChange]) -> None:
        from skillstudio.tui.widgets.follow import FollowedChange

        workspace, now = self._workbench.session.workspace, time.strftime("%H:%M:%S")
        changes = [change for change in changes if os.path.isdir(workspace.path(change.skill))]
        for skill, files in changes:
            name, folder = workspace.skills[skill].name or skill, workspace.path(skill)
            existing_files = [file for file in files if os.path.lexists(os.path.join(folder, file))]
            self.changes = [change for change in self.changes if change.skill != skill]
            self.changes.insert(0, FollowedChange(skill, name, tuple(existing_files or files), now))
            del self.changes[_MOST_SKILLS:]
            self._untested_files.setdefault(skill, set()).update(files)
        if changes:
            self._want(changes[-1].skill)

    def focus_changed(self) -> None:
        """Show what changed while the user was typing."""
        if self.is_on and self._delayed_skill is not None and not self._workbench.is_in_text:
            self._want(self._delayed_skill)

    def _want(self, skill: str) -> None:
        self._next_skill = skill
        self._end_tests()
        if not self._is_busy:
            self._is_busy = True
            self._workbench.start_following(self._follow())

    def _end_tests(self) -> None:
        """End the tests that were started here."""
        tests = self._workbench.views.hidden_tests
        if self._is_testing and tests is not None:
            tests.cancel()

    async def _follow(self) -> None:
        """Show and test what changed last, until nothing has changed since."""
        try:
            while self._next_skill is not None and self.is_on:
                skill, self._next_skill = self._next_skill, None
                if await self._open(skill):
                    await self._test(skill)
        finally:
            self._is_busy = False

    async def _open(self, skill: str) -> bool:
        """Open a skill unless the user is typing elsewhere. Whether it is open."""
        workbench = self._workbench
        is_first = workbench.open.skill is None
        if workbench.open.skill == skill:
            self._delayed_skill = None
            workbench.refresh_all()
            return True
        if not workbench.is_in_front or workbench.is_in_text:
            if skill != self._delayed_skill:
                what = "leave the text" if workbench.is_in_front else "close the dialog"
                workbench.say(f"{self.changes[0].name} changed on disk; {what} to see it")
            self._delayed_skill = skill
            return False
        self._delayed_skill = None
        if is_first:
            workbench.views.current_view = "follow"
        if not await workbench.open_file(skill):
            return False
        if workbench.views.current_view == "follow":
            workbench.go_to_pane("view")
        return True

    # Tests.

    async def _test(self, skill: str) -> None:
        """Run the tests that the changed files touch, if they may be run."""
        files = self._untested_files.pop(skill, set())
        if not files:
            return
        tests = await self._workbench.views.loaded_tests_view()
        await tests.wait_until_idle()
        tester = self._workbench.views.tester
        if tester is None or tester.skill != skill:
            return
        tester.runner.forget()
        try:
            allowed_rows, waiting_rows = await asyncio.to_thread(_find_touched_rows, tester, files)
        except RunRefused as error:
            self._tested_skill, self._waiting_paths, self._refusal = skill, frozenset(), str(error)
            self._untested_files[skill] = files
            self._workbench.refresh_all()
            return
        self._tested_skill, self._refusal = skill, ""
        self._waiting_paths = frozenset(row.result.path for row in waiting_rows)
        if allowed_rows and self._next_skill is None:
            self._is_testing = True
            try:
                await self._run(tests, allowed_rows)
            finally:
                self._is_testing = False
        if self._next_skill is not None:
            self._untested_files.setdefault(skill, set()).update(files)
        self._workbench.refresh_all()

    async def _run(self, tests: TestsView, rows: list[SampleRow]) -> None:
        """Run samples once; then those that failed again, so that what differs can be accepted."""
        tests.start(rows, is_quick=True)
        await tests.wait_until_idle()
        failed_rows = [row for row in rows if tests.outcome(row.result.path) == "failed"]
        if failed_rows and self._next_skill is None and self.is_on:
            tests.start(failed_rows)
            await tests.wait_until_idle()

    async def test(self) -> None:
        """Run all samples of the skill that did not pass on the files as they are; from now on
        its samples run without being asked for."""
        tests = await self._workbench.views.loaded_tests_view()
        await tests.wait_until_idle()
        tester = self._workbench.views.tester
        if tester is None:
            return
        try:
            rows = await asyncio.to_thread(tester.look)
            await asyncio.to_thread(tester.allow, rows)
        except RunRefused as error:
            self._workbench.say(f"not run: {error}", bad=True)
            return
        rows = [row for row in rows if row.result.outcome != "passed"]
        if not rows:
            self._workbench.say("nothing to run: every sample passed, or there are none")
            return
        self._waiting_paths = frozenset()
        tests.start(rows)

    # What is shown.

    def show(self) -> None:
        """Show the state of the skill that changed last."""
        view = self._workbench.views.follow_view
        if view is not None:
            from skillstudio.tui.widgets.follow import follow_parts

            view.show_lines(list(follow_parts(self._state())))

    def _state(self) -> FollowState:
        from skillstudio.tui.widgets.follow import FollowState

        workbench = self._workbench
        open_ = workbench.open
        change = next(
            (candidate for candidate in self.changes if candidate.skill == open_.skill), None
        )
        skills = workbench.session.workspace.skills
        earlier = []
        for other in self.changes:
            if other.skill != open_.skill and other.skill in skills:
                worst = skills[other.skill].worst
                earlier.append((other, SIGNS[worst.severity if worst is not None else "ok"]))
        analysis = open_.analysis
        if analysis is None:
            return FollowState(change, earlier=earlier)
        problems = self._problems()
        place = line = ""
        if problems:
            source, (start, _) = analysis.source(problems[0].path), analysis.place(problems[0])
            place = f"{problems[0].path or open_.file}:{start.line}:{start.column}"
            lines = source.text.splitlines() if source is not None else []
            line = lines[start.line - 1] if start.line <= len(lines) else ""
        return FollowState(
            change,
            problems,
            place,
            line,
            workbench.live_outcome,
            self._tests(),
            earlier,
            workbench.shown_key("follow.test"),
        )

    @property
    def worst(self) -> Diagnostic | None:
        """The worst problem of the open skill."""
        return next(iter(self._problems()), None)

    def _problems(self) -> Sequence[Diagnostic]:
        """The problems of the open skill, the worst first."""
        analysis = self._workbench.open.analysis
        diagnostics = analysis.diagnostics if analysis is not None else ()
        return in_order(diagnostics, self._workbench.open.file)

    def _tests(self) -> FollowedTests:
        from skillstudio.tui.widgets.follow import FollowedTests

        workbench = self._workbench
        tests = workbench.views.hidden_tests
        if tests is None or tests.skill != workbench.open.skill:
            return FollowedTests()
        if tests.skill != self._tested_skill:
            return FollowedTests(tests.results, tests.active)
        return FollowedTests(tests.results, tests.active, self._waiting_paths, self._refusal)


def _find_touched_rows(
    tester: SampleTester, files: set[str]
) -> tuple[list[SampleRow], list[SampleRow]]:
    """The samples that changed files touch: those that may run, and the others. Raises
    RunRefused."""
    rows = tester.find_touched_rows(files)
    allowed_rows = [row for row in rows if tester.is_allowed(row)]
    return allowed_rows, [row for row in rows if row not in allowed_rows]
