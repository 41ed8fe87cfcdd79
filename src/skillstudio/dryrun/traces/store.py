"""The recorded runs, a folder each; the oldest are deleted above a total size."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from skillstudio.files.beneath import open_beneath
from skillstudio.files.folders import folder_size, remove
from skillstudio.files.state import cache_folder, state_folder
from skillstudio.text.lazy_pattern import lazy_pattern

MAX_SIZE = 256 << 20  # Bytes of all recorded runs.
MAX_TRACE = 16 << 20  # Bytes of one trace that are read.
LAST = "last"
TRACE = "trace.json"
FILES = "files"  # The folder with the new content of changed files, by root and path.
STREAMS = ("stdout", "stderr")
PRINTED_LINES = 20  # Lines of each stream that are shown in a report,
ALL_PRINTED = 400  # and in one that shows everything.
_LARGEST = 1 << 20  # Bytes of a text that is read for a comparison.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_ABANDONED_AGE = 3600.0  # Seconds after which an unfinished recording is abandoned.
_ID = lazy_pattern(r"[0-9]{8}T[0-9]{6}-[a-z0-9_]{1,16}")


class RunUnknown(Exception):
    """An unknown or unreadable run: a sentence."""


class RecordedRun(NamedTuple):
    """A recorded run."""

    run: str
    folder: str


class RunStore:
    """The recorded runs in one folder of the user's state."""

    def __init__(self, folder: str, cap: int = MAX_SIZE) -> None:
        self.folder = folder
        self._cap = cap

    def keep(
        self, run: str, trace: Mapping[str, Any], output: str, files: Mapping[str, str]
    ) -> str:
        """Record a run completely or not at all, delete the oldest ones, and return its folder.
        `output` has the streams, `files` are further files by path. Raises OSError."""
        os.makedirs(self.folder, 0o700, exist_ok=True)
        temporary_folder = tempfile.mkdtemp(prefix=".", dir=self.folder)
        try:
            for name in STREAMS:
                source = os.path.join(output, name)
                if os.path.exists(source):
                    shutil.copyfile(source, os.path.join(temporary_folder, name))
            for name, source in files.items():
                target = os.path.join(temporary_folder, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target, follow_symlinks=False)
            with open(os.path.join(temporary_folder, TRACE), "w", encoding="utf-8") as file:
                # Escaped, because file names may not be valid text.
                json.dump(trace, file, indent=1)
            target = os.path.join(self.folder, run)
            os.rename(temporary_folder, target)
        except BaseException:
            remove(temporary_folder)
            raise
        self._drop_oldest(run)
        return target

    def all(self) -> list[RecordedRun]:
        """Every recorded run, the newest first."""
        try:
            names = sorted((n for n in os.listdir(self.folder) if _ID.fullmatch(n)), reverse=True)
        except FileNotFoundError:
            return []
        return [RecordedRun(name, os.path.join(self.folder, name)) for name in names]

    def find(self, run: str) -> RecordedRun:
        """A run by its id or the start of one. Raises RunUnknown."""
        records = self.all()
        if not records:
            raise RunUnknown("no run is recorded yet; skillstudio run records one")
        matches = [record for record in records if record.run == run] or [
            record for record in records if run and record.run.startswith(run)
        ]
        if len(matches) != 1:
            what = f"{len(matches)} runs start with {run}" if matches else f"there is no run {run}"
            raise RunUnknown(
                f"{what}; skillstudio trace list lists all runs, {LAST} is the newest of the "
                "current skill or workspace"
            )
        return matches[0]

    def _drop_oldest(self, newest: str) -> None:
        self._drop_halves()
        budget = self._cap
        for record in self.all():
            budget -= folder_size(record.folder)
            if budget < 0 and record.run != newest:
                _drop(record.folder)

    def _drop_halves(self) -> None:
        """Delete unfinished recordings of killed processes."""
        with os.scandir(self.folder) as entries:
            hidden_folders = [
                entry.path for entry in entries if entry.name.startswith(".") and entry.is_dir()
            ]
        for path in hidden_folders:
            with suppress(FileNotFoundError):  # It was just completed and renamed.
                if time.time() - os.lstat(path).st_mtime > _ABANDONED_AGE:
                    _drop(path)


def _drop(folder: str) -> None:
    with suppress(FileNotFoundError):  # Another process deletes the same one.
        remove(folder)


def default_folder() -> str:
    """The folder of this user's recorded runs."""
    return os.path.join(state_folder(), "runs")


def copies_folder() -> str:
    """The folder of the copies of current runs."""
    return os.path.join(cache_folder(), "copies")


def recorded_text(folder: str, root: str, path: str) -> str | None:
    """A recorded text: of a changed file, or with the root "" of a stream; None if it is not
    recorded, too long, or no text. `folder` may be ""."""
    if not folder:
        return None
    above = os.path.join(folder, FILES, root) if root else folder
    try:
        with open(open_beneath(above, path, _READ_FLAGS, links=False), "rb") as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8")
    except (OSError, UnicodeError):
        return None
    return None if len(data) > _LARGEST or "\0" in text else text


def last_printed(folder: str, most: int = PRINTED_LINES) -> Iterator[tuple[str, list[str]]]:
    """The last lines of what a run printed, by the name of each stream; `folder` may be ""."""
    for name in STREAMS:
        path = os.path.join(folder, name)
        if not folder or not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            file.seek(max(os.path.getsize(path) - (64 << 10), 0))
            text = file.read().decode("utf-8", "replace")
        lines = text.rstrip("\n").split("\n") if text.strip() else []
        cut = [f"… {len(lines) - most:,} lines before"] if len(lines) > most else []
        if lines:
            yield name, [*cut, *lines[-most:]]
