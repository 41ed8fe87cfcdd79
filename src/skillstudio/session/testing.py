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
from skillstudio.dryrun.testing import TestedSample, try_sample
from skillstudio.files.beneath import open_beneath
from skillstudio.files.folders import FileStates, file_states
from skillstudio.present.samples import SampleResult
from skillstudio.session.following import find_touched_samples, used_files
from skillstudio.session.running.running import Runner, about_sample
from skillstudio.session.running.state import RunRefused, SkillOnDisk

_GENERATED_NAME = "generated"  # The name of a generated sample.
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LEFT_OUT = (FOLDER, ".git", "node_modules", ".venv", "__pycache__")


class KnownResult(NamedTuple):
    """A result, and the state of the files that it is of."""

    tested_sample: TestedSample
    skill: FileStates
    sample: str


class SampleRow(NamedTuple):
    """A sample of the skill with its last result."""

    result: SampleResult
    tested_sample: TestedSample | None = None  # None if it was not tested, or the files changed.
    changed_files: tuple[str, ...] = ()
    """The files that changed since it last passed, or since it was run if it never did."""
    about: str = ""
    """What it gives to a run, shortened."""

    @property
    def hunks(self) -> tuple[ExpectationHunk, ...]:
        """The differences that can be accepted."""
        return self.tested_sample.hunks if self.tested_sample is not None else ()

    @property
    def refusals(self) -> tuple[SampleDifference, ...]:
        """Why nothing can be accepted."""
        return self.tested_sample.refusals if self.tested_sample is not None else ()


class SampleTester:
    """Tests the samples of a skill, at the isolation level that is chosen for its runs."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self._known_results: dict[str, KnownResult] = {}
        """The last result by the path of the sample in the skill."""
        self._passed_states: dict[str, FileStates] = {}
        """The files when a sample last passed."""
        self.results: Mapping[str, SampleResult] = {}
        """The state of each sample when `look` was called last, by path in the skill."""

    @property
    def skill(self) -> str:
        """The path of the skill in the workspace."""
        return self.runner.skill

    def look(self) -> list[SampleRow]:
        """Every sample with its state. Raises RunRefused."""
        disk_skill = self.runner.skill_on_disk()
        skill = file_states(disk_skill.folder, _LEFT_OUT)
        name = disk_skill.interface.name or disk_skill.skill.name
        rows = [
            self._row(disk_skill, name, operation, sample, skill)._replace(
                about=about_sample(disk_skill, operation, sample)
            )
            for operation, sample in all_committed(disk_skill.skill.tree)
        ]
        self.results = {row.result.path: row.result for row in rows}
        return rows

    def find_untested_operations(self) -> list[str]:
        """The operations without a sample. Raises RunRefused."""
        disk_skill = self.runner.skill_on_disk()
        tested_operations = {operation for operation, _ in all_committed(disk_skill.skill.tree)}
        return [name for name in disk_skill.operations if name not in tested_operations]

    def generate(self, operation: str) -> str:
        """Write a sample of an operation with generated inputs, and return its path in the skill.
        Raises RunRefused."""
        from skillstudio.dryrun.sampling.generating import generate
        from skillstudio.dryrun.sampling.samples import save_committed

        disk_skill = self.runner.skill_on_disk()
        with _convert_errors():
            resolution = resolve_operation(disk_skill.skill, disk_skill.interface, operation)
            sample = Sample(_GENERATED_NAME, operation, generate(resolution.operation))
            save_committed(disk_skill.folder, sample)
        self.runner.forget()
        return sample_file(operation, _GENERATED_NAME)

    def find_touched_rows(self, files: Collection[str]) -> list[SampleRow]:
        """The samples that changed files of the skill touch. Raises RunRefused."""
        disk_skill, rows = self.runner.skill_on_disk(), self.look()
        samples = [(row.result.operation, row.result.path) for row in rows]
        uses = used_files(disk_skill, {operation for operation, _ in samples})
        paths = find_touched_samples(files, samples, uses)
        return [row for row in rows if row.result.path in paths]

    def allow(self, rows: Sequence[SampleRow]) -> None:
        """Let the operations of samples run again without being asked for. Raises RunRefused."""
        self.runner.allowed_operations |= {self._operation(row.result.operation) for row in rows}

    def is_allowed(self, row: SampleRow) -> bool:
        """Whether the operation of a sample may run without being asked for: the user ran it in
        this workbench before, and it is isolated from the machine. Raises RunRefused."""
        disk_skill, name = self.runner.skill_on_disk(), self._operation(row.result.operation)
        if name not in self.runner.allowed_operations:
            return False
        try:
            launching = resolve_operation(disk_skill.skill, disk_skill.interface, name).launch_spec
            level = self.runner.make_testing(disk_skill).isolation(launching, NetworkChoice())
        except (OperationUnknown, IsolationUnavailable):
            return False
        return level.id != "copy"

    def _operation(self, name: str) -> str:
        """The name of an operation that a sample leaves out."""
        disk_skill = self.runner.skill_on_disk()
        try:
            return resolve_operation(disk_skill.skill, disk_skill.interface, name).name
        except OperationUnknown:
            return name

    def _row(
        self, disk_skill: SkillOnDisk, name: str, operation: str, sample: str, skill: FileStates
    ) -> SampleRow:
        path = sample_file(operation, sample)
        result = SampleResult(name, operation, sample, path, state="not run")
        known_result = self._known_results.get(path)
        if known_result is None:
            return SampleRow(result)
        result = result.of(known_result.tested_sample)
        changed_files = _find_changed_files(
            self._passed_states.get(path, known_result.skill), skill
        )
        if (known_result.skill, known_result.sample) != (skill, _digest(disk_skill.folder, path)):
            return SampleRow(result._replace(state="outdated"), changed_files=changed_files)
        return SampleRow(result, known_result.tested_sample, changed_files)

    def outcome(self, path: str) -> str:
        """The outcome of the last test of a sample, "" if there was none."""
        known_result = self._known_results.get(path)
        return (
            ""
            if known_result is None
            else "failed"
            if known_result.tested_sample.differs
            else "passed"
        )

    def test(self, row: SampleRow, cancel: threading.Event, is_quick: bool = False) -> None:
        """Test a sample and keep the result, unless it was cancelled. A failed one is run twice to
        find what varies between two runs; if `is_quick`, once, and nothing of it can be accepted.
        Raises RunRefused."""
        disk_skill = self.runner.skill_on_disk()
        result = row.result
        state = file_states(disk_skill.folder, _LEFT_OUT), _digest(disk_skill.folder, result.path)

        def find() -> Sample:
            return find_sample(
                disk_skill.skill.tree, disk_skill.folder, result.operation, result.sample
            )

        try:
            # A new expectation is only of use where something differs, or nothing is expected.
            tested_sample = try_sample(
                self.runner.make_testing(disk_skill), find, cancel,
                lambda sample, differs: not is_quick and (bool(differs) or not sample.expect),
            )  # fmt: skip
        except OSError as error:
            raise RunRefused(f"the files cannot be copied: {error.strerror or error}") from None
        self.runner.allowed_operations.add(self._operation(result.operation))
        if not cancel.is_set():
            self._known_results[result.path] = KnownResult(tested_sample, *state)
            if not tested_sample.differs and not tested_sample.skipped:
                self._passed_states[result.path] = state[0]

    def passwords(self, row: SampleRow, hunks: Sequence[ExpectationHunk]) -> tuple[str, ...]:
        """The places of the sample, `path:line`, that may contain a password once the hunks are in
        it. Raises RunRefused."""
        disk_skill, new = self._apply_hunks(row, hunks)
        with _convert_errors():
            old = disk_skill.skill.tree.read(new.path, MAX_BYTES + 1).decode("utf-8")
            lines = password_lines(with_expectation(old, new), old)
        return tuple(f"{new.path}:{line}" for line in lines)

    def accept(self, row: SampleRow, hunks: Sequence[ExpectationHunk]) -> str:
        """Write the chosen hunks into the sample, and return its path. Raises RunRefused."""
        disk_skill, new = self._apply_hunks(row, hunks)
        with _convert_errors():
            return save_expectation(disk_skill.folder, disk_skill.skill.tree, new)

    def _apply_hunks(
        self, row: SampleRow, hunks: Sequence[ExpectationHunk]
    ) -> tuple[SkillOnDisk, Sample]:
        """The skill, and the sample with the chosen hunks. Raises RunRefused."""
        disk_skill = self.runner.skill_on_disk()
        known_result = self._known_results.get(row.result.path)
        sample = row.tested_sample.sample if row.tested_sample is not None else None
        if (
            known_result is None
            or sample is None
            or known_result.tested_sample is not row.tested_sample
        ):
            raise RunRefused("this is no current result; run the sample again")
        if _digest(disk_skill.folder, row.result.path) != known_result.sample:
            raise RunRefused("the sample has changed since it was run; run it again")
        return disk_skill, sample._replace(expect=accept(sample.expect, hunks))


@contextmanager
def _convert_errors() -> Iterator[None]:
    try:
        yield
    except SampleRefused as error:
        raise RunRefused(str(error)) from None
    except OSError as error:
        raise RunRefused(f"the sample cannot be written: {error.strerror or error}") from None


def _digest(folder: str, path: str) -> str:
    try:
        with os.fdopen(open_beneath(folder, path, os.O_RDONLY | _OPEN_FLAGS), "rb") as file:
            return sha256(file.read(MAX_BYTES + 1)).hexdigest()
    except OSError:
        return ""


def _find_changed_files(before: FileStates, now: FileStates) -> tuple[str, ...]:
    return tuple(sorted(path for path in {*before, *now} if before.get(path) != now.get(path)))
