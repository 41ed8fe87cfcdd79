"""Find, check and watch the skills of the workspace in the background."""

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

BATCH_SECONDS = 0.1  # How long results are collected before they are shown.
_START_MS = 500  # Milliseconds without a change until the watch reports that it has started.
_UNWATCHED = {".git", "node_modules", "__pycache__", ".venv"}


class SkillScanner:
    """Background work that posts its results to a widget."""

    def __init__(self, widget: Widget, workspace: Workspace) -> None:
        self._widget = widget
        self._workspace = workspace
        self._done = 0
        self._total = 0
        self._stop = threading.Event()

    def start(self) -> None:
        """Find the skills and check each; cancel an active survey."""
        self._run(self._look, "survey")

    def _run(self, work: Callable[[], None], group: str) -> None:
        self._widget.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    def cancel(self) -> None:
        """Stop checking; keep the results."""
        self._widget.workers.cancel_group(self._widget, "survey")
        self._done = self._total = 0

    def progress(self) -> Content:
        """The progress of an active survey, else nothing."""
        if self._done >= self._total:
            return Content("")
        return Content.styled(f" · checked {self._done} of {self._total}", "dim")

    def checked(self, event: SkillsChecked) -> None:
        """Update the progress."""
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
            time.sleep(0)  # Let the thread of the screen run.
            if time.monotonic() - sent > BATCH_SECONDS or done == len(entries):
                self._widget.post_message(SkillsChecked(batch, done, len(entries)))
                batch, sent = [], time.monotonic()

    def look_again(self, paths: frozenset[str]) -> None:
        """Check the skills of changed files; find all skills if one may be new or deleted."""
        found_by = {file.lower() for file in (*carriers(), FILE)}
        if not found_by.isdisjoint(os.path.basename(path).lower() for path in paths):
            self._workspace.forget_settings()
            self.start()
            return
        touched = [
            entry
            for skill, entry in self._workspace.skills.items()
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
        """End the watching thread."""
        self._stop.set()

    def _follow(self) -> None:
        # In a thread: starting to watch a large tree takes seconds.
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
            rust_timeout=_START_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
        ):
            # Once without a change: there are no events for changes before the watch started.
            if changes or not begun:
                self._widget.post_message(DiskEvents(frozenset(path for _, path in changes)))
            begun = True
