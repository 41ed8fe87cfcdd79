"""Run an operation of the open skill: the choices, the plan, the run.

A run uses the files on disk, because its program does. `look` and `run` may be called in a thread,
all other functions only by the screen.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.dryrun.isolation.levels import (
    IsolationLevels,
    IsolationUnavailable,
    probe_isolation,
)
from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.plan import IsolationChoice, NetworkChoice, Roots
from skillstudio.dryrun.planning.make import (
    make_plan,
    operations,
    resolve_operation,
)
from skillstudio.dryrun.planning.run_inputs import (
    OperationUnknown,
    WorkspaceRefused,
    find_roots,
    this_machine,
)
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.run import CompletedRun, Listener, OutOfTime, dry_run
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.dryrun.testing import fixtures, judged_by
from skillstudio.interface.model import ABSENT
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.present.samples import arguments_text, folder_text, inputs_text
from skillstudio.session.fields import FieldChoice
from skillstudio.session.running.drafts import (
    Drafts,
    drafts_of,
    elsewhere,
    make_fields,
    network_of,
    not_on_form,
    read_drafts,
    sample_of,
    update_draft,
)
from skillstudio.session.running.sample_folders import SampleFolders
from skillstudio.session.running.slots import INPUT, TIMEOUT, TWICE, VARIABLE, slots
from skillstudio.session.running.state import RunRefused, RunSelection, RunState, SkillOnDisk
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.dryrun.capturing import CapturedRun
    from skillstudio.dryrun.testing import SampleTestContext
    from skillstudio.dryrun.traces.scope import Scope
    from skillstudio.dryrun.traces.store import RunStore
    from skillstudio.session.running.history import RunHistoryEntry
    from skillstudio.session.workspace import Workspace

GENERATED_NAME = "\0generated"
"""The sample generated from the schemas. No other sample can have this name."""


class FinishedRun(NamedTuple):
    """A finished run, with notes such as why it was not recorded."""

    report: RunReport
    notes: tuple[str, ...] = ()
    last_lines: tuple[tuple[str, Sequence[str]], ...] = ()  # The last lines of each stream.


class Runner:
    """The chosen operation, inputs and isolation level of a skill."""

    def __init__(self, workspace: Workspace, skill: str, cwd: str, runs: str = "") -> None:
        """`cwd` is where a workspace is searched; `runs` is the folder of recorded runs."""
        self.probe: Callable[[], IsolationLevels] = probe_isolation
        self._runs = runs
        self.workspace = workspace
        self.skill = skill
        self.cwd = os.path.realpath(cwd)
        self.operation = ""
        self.isolation: str | None = None
        """None for the highest."""
        self.folder: str | None = None
        """The chosen workspace."""
        self.allowed_operations: set[str] = set()
        """The operations that the user ran, or allowed to run, in this workbench."""
        self._drafts: dict[str, dict[str, Any]] = {}
        self._loaded_sample: tuple[str, str, Drafts] = ("", "", {})
        """The operation and the name of the loaded sample, and the inputs that it gave."""
        self._expect: Mapping[str, Any] | None = None
        """What the loaded sample expects; None if the form cannot give all of it to a run."""
        self._samples: dict[str, Sample] = {}
        """The loaded sample of each operation, if it has a folder of its own."""
        self._folders = SampleFolders()
        self._disk_skill: SkillOnDisk | None = None
        self._times_forgotten = 0

    def selection(self) -> RunSelection:
        """The current choices and inputs."""
        sample = self._samples.get(self.operation)
        return RunSelection(
            self.operation, dict(self.drafts), self.isolation, self.folder, sample,
            self._expect if self._is_as_loaded else None,
        )  # fmt: skip

    def choose_folder(self, folder: str) -> None:
        """Choose the workspace, also in place of the folder of the loaded sample."""
        self.folder, self._expect = folder, None
        self._samples.pop(self.operation, None)

    def close(self) -> None:
        """Remove the folders of samples."""
        self._folders.remove()

    @property
    def drafts(self) -> Mapping[str, Any]:
        """The drafts of the chosen operation."""
        return self._drafts.get(self.operation, {})

    @property
    def sample_name(self) -> str:
        """The loaded sample, and whether its inputs were edited; "" without one."""
        operation, name, _ = self._loaded_sample
        if operation != self.operation or not name:
            return ""
        return name if self._is_as_loaded else f"{name}, edited"

    @property
    def _is_as_loaded(self) -> bool:
        """Whether the inputs are those that a sample gave."""
        operation, name, drafts = self._loaded_sample
        is_loaded = operation == self.operation and bool(name)
        return is_loaded and _drop_absent(self.drafts) == _drop_absent(drafts)

    def took(self, state: RunState) -> None:
        """Choose the default operation that a look determined."""
        name = state.selection.operation
        if not self.operation and name:
            self.operation = name
            self._drafts.setdefault(name, self._drafts.pop("", {}))

    def choose(self, operation: str) -> None:
        """Choose another operation. The drafts of variables, and of inputs that are declared once
        for both, as for the scripts of one skill, are kept."""
        prefixes = (VARIABLE, INPUT) if self._is_declared_with(operation) else (VARIABLE,)
        shared_drafts = {
            key: draft for key, draft in self.drafts.items() if key.startswith(prefixes)
        }
        before = self._drafts.get(operation, {})
        other_drafts = {key: draft for key, draft in before.items() if not key.startswith(prefixes)}
        self.operation = operation
        self._drafts[operation] = {**other_drafts, **shared_drafts}

    def _is_declared_with(self, operation: str) -> bool:
        disk_skill = self._disk_skill
        if disk_skill is None:
            return False
        names = (self.operation, operation)
        try:
            resolutions = [
                resolve_operation(disk_skill.skill, disk_skill.interface, name) for name in names
            ]
        except OperationUnknown:
            return False
        return resolutions[0].operation.pointer == resolutions[1].operation.pointer

    def answer(self, key: str, value: Any) -> None:
        """Store the content of a field: a typed text or a chosen value."""
        drafts = self._drafts.setdefault(self.operation, {})
        drafts[key] = update_draft(drafts.get(key), value) if isinstance(value, str) else value

    def fill(self, drafts: Mapping[str, Any]) -> None:
        """Replace the inputs in the form, but not the run options."""
        run_options = {key: self.drafts[key] for key in (TIMEOUT, TWICE) if key in self.drafts}
        self._drafts[self.operation] = {**drafts, **run_options}

    def forget(self) -> None:
        """Read the skill again at the next look."""
        self._times_forgotten += 1
        self._disk_skill = None

    def look(self, selection: RunSelection) -> RunState:
        """Plan a run. Starts no programs except to read the versions of commands."""
        try:
            disk_skill = self.skill_on_disk()
        except RunRefused as error:
            return RunState(selection, str(error))
        name = selection.operation or next(iter(disk_skill.operations), "")
        selection = selection._replace(operation=name)
        try:
            resolution = resolve_operation(disk_skill.skill, disk_skill.interface, name)
        except OperationUnknown as error:
            return RunState(selection, str(error), disk_skill)
        form_slots = slots(disk_skill.interface, resolution)
        levels = self.probe()
        try:
            roots = self._roots(disk_skill.folder, selection)
            program = "wasm" if resolution.launch_spec.module else "process"
            network, _ = network_of(selection.drafts)
            isolation = levels.choose(selection.isolation, None, program, network)
        except (WorkspaceRefused, IsolationUnavailable, SampleRefused, OSError) as error:
            empty = make_fields(form_slots, selection.drafts, ())
            return RunState(
                selection, str(error), disk_skill, resolution, form_slots, empty, levels=levels
            )
        read = read_drafts(form_slots, selection.drafts, roots, isolation)
        inputs = read.inputs._replace(faults=disk_skill.faults)
        planned_run = make_plan(
            disk_skill.skill, disk_skill.interface, name, inputs, this_machine()
        )
        problems = (*planned_run.plan.problems, *read.problems)
        wrong = sum(problem.severity == "error" for problem in problems)
        fields = make_fields(form_slots, selection.drafts, problems)
        rest = elsewhere(form_slots, problems)
        return RunState(
            selection,
            "",
            disk_skill,
            resolution,
            form_slots,
            fields,
            planned_run,
            rest,
            wrong,
            levels,
            read.twice,
        )

    def find_unsaved_files(self, texts: Mapping[str, str]) -> list[str]:
        """The files of the skill among unsaved texts by their path on disk."""
        inside = self.workspace.path(self.skill) + os.sep
        return sorted(text[len(inside) :] for text in texts if text.startswith(inside))

    def skill_on_disk(self) -> SkillOnDisk:
        """The skill, read again after `forget`. Raises RunRefused."""
        times_forgotten = self._times_forgotten
        disk_skill = self._disk_skill or self._open()
        # If `forget` was called meanwhile, the skill is only used for this call.
        if times_forgotten == self._times_forgotten:
            self._disk_skill = disk_skill
        return disk_skill

    def make_testing(self, disk_skill: SkillOnDisk) -> SampleTestContext:
        """How samples of the skill are run: at the chosen isolation level, if it can run them."""
        from skillstudio.dryrun.testing import SampleTestContext

        levels = self.probe()

        def isolation(launching: LaunchSpec, network: NetworkChoice) -> IsolationChoice:
            program = "wasm" if launching.module else "process"
            is_fit = self.isolation is None or (self.isolation == "wasm") == bool(launching.module)
            return levels.choose(self.isolation if is_fit else None, None, program, network)

        return SampleTestContext(
            disk_skill.skill,
            disk_skill.folder,
            disk_skill.interface,
            isolation,
            faults=disk_skill.faults,
        )

    def sample_path(self, state: RunState, name: str) -> tuple[str, bool]:
        """The path of a sample of the operation in the skill, and whether it exists. Raises
        RunRefused."""
        from skillstudio.dryrun.sampling.sample import FOLDER, path_of

        if state.disk_skill is None:
            raise RunRefused(state.why_not)
        try:
            path = f"{FOLDER}/{path_of(state.selection.operation, name)}"
        except SampleRefused as error:
            raise RunRefused(str(error)) from None
        return path, state.disk_skill.skill.tree.kind(path) is not None

    def capture(self, state: RunState, name: str, cancel: threading.Event) -> CapturedRun:
        """Run the plan again and make a sample of it, which is not written. Raises RunRefused."""
        from skillstudio.dryrun.capturing import capture
        from skillstudio.files.folders import remove

        request, disk_skill = self._request(state)
        testing = self.make_testing(disk_skill)._replace(
            isolation=lambda *_: request.plan.isolation
        )
        with _convert_errors():
            completed_run = dry_run(request, cancel)
            try:
                return capture(
                    completed_run, request, testing, name, cancel, state.selection.sample
                )
            finally:
                remove(completed_run.folder)

    def save_captured(self, sample: Sample) -> str:
        """Write a captured sample into the skill and return its path. Raises RunRefused."""
        from skillstudio.dryrun.sampling.samples import save_committed

        with _convert_errors():
            return save_committed(self.skill_on_disk().folder, sample)

    def _open(self) -> SkillOnDisk:
        from skillstudio.dryrun.planning.make import manifest_errors
        from skillstudio.manifest.project import project_unmasked
        from skillstudio.skill.versions.operands import OperandError, resolve
        from skillstudio.skill.versions.reading import UnreadableManifest, read_skill

        folder = self.workspace.path(self.skill)
        try:
            operand = resolve(folder)
            if operand.tree is None:
                raise RunRefused("the skill no longer exists on disk")
            skill = read_skill(operand, operand.tree, self.workspace.settings(self.skill))
        except OperandError as error:
            raise RunRefused(str(error)) from None
        except UnreadableManifest as error:
            place, message = error.faults[0]
            where = f"{place.path}:{place.line}:{place.column}"
            raise RunRefused(f"the manifest on disk cannot be read: {where}: {message}") from None
        except OSError as error:
            raise RunRefused(f"the skill cannot be read: {error.strerror or error}") from None
        interface = project_unmasked(skill)
        names = operations(skill, interface)
        # The tab of the text has their number, and the screen names no command.
        errors = manifest_errors(skill)
        faults = tuple(error for error in errors if error.rule != "manifest-errors")
        return SkillOnDisk(os.path.realpath(folder), skill, interface, names, faults)

    def _roots(self, folder: str, selection: RunSelection) -> Roots:
        """The folders of a run. Raises WorkspaceRefused, SampleRefused, OSError."""
        sample = selection.sample
        if sample is None:
            return self.roots(folder, selection.workspace)
        sample_folder = self._folders.folder(sample, folder)
        # Without one, it runs in the repository of the skill.
        near = folder if sample_folder is None else self.cwd
        return find_roots(folder, sample_folder, None, near, os.path.expanduser("~"))

    def roots(self, folder: str, workspace: str | None) -> Roots:
        """The folders of a run, around the open workspace if necessary. Raises WorkspaceRefused."""
        home = os.path.expanduser("~")
        try:
            return find_roots(folder, workspace, None, self.cwd, home)
        except WorkspaceRefused:
            if workspace is not None:
                raise
            # skillstudio was started in the home folder.
            return find_roots(folder, None, None, os.path.realpath(self.workspace.root), home)

    def run(self, state: RunState, cancel: threading.Event, listener: Listener) -> FinishedRun:
        """Run the plan, record the run, and remove the copies. Raises RunRefused."""
        from skillstudio.dryrun.traces.store import last_printed
        from skillstudio.files.folders import remove

        request, _ = self._request(state)
        with _convert_errors():
            completed_run = dry_run(request, cancel, listener)
        if state.resolution is not None:
            self.allowed_operations.add(state.resolution.name)
        try:
            notes = (*request.notes, *self._keep(completed_run, request))
            last_lines = tuple(
                (name, [completed_run.staged_copies.restore_paths(line) for line in lines])
                for name, lines in last_printed(completed_run.folder)
            )
        finally:
            remove(completed_run.folder)
        expect = state.selection.expect
        report = completed_run.report if expect is None else judged_by(expect, completed_run.report)
        return FinishedRun(report, notes, last_lines)

    def _request(self, state: RunState) -> tuple[Request, SkillOnDisk]:
        """A plan, prepared. Raises RunRefused."""
        from skillstudio.dryrun.run import prepare_run

        disk_skill, resolution, planned_run = state.disk_skill, state.resolution, state.planned_run
        if (
            disk_skill is None
            or resolution is None
            or planned_run is None
            or planned_run.launch is None
        ):
            raise RunRefused(state.why_not or "this plan starts no program")
        request = prepare_run(
            disk_skill.skill,
            disk_skill.folder,
            disk_skill.interface,
            resolution.operation,
            planned_run,
            twice=state.twice,
        )
        # The levels must be those that the plan was made with.
        request = request._replace(levels=state.levels or request.levels)
        if (sample := state.selection.sample) is not None:
            with _convert_errors():
                home = fixtures(sample, disk_skill.folder, "home")
            request = request._replace(home_files=home)
        return request, disk_skill

    def _keep(self, completed_run: CompletedRun, request: Request) -> tuple[str, ...]:
        from skillstudio.dryrun.applying.recorded_changes import files_to_record, not_kept
        from skillstudio.dryrun.recording import record_run
        from skillstudio.dryrun.traces.key import KeyUnusable

        try:
            folder = record_run(completed_run, request, None, self.store(), files_to_record)
            return not_kept(folder) if folder else ()
        except (OSError, KeyUnusable) as error:
            return (f"the run was not recorded: {getattr(error, 'strerror', None) or error}",)

    def store(self) -> RunStore:
        """The store of recorded runs."""
        from skillstudio.dryrun.traces.store import RunStore, default_folder

        return RunStore(self._runs or default_folder())

    def history(self) -> list[RunHistoryEntry]:
        """The recorded runs of this skill, then others of the workspace."""
        from skillstudio.dryrun.traces.scope import scope_of
        from skillstudio.session.running.history import kept_runs

        return kept_runs(self.store(), scope_of(self.workspace.path(self.skill)), self.scope())

    def check_result(self, run: str) -> None:
        """Check that the result of a recorded run can be rebuilt. Raises RunRefused."""
        from skillstudio.dryrun.stacking import BaseRefused, base_of
        from skillstudio.dryrun.traces.reading import TraceRefused
        from skillstudio.dryrun.traces.scope import find_run
        from skillstudio.dryrun.traces.store import RunUnknown

        store = self.store()
        try:
            base_of(find_run(store, run, self.scope()), store)
        except (BaseRefused, RunUnknown, TraceRefused) as error:
            raise RunRefused(str(error)) from None

    def scope(self) -> Scope:
        """The chosen workspace."""
        from skillstudio.dryrun.traces.scope import scope_of

        return scope_of(os.path.join(self.cwd, self.folder or ""))

    def samples(self, state: RunState) -> list[FieldChoice]:
        """The samples of the operation: generated, the skill's own, the user's."""
        from skillstudio.dryrun.sampling.samples import list_committed, list_saved

        disk_skill = state.disk_skill
        if disk_skill is None:
            return []
        name = state.selection.operation
        generated_choice = FieldChoice(
            "generated", GENERATED_NAME, "the first values that fit the schemas"
        )
        try:
            committed_names = list_committed(disk_skill.skill.tree, name)
            private = list_saved(disk_skill.folder, name)
        except (SampleRefused, OSError):
            return [generated_choice]
        choices = [
            FieldChoice(title, title, about_sample(disk_skill, name, title))
            for title in committed_names
        ]
        for title in private:
            if title not in committed_names:
                about = f"{about_sample(disk_skill, name, title)} · your own"
                choices.append(FieldChoice(title, title, about))
        return [*choices, generated_choice]

    def load(self, state: RunState, name: str) -> tuple[str, ...]:
        """Load a sample into the form; return its parts without a field. Raises RunRefused."""
        from skillstudio.dryrun.sampling.generating import generate
        from skillstudio.dryrun.sampling.samples import find_sample

        disk_skill, resolution = state.disk_skill, state.resolution
        if disk_skill is None or resolution is None:
            raise RunRefused(state.why_not)
        try:
            if name == GENERATED_NAME:
                sample = Sample("", state.selection.operation, generate(resolution.operation))
            else:
                tree = disk_skill.skill.tree
                sample = find_sample(tree, disk_skill.folder, state.selection.operation, name)
        except (SampleRefused, OSError) as error:
            raise RunRefused(str(error)) from None
        self.operation = state.selection.operation
        self._samples.pop(self.operation, None)
        if sample.has_own_folder:
            self._samples[self.operation] = sample
        self.fill(drafts_of(state.slots, sample))
        title = "generated" if name == GENERATED_NAME else name
        self._loaded_sample = (self.operation, title, dict(self.drafts))
        lost_parts = not_on_form(state.slots, sample)
        self._expect = None if lost_parts else sample.expect
        return lost_parts

    def save(self, state: RunState, name: str, in_skill: bool) -> str:
        """Save the form as a sample and return its path. Raises RunRefused."""
        from skillstudio.dryrun.sampling.samples import save_committed, save_private, sensitive_in
        from skillstudio.text.strict_json import NotJson

        disk_skill, resolution = state.disk_skill, state.resolution
        if disk_skill is None or resolution is None:
            raise RunRefused(state.why_not)
        try:
            sample = sample_of(state.slots, self.drafts, state.selection.operation, name)
            if sensitive_names := sensitive_in(sample, disk_skill.interface, resolution.operation):
                raise RunRefused(f"{', '.join(sensitive_names)}: sensitive values cannot be saved")
            if (origin := state.selection.sample) is not None:
                sample = _with_folder(sample, origin, in_skill)
            write = save_committed if in_skill else save_private
            return write(disk_skill.folder, sample)
        except (SampleRefused, NotJson) as error:
            raise RunRefused(str(error)) from None
        except OSError as error:
            raise RunRefused(f"the sample cannot be written: {error.strerror or error}") from None


def about_sample(disk_skill: SkillOnDisk, operation: str, name: str) -> str:
    """What a sample gives to a run in one line, without its inputs if any of them is sensitive."""
    from skillstudio.dryrun.sampling.samples import find_sample, sensitive_in

    try:
        sample = find_sample(disk_skill.skill.tree, disk_skill.folder, operation, name)
        resolution = resolve_operation(disk_skill.skill, disk_skill.interface, operation)
    except (SampleRefused, OperationUnknown, OSError):
        return "cannot be read"
    parts = [folder_text(sample)]
    if not sensitive_in(sample, disk_skill.interface, resolution.operation):
        parts = [inputs_text(sample.inputs), arguments_text(sample), *parts]
    return safe_text(" · ".join(filter(None, parts)) or "no inputs")


def _with_folder(sample: Sample, origin: Sample, in_skill: bool) -> Sample:
    """A sample with the folder of another one. Raises RunRefused."""
    beside = any(not isinstance(content, str) for content in origin.fixtures.values())
    if beside and not in_skill:
        raise RunRefused(
            f"the sample {origin.name} has files beside it, which only a sample in the skill can "
            "name; save it in the skill"
        )
    return sample._replace(workspace=origin.workspace, fixtures=origin.fixtures)


def _drop_absent(drafts: Drafts) -> dict[str, Any]:
    """The drafts of the fields that have a value; the form adds the others when it is shown."""
    return {key: draft for key, draft in drafts.items() if draft is not ABSENT}


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Raise RunRefused for whatever prevents a run."""
    from skillstudio.dryrun.staging.staged import StagingRefused

    try:
        yield
    except InterruptedError:
        raise RunRefused("cancelled before anything started") from None
    except (StagingRefused, IsolationUnavailable, OutOfTime, SampleRefused) as error:
        raise RunRefused(str(error)) from None
    except OSError as error:
        raise RunRefused(f"the files cannot be copied: {error.strerror or error}") from None
