"""The folders that loaded samples run in: filled once, and kept while their runs are looked at."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack

from skillstudio.dryrun.sampling.sample import REPO_ROOT, Sample
from skillstudio.dryrun.testing import fixtures, sample_folder
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.folders import file_states
from skillstudio.files.paths import below

Key = tuple[object, ...]


def is_sample_folder(folder: str) -> bool:
    """Whether a folder was made for a sample, and is removed with the workbench."""
    return below(folder, copies_folder()) is not None


class SampleFolders:
    """The folders of the samples that were loaded. May be called in threads."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folders: dict[Key, str | None] = {}
        self._lock = threading.Lock()

    def folder(self, sample: Sample, skill_folder: str) -> str | None:
        """The folder of a sample, filled anew if what it is made of has changed; None for the
        repository of the skill. Raises SampleRefused, and OSError when it cannot be filled."""
        source_folder = sample.workspace.folder
        is_copied = source_folder not in ("", REPO_ROOT)
        files = file_states(os.path.join(skill_folder, source_folder)) if is_copied else {}
        fixture_files = tuple(sorted(fixtures(sample, skill_folder, "workspace").items()))
        key = (sample.path, repr(sample.workspace), fixture_files, *sorted(files.items()))
        with self._lock:
            if key not in self._folders:
                filled_folder = sample_folder(sample, skill_folder, copies_folder())
                self._folders[key] = self._stack.enter_context(filled_folder)
            return self._folders[key]

    def remove(self) -> None:
        """Remove all folders."""
        with self._lock:
            self._folders.clear()
            self._stack.close()
