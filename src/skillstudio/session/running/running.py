"""Running an operation of the open skill: what is chosen and typed, the plan of it, the run.

A run takes the files as they lie on disk, as the program that runs does: a manifest that is not
saved would be held against a script that knows nothing of it. What is unsaved is told beside the
plan. `look` and `run` may be called in a thread; all else belongs to the screen.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.dryrun.isolation.levels import (
    IsolationLevels,
    IsolationUnavailable,
    probe_isolation,
)
from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.plan import IsolationChoice, Roots
from skillstudio.dryrun.planning.make import (
    ResolvedOperation,
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
from skillstudio.session.running.drafts import (
    drafts_of,
    not_on_form,
    read_drafts,
    retyped,
    sample_of,
)
from skillstudio.session.running.fields import elsewhere, shown
from skillstudio.session.running.slots import INPUT, TIMEOUT, TWICE, VARIABLE, Slot, slots
from skillstudio.session.running.state import RunRefused, RunSelection, RunState, SkillOnDisk

if TYPE_CHECKING:
    from skillstudio.dryrun.traces.scope import Scope
    from skillstudio.dryrun.traces.store import RunStore
    from skillstudio.session.running.history import RunHistoryEntry
    from skillstudio.session.workspace import Workspace

GENERATED = "\0made-up"
"""The sample that is made from the schemas. No sample has such a name."""


class FinishedRun(NamedTuple):
    """A run that is over."""

    report: RunReport
    notes: tuple[str, ...] = ()
    """What else is to be said, such as that it could not be kept."""


class SampleChoice(NamedTuple):
    """A sample that can be put into the form."""

    name: str
    title: str
    about: str


class Runner:
    """The operation, the inputs and the isolation level that are chosen for one skill."""

    def __init__(self, workspace: Workspace, skill: str, cwd: str, runs: str = "") -> None:
        """`cwd` is the folder that the workspace of a run is looked for from; `runs` the one that
        runs are kept in, by itself the user's."""
        self.probe: Callable[[], IsolationLevels] = probe_isolation
        """What tells the isolation levels of this machine."""
        self._runs = runs
        self.workspace = workspace
        self.skill = skill
        self.cwd = os.path.realpath(cwd)
        self.operation = ""
        self.isolation: str | None = None
        """The isolation level that was asked for; None for the highest."""
        self.folder: str | None = None
        """The workspace that was asked for."""
        self._drafts: dict[str, dict[str, Any]] = {}
        self._opened: SkillOnDisk | None = None
        self._times_forgotten = 0

    # What is chosen and typed.

    def selection(self) -> RunSelection:
        """Everything chosen and typed, as it is now."""
        drafts = dict(self._drafts.get(self.operation, {}))
        return RunSelection(self.operation, drafts, self.isolation, self.folder)

    @property
    def drafts(self) -> Mapping[str, Any]:
        """What is in the fields of the operation."""
        return self._drafts.get(self.operation, {})

    def took(self, state: RunState) -> None:
        """Know by its name the operation that a look found to be the one that is meant."""
        name = state.selection.operation
        if not self.operation and name:
            self.operation = name
            self._drafts.setdefault(name, self._drafts.pop("", {}))

    def choose(self, operation: str) -> None:
        """Choose another operation. Variables, and inputs that are declared once for both, as for
        the scripts of one skill, stay as they are typed."""
        same = (VARIABLE, INPUT) if self._is_declared_with(operation) else (VARIABLE,)
        stays = {key: given for key, given in self.drafts.items() if key.startswith(same)}
        before = self._drafts.get(operation, {})
        own = {key: given for key, given in before.items() if not key.startswith(same)}
        self.operation = operation
        self._drafts[operation] = {**own, **stays}

    def _is_declared_with(self, operation: str) -> bool:
        """Whether another operation is declared as the one that is chosen."""
        opened = self._opened
        if opened is None:
            return False
        names = (self.operation, operation)
        try:
            found = [resolve_operation(opened.skill, opened.interface, name) for name in names]
        except OperationUnknown:
            return False
        return found[0].operation.pointer == found[1].operation.pointer

    def answer(self, key: str, given: Any) -> None:
        """Take what a field holds: a text as it is typed, or the value that is chosen."""
        drafts = self._drafts.setdefault(self.operation, {})
        if isinstance(given, str):
            drafts[key] = retyped(drafts.get(key), given)
        else:
            drafts[key] = given

    def fill(self, drafts: Mapping[str, Any]) -> None:
        """Put other inputs into the form; how it is run stays as it is."""
        before = self._drafts.get(self.operation, {})
        kept = {key: before[key] for key in (TIMEOUT, TWICE) if key in before}
        self._drafts[self.operation] = {**drafts, **kept}

    def forget(self) -> None:
        """Read the skill again at the next look."""
        self._times_forgotten += 1
        self._opened = None

    # Looking.

    def look(self, selection: RunSelection) -> RunState:
        """Plan what is asked for. Starts nothing but what says the versions of commands."""
        times_forgotten = self._times_forgotten
        try:
            opened = self._opened or self._open()
        except RunRefused as error:
            return RunState(selection, str(error))
        # What was read before somebody said that it changed is good for this look alone.
        if times_forgotten == self._times_forgotten:
            self._opened = opened
        name = selection.operation or next(iter(opened.operations), "")
        selection = selection._replace(operation=name)
        try:
            found = resolve_operation(opened.skill, opened.interface, name)
        except OperationUnknown as error:
            return RunState(selection, str(error), opened)
        known = slots(opened.interface, found)
        levels = self.probe()
        try:
            roots = self.roots(opened.folder, selection.workspace)
            program = "wasm" if found.launching.module else "process"
            isolation = levels.choose(selection.isolation, None, program)
        except (WorkspaceRefused, IsolationUnavailable) as error:
            empty = shown(known, selection.drafts, ())
            return RunState(selection, str(error), opened, found, known, empty, levels=levels)
        return _planned(selection, opened, found, known, levels, roots, isolation)

    def _open(self) -> SkillOnDisk:
        from skillstudio.dryrun.planning.make import manifest_errors
        from skillstudio.manifest.project import unmasked
        from skillstudio.skill.versions.comparison import UnreadableManifest, open_version
        from skillstudio.skill.versions.operands import OperandError, resolve

        folder = self.workspace.path(self.skill)
        try:
            version = open_version(resolve(folder), self.workspace.settings(self.skill))
        except OperandError as error:
            raise RunRefused(str(error)) from None
        except UnreadableManifest as error:
            place, message = error.faults[0]
            where = f"{place.path}:{place.line}:{place.column}"
            raise RunRefused(f"the manifest on disk cannot be read: {where}: {message}") from None
        except OSError as error:
            raise RunRefused(f"the skill cannot be read: {error.strerror or error}") from None
        if version is None:
            raise RunRefused("the skill is not on disk any more")
        interface = unmasked(version.skill)
        names = operations(version.skill, interface)
        faults = manifest_errors(version.skill)
        return SkillOnDisk(os.path.realpath(folder), version.skill, interface, names, faults)

    def roots(self, folder: str, workspace: str | None) -> Roots:
        """The folders of a run: as on the command line, else around what is open.

        Raises WorkspaceRefused.
        """
        home = os.path.expanduser("~")
        try:
            return find_roots(folder, workspace, None, self.cwd, home)
        except WorkspaceRefused:
            if workspace is not None:
                raise
            # Started in the home folder: what is open is what is worked in.
            return find_roots(folder, None, None, os.path.realpath(self.workspace.root), home)

    # Running.

    def run(self, state: RunState, cancel: threading.Event, listener: Listener) -> FinishedRun:
        """Run what was planned, keep its report, and remove the copies. Raises RunRefused."""
        from skillstudio.dryrun.run import prepare_run
        from skillstudio.dryrun.staging.staged import StagingRefused
        from skillstudio.files.folders import remove

        opened, found, planned = state.opened, state.found, state.planned
        if opened is None or found is None or planned is None or planned.launch is None:
            raise RunRefused(state.why_not or "nothing is started by this plan")
        ready = prepare_run(
            opened.skill, opened.folder, opened.interface, found.operation, planned,
            twice=state.twice,
        )  # fmt: skip
        # What was chosen from is what it is run by.
        request = ready.request._replace(levels=state.levels or ready.request.levels)
        try:
            finished = dry_run(request, cancel, listener)
        except InterruptedError:
            raise RunRefused("cancelled before anything started") from None
        except (StagingRefused, IsolationUnavailable, OutOfTime) as error:
            raise RunRefused(str(error)) from None
        except OSError as error:
            raise RunRefused(f"no copies can be made: {error.strerror or error}") from None
        try:
            notes = (*ready.notes, *self._keep(finished, request))
        finally:
            remove(finished.folder)
        return FinishedRun(finished.report, notes)

    def _keep(self, finished: CompletedRun, request: Request) -> tuple[str, ...]:
        """Keep a run; what of it is not kept and why, which takes nothing away from its result."""
        from skillstudio.dryrun.applying.recorded_changes import not_kept
        from skillstudio.dryrun.recording import record_run
        from skillstudio.dryrun.run_changes import files_to_record
        from skillstudio.dryrun.traces.key import KeyUnusable

        try:
            folder = record_run(finished, request, None, self.store(), files_to_record)
            return not_kept(folder) if folder else ()
        except OSError as error:
            return (f"the run is not kept: {error.strerror or error}",)
        except KeyUnusable as error:
            return (f"the run is not kept: {error}",)

    def store(self) -> RunStore:
        """Where the runs are kept."""
        from skillstudio.dryrun.traces.store import RunStore, default_folder

        return RunStore(self._runs or default_folder())

    def history(self) -> list[RunHistoryEntry]:
        """The recorded runs of this skill, then others of the workspace."""
        from skillstudio.dryrun.traces.scope import scope_of
        from skillstudio.session.running.history import kept_runs

        return kept_runs(self.store(), scope_of(self.workspace.path(self.skill)), self.scope())

    def scope(self) -> Scope:
        """The workspace that runs are made in, as it is chosen now."""
        from skillstudio.dryrun.traces.scope import scope_of

        return scope_of(os.path.join(self.cwd, self.folder or ""))

    # Samples.

    def samples(self, state: RunState) -> list[SampleChoice]:
        """The samples of the operation: generated, the skill's own, the user's."""
        from skillstudio.dryrun.sampling.samples import committed, saved

        opened = state.opened
        if opened is None:
            return []
        name = state.selection.operation
        generated = SampleChoice(GENERATED, "generated", "the first values that fit the schemas")
        try:
            own = committed(opened.skill.tree, name)
            private = saved(opened.folder, name)
        except (SampleRefused, OSError):
            return [generated]
        return [
            *(SampleChoice(each, each, "in the skill") for each in own),
            *(SampleChoice(each, each, "your own") for each in private if each not in own),
            generated,
        ]

    def load(self, state: RunState, name: str) -> tuple[str, ...]:
        """Put a sample into the form; what of it no field takes. Raises RunRefused."""
        from skillstudio.dryrun.sampling.generating import generate
        from skillstudio.dryrun.sampling.samples import find_sample

        opened, found = state.opened, state.found
        if opened is None or found is None:
            raise RunRefused(state.why_not)
        try:
            if name == GENERATED:
                sample = Sample("", state.selection.operation, generate(found.operation))
            else:
                tree = opened.skill.tree
                sample = find_sample(tree, opened.folder, state.selection.operation, name)
        except (SampleRefused, OSError) as error:
            raise RunRefused(str(error)) from None
        self.operation = state.selection.operation
        self.fill(drafts_of(state.slots, sample))
        return not_on_form(state.slots, sample)

    def save(self, state: RunState, name: str, in_skill: bool) -> str:
        """Save what is in the form as a sample and say where. Raises RunRefused.

        What is sensitive is not in the form's sample, so it is written down nowhere.
        """
        from skillstudio.dryrun.sampling.samples import save_committed, save_private, sensitive_in
        from skillstudio.text.strict_json import NotJson

        opened, found = state.opened, state.found
        if opened is None or found is None:
            raise RunRefused(state.why_not)
        try:
            sample = sample_of(state.slots, self.drafts, state.selection.operation, name)
            if hidden := sensitive_in(sample, opened.interface, found.operation):
                raise RunRefused(f"{', '.join(hidden)}: sensitive values are saved nowhere")
            write = save_committed if in_skill else save_private
            return write(opened.folder, sample)
        except (SampleRefused, NotJson) as error:
            raise RunRefused(str(error)) from None
        except OSError as error:
            raise RunRefused(f"it cannot be written: {error.strerror or error}") from None


def _planned(
    selection: RunSelection,
    opened: SkillOnDisk,
    found: ResolvedOperation,
    known: tuple[Slot, ...],
    levels: IsolationLevels,
    roots: Roots,
    isolation: IsolationChoice,
) -> RunState:
    read = read_drafts(known, selection.drafts, roots, isolation)
    given = read.given._replace(faults=opened.faults)
    planned = make_plan(opened.skill, opened.interface, selection.operation, given, this_machine())
    problems = (*planned.plan.problems, *read.problems)
    wrong = sum(each.severity == "error" for each in problems)
    return RunState(
        selection,
        "",
        opened,
        found,
        known,
        shown(known, selection.drafts, problems),
        planned,
        elsewhere(known, problems),
        wrong,
        levels,
        read.twice,
    )
