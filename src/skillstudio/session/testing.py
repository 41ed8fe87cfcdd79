"""The samples of the open skill as tests: their state, their runs, and what is accepted of them.

`look`, `test` and `accept` may be called in a thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import IsolationUnavailable
from skillstudio.dryrun.plan import NetworkChoice
from skillstudio.dryrun.planning.make import resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown
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
from skillstudio.files.folders import FileStates, file_states
from skillstudio.present.samples import SampleResult
from skillstudio.session.following import touched, used_files
from skillstudio.session.running.running import Runner, about_sample
from skillstudio.session.running.state import RunRefused, SkillOnDisk

_GENERATED = "generated"  # The name of a generated sample.
_UNBLOCKED = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LEFT_OUT = (FOLDER, ".git", "node_modules", ".venv", "__pycache__")


class KnownResult(NamedTuple):
    """A result, and the state of the files that it is of."""

    found: TestedSample
    skill: FileStates
    sample: str


class SampleRow(NamedTuple):
    """A sample of the skill with its last result."""

    result: SampleResult
    found: TestedSample | None = None  # None if it was not tested, or the files changed.
    changed: tuple[str, ...] = ()
    """The files that changed since it last passed, or since it was run if it never did."""
    about: str = ""
    """What it gives to a run, shortened."""

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
        self._passed: dict[str, FileStates] = {}
        """The files when a sample last passed."""
        self.results: Mapping[str, SampleResult] = {}
        """The state of each sample when `look` was called last, by path in the skill."""

    @property
    def skill(self) -> str:
        """The path of the skill in the workspace."""
        return self.runner.skill

    def look(self) -> list[SampleRow]:
        """Every sample with its state. Raises RunRefused."""
        opened = self.runner.skill_on_disk()
        skill = file_states(opened.folder, _LEFT_OUT)
        name = opened.interface.name or opened.skill.name
        rows = [
            self._row(opened, name, operation, sample, skill)._replace(
                about=about_sample(opened, operation, sample)
            )
            for operation, sample in all_committed(opened.skill.tree)
        ]
        self.results = {row.result.path: row.result for row in rows}
        return rows

    def untested(self) -> list[str]:
        """The operations without a sample. Raises RunRefused."""
        opened = self.runner.skill_on_disk()
        tested_ = {operation for operation, _ in all_committed(opened.skill.tree)}
        return [name for name in opened.operations if name not in tested_]

    def generate(self, operation: str) -> str:
        """Write a sample of an operation with generated inputs, and return its path in the skill.
        Raises RunRefused."""
        from skillstudio.dryrun.sampling.generating import generate
        from skillstudio.dryrun.sampling.samples import save_committed

        opened = self.runner.skill_on_disk()
        with _refusing():
            resolved = resolve_operation(opened.skill, opened.interface, operation)
            sample = Sample(_GENERATED, operation, generate(resolved.operation))
            save_committed(opened.folder, sample)
        self.runner.forget()
        return sample_file(operation, _GENERATED)

    def touched(self, files: Collection[str]) -> list[SampleRow]:
        """The samples that changed files of the skill touch. Raises RunRefused."""
        opened, rows = self.runner.skill_on_disk(), self.look()
        samples = [(row.result.operation, row.result.path) for row in rows]
        uses = used_files(opened, {operation for operation, _ in samples})
        paths = touched(files, samples, uses)
        return [row for row in rows if row.result.path in paths]

    def allow(self, rows: Sequence[SampleRow]) -> None:
        """Let the operations of samples run again without being asked for. Raises RunRefused."""
        self.runner.allowed |= {self._operation(row.result.operation) for row in rows}

    def is_allowed(self, row: SampleRow) -> bool:
        """Whether the operation of a sample may run without being asked for: the user ran it in
        this workbench before, and it is isolated from the machine. Raises RunRefused."""
        opened, name = self.runner.skill_on_disk(), self._operation(row.result.operation)
        if name not in self.runner.allowed:
            return False
        try:
            launching = resolve_operation(opened.skill, opened.interface, name).launching
            level = self.runner.testing(opened).isolation(launching, NetworkChoice())
        except (OperationUnknown, IsolationUnavailable):
            return False
        return level.id != "copy"

    def _operation(self, name: str) -> str:
        """The name of an operation that a sample leaves out."""
        opened = self.runner.skill_on_disk()
        try:
            return resolve_operation(opened.skill, opened.interface, name).name
        except OperationUnknown:
            return name

    def _row(
        self, opened: SkillOnDisk, name: str, operation: str, sample: str, skill: FileStates
    ) -> SampleRow:
        path = sample_file(operation, sample)
        result = SampleResult(name, operation, sample, path, state="not run")
        known = self._tested.get(path)
        if known is None:
            return SampleRow(result)
        result = result.of(known.found)
        changed = _differing(self._passed.get(path, known.skill), skill)
        if (known.skill, known.sample) != (skill, _digest(opened.folder, path)):
            return SampleRow(result._replace(state="outdated"), changed=changed)
        return SampleRow(result, known.found, changed)

    def outcome(self, path: str) -> str:
        """The outcome of the last test of a sample, "" if there was none."""
        known = self._tested.get(path)
        return "" if known is None else "failed" if known.found.differs else "passed"

    def test(self, row: SampleRow, cancel: threading.Event, is_quick: bool = False) -> None:
        """Test a sample and keep the result, unless it was cancelled. A failed one is run twice to
        find what varies between two runs; if `is_quick`, once, and nothing of it can be accepted.
        Raises RunRefused."""
        opened = self.runner.skill_on_disk()
        result = row.result
        state = file_states(opened.folder, _LEFT_OUT), _digest(opened.folder, result.path)

        def find() -> Sample:
            return find_sample(opened.skill.tree, opened.folder, result.operation, result.sample)

        try:
            # A new expectation is only of use where something differs, or nothing is expected.
            found = tested(
                self.runner.testing(opened), find, cancel,
                lambda sample, differs: not is_quick and (bool(differs) or not sample.expect),
            )  # fmt: skip
        except OSError as error:
            raise RunRefused(f"the files cannot be copied: {error.strerror or error}") from None
        self.runner.allowed.add(self._operation(result.operation))
        if not cancel.is_set():
            self._tested[result.path] = KnownResult(found, *state)
            if not found.differs and not found.skipped:
                self._passed[result.path] = state[0]

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


def _differing(before: FileStates, now: FileStates) -> tuple[str, ...]:
    return tuple(sorted(path for path in {*before, *now} if before.get(path) != now.get(path)))
