"""The samples of the open skill as tests: their state, their runs, and what is accepted of them.

`look`, `test` and `accept` may be called in a thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple

from skillstudio.dryrun.redaction.guard import password_lines
from skillstudio.dryrun.sampling.accepting import ExpectationHunk, accept
from skillstudio.dryrun.sampling.expecting import SampleDifference
from skillstudio.dryrun.sampling.sample import FOLDER, Sample, SampleRefused
from skillstudio.dryrun.sampling.samples import (
    MAX_BYTES,
    all_committed,
    find_sample,
    sample_file,
    save_expectation,
    with_expectation,
)
from skillstudio.dryrun.testing import TestedSample, tested
from skillstudio.files.beneath import open_beneath
from skillstudio.present.samples import SampleResult
from skillstudio.session.running.running import Runner
from skillstudio.session.running.state import RunRefused, SkillOnDisk

_MOST_FILES = 20_000  # Files of a skill that are looked at for changes.
_UNBLOCKED = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LEFT_OUT = (FOLDER, ".git", "node_modules", ".venv", "__pycache__")


class KnownResult(NamedTuple):
    """A result, and the state of the files that it is of."""

    found: TestedSample
    skill: str
    sample: str


class SampleRow(NamedTuple):
    """A sample of the skill with its last result."""

    result: SampleResult
    found: TestedSample | None = None  # None if it was not tested, or the files changed.

    @property
    def hunks(self) -> tuple[ExpectationHunk, ...]:
        """The differences that can be accepted."""
        return self.found.hunks if self.found is not None else ()

    @property
    def refused(self) -> tuple[SampleDifference, ...]:
        """Why nothing can be accepted."""
        return self.found.refused if self.found is not None else ()


class SampleTester:
    """Tests the samples of a skill, at the isolation level that is chosen for its runs."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self._tested: dict[str, KnownResult] = {}
        """The last result by the path of the sample in the skill."""

    @property
    def skill(self) -> str:
        """The path of the skill in the workspace."""
        return self.runner.skill

    def look(self) -> list[SampleRow]:
        """Every sample with its state. Raises RunRefused."""
        opened = self.runner.skill_on_disk()
        skill = _stamp(opened.folder)
        name = opened.interface.name or opened.skill.name
        return [
            self._row(opened, name, operation, sample, skill)
            for operation, sample in all_committed(opened.skill.tree)
        ]

    def _row(
        self, opened: SkillOnDisk, name: str, operation: str, sample: str, skill: str
    ) -> SampleRow:
        path = sample_file(operation, sample)
        result = SampleResult(name, operation, sample, path, state="not run")
        known = self._tested.get(path)
        if known is None:
            return SampleRow(result)
        result = result.of(known.found)
        if (known.skill, known.sample) != (skill, _digest(opened.folder, path)):
            return SampleRow(result._replace(state="outdated"))
        return SampleRow(result, known.found)

    def test(self, row: SampleRow, cancel: threading.Event) -> None:
        """Test a sample and keep the result, unless it was cancelled. Raises RunRefused."""
        opened = self.runner.skill_on_disk()
        each = row.result
        state = _stamp(opened.folder), _digest(opened.folder, each.path)

        def find() -> Sample:
            return find_sample(opened.skill.tree, opened.folder, each.operation, each.sample)

        try:
            # A new expectation is only of use where something differs, or nothing is expected.
            found = tested(
                self.runner.testing(opened), find, cancel,
                lambda sample, differs: bool(differs) or not sample.expect,
            )  # fmt: skip
        except OSError as error:
            raise RunRefused(f"the files cannot be copied: {error.strerror or error}") from None
        if not cancel.is_set():
            self._tested[each.path] = KnownResult(found, *state)

    def passwords(self, row: SampleRow, chosen: Sequence[ExpectationHunk]) -> tuple[str, ...]:
        """The places of the sample, `path:line`, that may contain a password once the hunks are in
        it. Raises RunRefused."""
        opened, new = self._accepted(row, chosen)
        with _refusing():
            old = opened.skill.tree.read(new.path, MAX_BYTES + 1).decode("utf-8")
            lines = password_lines(with_expectation(old, new), old)
        return tuple(f"{new.path}:{line}" for line in lines)

    def accept(self, row: SampleRow, chosen: Sequence[ExpectationHunk]) -> str:
        """Write the chosen hunks into the sample, and return its path. Raises RunRefused."""
        opened, new = self._accepted(row, chosen)
        with _refusing():
            return save_expectation(opened.folder, opened.skill.tree, new)

    def _accepted(
        self, row: SampleRow, chosen: Sequence[ExpectationHunk]
    ) -> tuple[SkillOnDisk, Sample]:
        """The skill, and the sample with the chosen hunks. Raises RunRefused."""
        opened = self.runner.skill_on_disk()
        known = self._tested.get(row.result.path)
        sample = row.found.sample if row.found is not None else None
        if known is None or sample is None or known.found is not row.found:
            raise RunRefused("this is no current result; run the sample again")
        if _digest(opened.folder, row.result.path) != known.sample:
            raise RunRefused("the sample has changed since it was run; run it again")
        return opened, sample._replace(expect=accept(sample.expect, chosen))


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except SampleRefused as error:
        raise RunRefused(str(error)) from None
    except OSError as error:
        raise RunRefused(f"the sample cannot be written: {error.strerror or error}") from None


def _digest(folder: str, path: str) -> str:
    try:
        with os.fdopen(open_beneath(folder, path, os.O_RDONLY | _UNBLOCKED), "rb") as file:
            return sha256(file.read(MAX_BYTES + 1)).hexdigest()
    except OSError:
        return ""


def _stamp(folder: str) -> str:
    """A value that changes with the files of a skill; its samples are left out."""
    made = sha256()
    for number, (path, state) in enumerate(_files(folder)):
        if number == _MOST_FILES:
            break
        made.update(os.fsencode(path) + b"\0")
        made.update(f"{state.st_mtime_ns} {state.st_size} {state.st_mode}\0".encode())
    return made.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in _LEFT_OUT)
        for name in sorted(names):
            path = os.path.join(above, name)
            try:
                yield path, os.lstat(path)
            except OSError:
                continue
