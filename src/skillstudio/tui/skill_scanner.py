"""Looking through the workspace in the background: finding, checking and watching skills."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.worker import get_current_worker

from skillstudio.files.temporary import is_temporary
from skillstudio.manifest.registry import carriers, registry
from skillstudio.session.workspace import SkillEntry, Workspace
from skillstudio.settings.settings import FILE
from skillstudio.tui.messages import DiskEvents, SinceFound, SkillsChecked, SkillsFound

if TYPE_CHECKING:
    from textual.widget import Widget

BATCH_SECONDS = 0.1
"""How long results are gathered before they are shown."""
_NOTHING_YET = 500
"""Milliseconds without a change until the watch says that it has begun."""
_UNWATCHED = {".git", "node_modules", "__pycache__", ".venv"}


def _telling_files() -> set[str]:
    """The names of files that make a folder a skill or set what its checks are, in lower case."""
    return {file.lower() for file in (*carriers(), FILE)}


class SkillScanner:
    """Background work that posts its results to a widget."""

    def __init__(self, widget: Widget, workspace: Workspace) -> None:
        self._widget = widget
        self._workspace = workspace
        self._done = 0
        self._total = 0
        self._stop = threading.Event()

    def start(self) -> None:
        """Find the skills and check each; a survey that is under way gives way to it."""
        self._run(self._look, "survey")

    def _run(self, work: Callable[[], None], group: str) -> None:
        self._widget.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    def cancel(self) -> None:
        """Stop checking; what was found stays."""
        self._widget.workers.cancel_group(self._widget, "survey")
        self._done = self._total = 0

    def progress(self) -> Content:
        """How far it is, while it is under way."""
        if self._done >= self._total:
            return Content("")
        return Content.styled(f" · checked {self._done} of {self._total}", "dim")

    def checked(self, event: SkillsChecked) -> None:
        """Take note of the progress."""
        self._done, self._total = event.done, event.total

    def _look(self) -> None:
        worker = get_current_worker()
        found = self._workspace.find(lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            faults = [*registry().unusable, *self._workspace.settings_faults()]
            faults += self._workspace.folders_passed_over()
            self._widget.post_message(SkillsFound(found, faults))
            self._check(found)

    def _check(self, found: Iterable[SkillEntry]) -> None:
        worker = get_current_worker()
        entries = list(found)
        batch: list[SkillEntry] = []
        sent = time.monotonic()
        for done, entry in enumerate(entries, 1):
            if worker.is_cancelled:
                return
            batch.append(self._workspace.examine(entry))
            time.sleep(0)  # Lets the screen have its turn: a thread gives way only when it must.
            if time.monotonic() - sent > BATCH_SECONDS or done == len(entries):
                self._widget.post_message(SkillsChecked(batch, done, len(entries)))
                batch, sent = [], time.monotonic()

    def look_again(self, paths: frozenset[str]) -> None:
        """Check again what some changed files belong to."""
        if not _telling_files().isdisjoint(os.path.basename(path).lower() for path in paths):
            self._workspace.forget_settings()
            self.start()
            return
        skills = self._workspace.skills
        touched = [
            entry
            for skill, entry in skills.items()
            if any(path.startswith(self._workspace.path(skill) + os.sep) for path in paths)
        ]
        if touched:
            self._run(partial(self._check, touched), "survey-again")

    def find_changed(self, ref: str) -> None:
        """Ask git which skills changed since a revision."""
        self._run(partial(self._ask_git, ref), "since")

    def _ask_git(self, ref: str) -> None:
        from skillstudio.files.git import GitError

        try:
            self._widget.post_message(SinceFound(ref, self._workspace.find_changed(ref)))
        except GitError as error:
            self._widget.post_message(SinceFound(ref, frozenset(), str(error)))

    def watch(self) -> None:
        """Follow the disk from now on, until `close`."""
        self._run(self._follow, "watch")

    def close(self) -> None:
        """Let the watching thread end."""
        self._stop.set()

    def _follow(self) -> None:
        # In a thread: to begin watching a large tree takes seconds.
        from watchfiles import watch

        def wanted(_change: object, path: str) -> bool:
            parts = path.split(os.sep)
            return _UNWATCHED.isdisjoint(parts) and not any(map(is_temporary, parts))

        begun = False
        for changes in watch(
            self._workspace.root,
            watch_filter=wanted,
            step=50,
            debounce=300,
            rust_timeout=_NOTHING_YET,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
        ):
            # Once without a change: no event tells what changed before the watch began.
            if changes or not begun:
                self._widget.post_message(DiskEvents(frozenset(path for _, path in changes)))
            begun = True
