"""Test a sample: the folder it runs in, what its run did, and the expectation that is compared with
it or recorded from it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import Any, NamedTuple

from skillstudio.dryrun.credentials import credential_read
from skillstudio.dryrun.dependencies import (
    EnvironmentRefused,
    in_environment,
    prepare_environment,
)
from skillstudio.dryrun.isolation.levels import IsolationUnavailable
from skillstudio.dryrun.judging.declared import has_words
from skillstudio.dryrun.network.choice import read_network
from skillstudio.dryrun.plan import IsolationChoice, NetworkChoice, PlanProblem, Roots
from skillstudio.dryrun.planning.make import make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import (
    OperationUnknown,
    RunInputs,
    WorkspaceRefused,
    find_roots,
    this_machine,
)
from skillstudio.dryrun.prepared import UsageLimits
from skillstudio.dryrun.report import JudgedContract, RunReport
from skillstudio.dryrun.run import CompletedRun, OutOfTime, dry_run, prepare_run
from skillstudio.dryrun.sampling.accepting import ExpectationHunk, expectation_hunks
from skillstudio.dryrun.sampling.expecting import (
    ANY,
    ANY_PART,
    EXECUTABLE,
    REMOVED_FILE,
    FileReader,
    SampleDifference,
    files_differences,
    json_differences,
    json_of_both,
    modes_differences,
    name_of_both,
    split_root,
    text_difference,
    text_of_both,
)
from skillstudio.dryrun.sampling.moments import Clock, clock_of, without_processes
from skillstudio.dryrun.sampling.sample import (
    REPO_ROOT,
    Sample,
    SampleCommit,
    SampleRefused,
)
from skillstudio.dryrun.sampling.samples import read_recorded
from skillstudio.dryrun.staging.leftovers import claim
from skillstudio.dryrun.staging.staged import Staging, StagingRefused
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.files.beneath import open_beneath
from skillstudio.files.folders import remove
from skillstudio.files.git import GitError, ask_git
from skillstudio.files.paths import below
from skillstudio.files.saving.umask import current_umask
from skillstudio.files.temporary import is_temporary
from skillstudio.interface.model import Interface
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.text.strict_json import NotJson, read_json

_LARGEST = 4 << 20  # Bytes of a file or a stream that is compared.
_MORE_RUNS = 3  # Runs that are made when two of them were equal by chance.
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MOMENT = "2025-01-01T12:00:00Z"
_AUTHOR = ("-c", "user.name=skillstudio", "-c", "user.email=skillstudio@localhost",
           "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false")  # fmt: skip


class SampleTestContext(NamedTuple):
    """The skill whose samples are run, and how."""

    skill: Skill
    folder: str
    interface: Interface  # Unmasked: for what is started, never for what is shown.
    isolation: Callable[[LaunchSpec, NetworkChoice], IsolationChoice]
    """The isolation level for a program and its network. Raises IsolationUnavailable."""
    workspace: str | None = None  # A folder to run all samples in.
    faults: tuple[PlanProblem, ...] = ()  # Errors of the manifest that prevent runs.
    allow_net: bool = False  # Whether samples may use the hosts that they name.
    with_deps: bool = False  # Whether to prepare environments with the declared packages.
    allow_builds: bool = False  # Whether packages without a wheel are built, contained.
    packages: tuple[str, ...] = ()  # Further packages, parsed, that no file declares.


class NotRun(NamedTuple):
    """Why a sample was not run, a sentence each."""

    reasons: tuple[str, ...]
    is_skipped: bool = False  # Whether that is no failure.


class TestedSample(NamedTuple):
    """What a test of a sample found."""

    sample: Sample | None = None  # None if it cannot be read.
    differs: tuple[SampleDifference, ...] = ()
    skipped: str = ""  # Why it was not run, where that is no failure.
    stderr: str = ""
    seconds: float = 0.0
    isolation: str = ""
    expect: Mapping[str, Any] | None = None
    """What to expect instead, where that was requested and may be written."""
    hunks: tuple[ExpectationHunk, ...] = ()  # Its differences from what is expected now.
    refusals: tuple[SampleDifference, ...] = ()  # Why no expectation may be written.
    is_failure: bool = False  # Whether the run failed, which the sample does not expect.


def try_sample(
    testing: SampleTestContext,
    find: Callable[[], Sample],
    cancel: threading.Event,
    is_asked: Callable[[Sample, tuple[SampleDifference, ...]], bool],
) -> TestedSample:
    """Test the sample that `find` reads. If `is_asked` of its differences, find what to expect
    instead. Raises OSError when the copies cannot be written."""
    try:
        sample = find()
        with sample_run(testing, sample, cancel) as ran:
            if isinstance(ran, NotRun):
                return _not_run(sample, ran)
            ending = ran.report.ending
            result = TestedSample(
                sample,
                differences(sample.expect, ran),
                "",
                ran.stderr or "",
                ending.duration_ms / 1000,
                ran.report.plan.isolation.id,
            )
            if not is_asked(sample, result.differs):
                return result
            again = expectation(testing, sample, ran, cancel)
            parts = _hunks(sample, ran, again) if isinstance(again, dict) else ()
    except (SampleRefused, IsolationUnavailable) as error:
        return TestedSample(differs=tuple(map(SampleDifference, str(error).splitlines())))
    if not isinstance(again, dict):
        return result._replace(refusals=again)
    code = ending.exit_code
    is_failure = bool(code) and code != sample.expect.get("exit", 0)
    return result._replace(expect=again, hunks=parts, is_failure=is_failure)


def _hunks(sample: Sample, ran: SampleRun, new: Mapping[str, Any]) -> tuple[ExpectationHunk, ...]:
    def still_matches(path: str, content: Any) -> bool:
        change = ran.changes.get(path)
        changes = {} if change is None else {path: change}
        return change is not None and not list(
            files_differences({path: content}, changes, ran.read)
        )

    return expectation_hunks(sample.expect, new, still_matches)


def _not_run(sample: Sample, why: NotRun) -> TestedSample:
    if why.is_skipped:
        return TestedSample(sample, skipped=why.reasons[0])
    return TestedSample(sample, tuple(map(SampleDifference, why.reasons)))


def expectation(
    testing: SampleTestContext,
    sample: Sample,
    ran: SampleRun,
    cancel: threading.Event,
    original: SampleRun | None = None,
) -> dict[str, Any] | tuple[SampleDifference, ...]:
    """What to expect of a sample, by its run and another one; else why no expectation can allow
    what they did. If it does not allow the `original` run, what was equal by chance is sought with
    more runs. Raises what `sample_run` raises."""
    with ExitStack() as stack:
        again = stack.enter_context(sample_run(testing, sample, cancel))
        if isinstance(again, NotRun):
            return tuple(map(SampleDifference, again.reasons))
        expect = record_expectation(sample, ran, again)
        # Nobody is asked about an effect that no manifest can declare: its author names it.
        accepted_effects = sample.expect.get("effects", ())
        wrong = (
            *differences(expect, ran, accepted_effects),
            *differences(expect, again, accepted_effects),
        )
        if wrong:
            return tuple(dict.fromkeys(wrong))
        if original is None or not differences(expect, original):
            return expect
        runs = [ran, again]
        for _ in range(_MORE_RUNS):
            another = stack.enter_context(sample_run(testing, sample, cancel))
            if isinstance(another, NotRun):
                break
            candidates = [record_expectation(sample, run, another) for run in runs]
            runs.append(another)
            for candidate in candidates:
                if not any(differences(candidate, run) for run in (*runs, original)):
                    return candidate
            if not differences(expect, another):
                break  # It does the same each time.
        return expect


@contextmanager
def sample_run(
    testing: SampleTestContext, sample: Sample, cancel: threading.Event
) -> Iterator[SampleRun | NotRun]:
    """Run a sample in a folder that exists until the end of the context. Raises OSError when the
    copies cannot be written, and IsolationUnavailable."""
    with ExitStack() as stack:
        try:
            result = _run(testing, sample, cancel, stack)
        except (
            SampleRefused,
            WorkspaceRefused,
            OperationUnknown,
            StagingRefused,
            OutOfTime,
        ) as refusal:
            result = NotRun((str(refusal),))
        except EnvironmentRefused as error:
            result = NotRun(tuple(str(error).splitlines()))
        except InterruptedError:
            result = NotRun(("cancelled",))
        yield result


def _run(
    testing: SampleTestContext, sample: Sample, cancel: threading.Event, stack: ExitStack
) -> SampleRun | NotRun:
    workspace = testing.workspace or stack.enter_context(
        sample_folder(sample, testing.folder, copies_folder())
    )
    # Without a folder, the sample runs in the repository of the skill.
    near = testing.folder if workspace is None else os.getcwd()
    roots = find_roots(testing.folder, workspace, None, near, os.path.expanduser("~"))
    resolved_operation = resolve_operation(testing.skill, testing.interface, sample.operation)
    network = read_network(sample.net)
    if network.is_open and not testing.allow_net:
        hosts = ", ".join(network.hosts)
        return NotRun(
            (f"the sample asks for the network: {hosts}; allow it with --allow-net",), True
        )
    recordings = read_recorded(testing.folder, sample) if network.mode == "replay" else ()
    isolation = testing.isolation(resolved_operation.launch_spec, network)
    run_inputs = RunInputs(
        roots, sample=sample.inputs, arguments=sample.arguments, env=sample.env,
        isolation=isolation, stdin=sample.stdin, faults=testing.faults,
        network=network, packages=testing.packages,
    )  # fmt: skip
    machine = this_machine()
    planned_run = make_plan(testing.skill, testing.interface, sample.operation, run_inputs, machine)
    problems = planned_run.plan.problems
    errors = tuple(problem.message for problem in problems if problem.severity == "error")
    if errors:
        return NotRun(errors)
    if planned_run.launch is None:
        notes = [problem.message for problem in problems]
        return NotRun((notes[0] if notes else "there is no program to start",), True)
    if isolation.id == "plan":
        reason = isolation.reasons.get("wasm") or "no isolation level of this machine can run it"
        return NotRun((reason,), True)
    environment = None
    if testing.with_deps:
        builds = UsageLimits() if testing.allow_builds else None
        packages = planned_run.launch.packages
        environment = prepare_environment(
            planned_run.plan, machine.environ, cancel, builds, packages
        )
    if environment is not None:
        machine = this_machine(environment.programs)
        planned_run = make_plan(
            testing.skill, testing.interface, sample.operation, run_inputs, machine
        )
    request = prepare_run(
        testing.skill, testing.folder, testing.interface, resolved_operation.operation, planned_run
    )
    if environment is not None:
        request = in_environment(request, environment)
    home = fixtures(sample, testing.folder, "home")
    completed_run = dry_run(
        request._replace(home_files=home, recorded_exchanges=recordings), cancel
    )
    stack.callback(remove, completed_run.folder)
    if completed_run.report.ending.cancelled:
        raise InterruptedError
    return what_it_did(completed_run, sample, testing.folder)


@contextmanager
def sample_folder(sample: Sample, skill_folder: str, parent: str) -> Iterator[str | None]:
    """A new folder with copies and fixtures as the sample requests; None for the skill's
    repository. Raises SampleRefused, and OSError when it cannot be created."""
    workspace = sample.workspace
    if workspace.folder == REPO_ROOT and not workspace.git:
        if fixtures(sample, skill_folder, "workspace"):
            raise SampleRefused("fixtures cannot be put into workspace: repo_root; name a folder")
        yield None
        return
    claimed_folder = claim(parent)
    try:
        target = os.path.join(claimed_folder, "workspace")
        _fill(workspace.folder, skill_folder, target)
        for path, data in fixtures(sample, skill_folder, "workspace").items():
            _put(target, path, data)
        if workspace.git:
            _make_repository(target, workspace.commits)
        yield target
    finally:
        remove(claimed_folder)


def _fill(folder: str, skill_folder: str, target: str) -> None:
    if not folder:
        os.mkdir(target)
        return
    source = os.path.realpath(os.path.join(skill_folder, folder))
    if below(source, os.path.realpath(skill_folder)) is None or not os.path.isdir(source):
        raise SampleRefused(f"the workspace {folder} is not a folder of the skill")
    shutil.copytree(
        source, target, symlinks=True, ignore=lambda _, names: list(filter(is_temporary, names))
    )


def fixtures(sample: Sample, skill_folder: str, root: str) -> dict[str, bytes]:
    """The content of each fixture in a folder of the run. Raises SampleRefused."""
    contents = {}
    for name, content in sample.fixtures.items():
        of, path = split_root(name)
        if of == root and isinstance(content, str):
            contents[path] = content.encode("utf-8")
        elif of == root:
            contents[path] = beside(sample, skill_folder, content["from"])
    return contents


def beside(sample: Sample, skill_folder: str, name: str) -> bytes:
    """The content of a file named relative to the sample's folder. Raises SampleRefused."""
    inside = os.path.normpath(os.path.join(os.path.dirname(sample.path), name))
    try:
        if os.path.isabs(sample.path):
            raise SampleRefused("a private sample cannot name files with from; use text")
        with os.fdopen(open_beneath(skill_folder, inside, os.O_RDONLY | _OPEN_FLAGS), "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise SampleRefused(f"{sample.path}: the file {name} cannot be read: {why}") from None
    if len(data) > _LARGEST:
        raise SampleRefused(f"{sample.path}: the file {name} has more than {_LARGEST:,} bytes")
    return data


def _put(folder: str, path: str, data: bytes) -> None:
    """Write a fixture; its path was checked and stays in the folder, links included."""
    try:
        target = _place(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.islink(target):
            os.unlink(target)
        with open(target, "wb") as file:
            file.write(data)
    except OSError as error:
        why = error.strerror or str(error)
        raise SampleRefused(f"the fixture {path} cannot be written: {why}") from None


def _place(folder: str, path: str) -> str:
    """Where a file of the workspace is. Raises SampleRefused if a link leads out of it."""
    above, name = os.path.split(os.path.normpath(path))
    real = os.path.realpath(os.path.join(folder, above))
    if below(real, os.path.realpath(folder)) is None:
        raise SampleRefused(f"the fixture {path} leads out of the workspace through a link")
    return os.path.join(real, name)


def _make_repository(folder: str, commits: Sequence[SampleCommit]) -> None:
    try:
        ask_git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
        _commit(folder, SampleCommit("", "", {}), "Begin")
        for number, commit in enumerate(commits, 1):
            for path, text in commit.files.items():
                if text == REMOVED_FILE:
                    os.unlink(_place(folder, path))
                else:
                    _put(folder, path, text.encode("utf-8"))
            _commit(folder, commit, f"Commit {number}")
    except (GitError, OSError) as error:
        raise SampleRefused(f"the workspace cannot be made a repository: {error}") from None


def _commit(folder: str, commit: SampleCommit, title: str) -> None:
    """Commit everything. The name is never an option, and the address no real one. Raises
    GitError."""
    date = commit.date or _MOMENT
    moment = date if "T" in date else f"{date}T12:00:00Z"
    variables = {
        "GIT_AUTHOR_NAME": commit.author or "skillstudio",
        "GIT_AUTHOR_DATE": moment,
        "GIT_COMMITTER_DATE": moment,
    }
    ask_git(folder, "add", "--all", "--force")
    ask_git(folder, *_AUTHOR, "commit", "--quiet", "--allow-empty", f"--message={title}",
            env=variables)  # fmt: skip


class SampleRun(NamedTuple):
    """What the run of a sample did."""

    report: RunReport
    stdout: str | None  # Masked; None if it is too long to compare, or no UTF-8.
    stderr: str | None
    changes: Mapping[str, str]
    """Path of a file to `added`, `modified` or `removed`; `skill:`, `home:` and `tmp:` name
    folders."""
    read: FileReader
    folders: tuple[str, ...] = ()
    """The absolute folders of this run, which other runs and machines have elsewhere."""
    modes: Mapping[str, str] | None = None
    """Permissions by path of a changed file, "" for usual ones, and of a new folder with unusual
    ones; None where there are none."""


def what_it_did(completed_run: CompletedRun, sample: Sample, skill_folder: str) -> SampleRun:
    """What a completed run did; the changed files are read while its folder exists."""
    report = completed_run.report
    places = {
        _name_path(change.root, change.path): change.copy for change in completed_run.result.changes
    } | {
        _name_path("home", change.path): os.path.join(completed_run.staged_copies.home, change.path)
        for change in completed_run.result.home
    }
    changes = {
        _name_path(change.root, change.path): change.change
        for change in report.changes
        if ".git" not in change.path.split("/")
    }
    for path in report.leftover_files:
        name = _name_path("tmp", path)
        changes[name] = "added"
        places[name] = os.path.join(completed_run.staged_copies.temporary, path)

    def content(path: str) -> bytes | None:
        data = _read(places.get(path, ""))
        return None if data is None else completed_run.redactor.data(data)

    def digest(path: str) -> str:
        return _digest(places.get(path, ""))

    def other(name: str) -> bytes:
        return beside(sample, skill_folder, name)

    return SampleRun(
        report,
        printed_text(os.path.join(completed_run.folder, "stdout"), completed_run.staged_copies),
        printed_text(os.path.join(completed_run.folder, "stderr"), completed_run.staged_copies),
        changes,
        FileReader(content, digest, other),
        _folders(completed_run),
        {**new_folder_modes(completed_run), **changed_modes(report)}
        if os.name == "posix"
        else None,
    )


def changed_modes(report: RunReport) -> dict[str, str]:
    """The permissions of changed files by path: "" for those of any new file or folder, and those
    that a file had before; `755` for those of an executable, whatever the umask; else in octal."""
    umask = current_umask()
    modes = {}
    for change in report.changes:
        if change.mode and ".git" not in change.path.split("/"):
            is_folder = change.kind == "folder"
            usual = {f"{0o777 & ~umask:o}": "" if is_folder else EXECUTABLE}
            usual |= {} if is_folder else {f"{0o666 & ~umask:o}": ""}
            is_as_before = change.change == "modified" and not change.about
            mode = "" if is_as_before else usual.get(change.mode, change.mode)
            modes[_name_path(change.root, change.path)] = mode
    return modes


def new_folder_modes(completed_run: CompletedRun) -> dict[str, str]:
    """The unusual permissions of new folders with new files, which are no changes themselves."""
    usual = 0o777 & ~current_umask()
    modes = {}
    for change in completed_run.result.changes:
        path, place, original = change.path, change.copy, change.original
        while change.entry_change.before is None and (path := os.path.dirname(path)):
            place, original = os.path.dirname(place), os.path.dirname(original)
            if completed_run.staged_copies.was_present(original) or ".git" in path.split("/"):
                break
            mode = stat.S_IMODE(os.lstat(place).st_mode)
            if mode != usual:
                modes[_name_path(change.root, path)] = f"{mode:o}"
    return modes


def _folders(completed_run: CompletedRun) -> tuple[str, ...]:
    staging = completed_run.staged_copies
    copies = [path for copy in staging.copies for path in (copy.folder, copy.original)]
    folders = (*copies, *staging.original[:2], *staging.roots[:2], staging.home, staging.temporary)
    return tuple(sorted(dict.fromkeys(folders), key=len, reverse=True))


def _name_path(root: str, path: str) -> str:
    return path if root == "workspace" else f"{root}:{path}"


def _open(path: str) -> int:
    """Open a file of a copy, following no link. Raises OSError."""
    above, name = os.path.split(path)
    return open_beneath(above, name, os.O_RDONLY | _OPEN_FLAGS, links=False)


def _read(path: str) -> bytes | None:
    try:
        with os.fdopen(_open(path), "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError:
        return None  # A folder, a link, or a device.
    return None if len(data) > _LARGEST else data


def _digest(path: str) -> str:
    digest = sha256()
    try:
        with os.fdopen(_open(path), "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError:
        return ""
    return digest.hexdigest()


def printed_text(path: str, staging: Staging) -> str | None:
    """What a program printed, with the paths of a real run at every isolation level."""
    data = _read(path)
    try:
        return None if data is None else staging.restore_paths(data.decode("utf-8"))
    except UnicodeDecodeError:
        return None


_IN_FILES = frozenset({"fs.write", "db.write", "git.write"})
"""Effects visible in changed files, without a tracer."""
_USED = ("declared-observed", "undeclared", "blocked")
"""Verdicts of effects that a run has, or attempts."""
_TIMED_OUT = "the run timed out"
_ACCEPT = "; no manifest can declare it: list it in the sample's `effects` to accept it"


def differences(
    expect: Mapping[str, Any], run: SampleRun, accepted_effects: Collection[str] | None = None
) -> tuple[SampleDifference, ...]:
    """How a run differs from an expectation and from what the manifest declares. Of the effects
    that no manifest can declare, `accepted_effects` ones pass, by default the expected ones."""
    raw_differences = _differences(
        expect, run, expect.get("effects", ()) if accepted_effects is None else accepted_effects
    )
    return tuple(
        difference if isinstance(difference, SampleDifference) else SampleDifference(difference)
        for difference in raw_differences
    )


def _differences(
    expect: Mapping[str, Any], run: SampleRun, accepted_effects: Collection[str]
) -> Iterator[SampleDifference | str]:
    yield from _ending(expect.get("exit", 0), run.report)
    yield from _find_violations(
        excuse_faults(run.report, bool(expect.get("exit", 0)), accepted_effects)
    )
    for key, value in expect.items():
        yield from _COMPARISONS[key](value, run)


def _ending(expected_code: int, report: RunReport) -> Iterator[str]:
    ending = report.ending
    if ending.timed_out:
        yield _TIMED_OUT
    elif ending.exit_code != expected_code:
        got = ending.error or ending.signal or ending.exit_code
        yield f"exit status: expected {expected_code}, got {got}"


def judged_by(expect: Mapping[str, Any], report: RunReport) -> RunReport:
    """The report of a run of a sample, in which nothing is a fault that its test allows."""
    code = expect.get("exit", 0)
    report = report._replace(expected_exit=code)
    is_expected = report.ending.exit_code == code and not report.ending.timed_out
    return excuse_faults(report, bool(code), expect.get("effects", ())) if is_expected else report


def excuse_faults(report: RunReport, fails: bool, accepted_effects: Collection[str]) -> RunReport:
    """The report without the faults that a test allows. A run that is expected to fail need not
    keep the contract or write its outputs. Of the effects that a manifest cannot declare,
    `accepted_effects` ones pass."""
    dialect = report.plan.dialect
    effects = tuple(
        effect._replace(is_error=False)
        if effect.effect in accepted_effects and not has_words(dialect, effect.effect)
        else effect
        for effect in report.effects
    )
    if not fails:
        return report._replace(effects=effects)
    outputs = tuple(
        output._replace(is_error=False) if output.verdict == "missing" else output
        for output in report.outputs
    )
    contract = JudgedContract(ok=True)
    return report._replace(effects=effects, outputs=outputs, contract=contract)


def _find_violations(report: RunReport) -> Iterator[str]:
    """What the manifest does not allow."""
    yield from (f"standard output: {problem}" for problem in report.contract.problems)
    for effect in report.effects:
        if effect.is_error:
            advice = "" if has_words(report.plan.dialect, effect.effect) else _ACCEPT
            evidence = "; ".join(effect.evidence[:1])
            yield f"effect {effect.effect} is {effect.verdict}: {evidence}{advice}"
    for output in report.outputs:
        if output.is_error:
            yield f"output file {output.verdict}: {output.pattern or ', '.join(output.paths)}"
    yield from (f"observation incomplete: {reason}" for reason in report.incomplete)
    if report.repeat_changes:
        yield f"not idempotent: a second run {report.repeat_changes[0]}"


def _stream(what: str, expected_text: str, actual: str | None) -> Iterator[SampleDifference]:
    if actual is None:
        yield SampleDifference(f"{what} is no UTF-8, or has more than {_LARGEST:,} bytes")
    else:
        yield from text_difference(what, expected_text, actual)


def _json(expected_value: Any, run: SampleRun) -> Iterator[SampleDifference]:
    try:
        actual = printed_json(run.stdout or "")
    except NotJson as error:
        yield SampleDifference(f"standard output is not JSON: {error}")
    else:
        yield from json_differences(expected_value, actual)


def printed_json(text: str) -> Any:
    """The JSON value that a text, else its last line, consists of. Raises NotJson."""
    try:
        return read_json(text)
    except NotJson:
        return read_json(text.rstrip().rpartition("\n")[2])


def _files(expected_files: Mapping[str, Any], run: SampleRun) -> Iterator[SampleDifference]:
    if not run.report.traced:
        # Without a tracer nothing is known of files that were left.
        expected_files = {
            path: file for path, file in expected_files.items() if not path.startswith("tmp:")
        }
    yield from files_differences(expected_files, run.changes, run.read)


def _modes(expected_modes: Mapping[str, str], run: SampleRun) -> Iterator[SampleDifference]:
    yield from modes_differences(expected_modes, run.modes or {})


def _effects(expected_effects: list[str], run: SampleRun) -> Iterator[SampleDifference]:
    observed_effects = used_effects(run.report)
    prevented_effects = {
        effect.effect for effect in run.report.effects if effect.verdict == "prevented"
    }
    for effect in expected_effects:
        # Without a tracer only effects on files can be observed.
        if effect not in (*observed_effects, *prevented_effects) and (
            run.report.traced or effect in _IN_FILES
        ):
            yield SampleDifference(f"effect {effect}: expected, but not observed")
    for effect in observed_effects:
        if effect not in expected_effects:
            yield SampleDifference(f"effect {effect}: observed, which is not expected")


def used_effects(report: RunReport) -> list[str]:
    """The effects that a run had or attempted, which do not depend on the isolation level, also by
    each file of credentials that was read: `fs.read ~/.netrc`."""
    used = [effect for effect in report.effects if effect.verdict in _USED]
    credentials = {
        f"{effect.effect} {_by_root(path, report.plan.roots)}"
        for effect in used
        for line in effect.evidence
        if (path := credential_read(line))
    }
    return sorted(credentials.union(effect.effect for effect in used))


def _by_root(path: str, roots: Roots) -> str:
    """A path as in a sample: relative to the workspace, `skill:PATH`, or as it is."""
    if inside := below(path, roots.skill):
        return f"skill:{inside}"
    return below(path, roots.workspace) or path


_COMPARISONS: Mapping[str, Callable[[Any, SampleRun], Iterator[SampleDifference]]] = {
    "exit": lambda _value, _run: iter(()),  # Compared by `_ending`, also when it is not named.
    "stdout": lambda value, run: _stream("standard output", value, run.stdout),
    "stderr": lambda value, run: _stream("standard error", value, run.stderr),
    "json": _json,
    "files": _files,
    "modes": _modes,
    "effects": _effects,
}
_SQLITE = b"SQLite format 3\0"
_MOST_TEXT = 4096  # Characters of a text that is recorded whole.


def record_expectation(sample: Sample, run: SampleRun, again: SampleRun) -> dict[str, Any]:
    """The expectation of a run, in the keys of the sample's or all; what still matches stays, and
    what `again` did differently, or depends on the time, becomes an elision or a placeholder."""
    expect: dict[str, Any] = {}
    old = sample.expect
    starts = [run.report.started_at, again.report.started_at]
    clock = clock_of(starts, repr(sample._replace(expect={})))
    fresh = expectation_of(_without_folders(run), _without_folders(again), clock)
    for key in old or _usual(fresh, run):
        if key in old and key != "exit" and not list(_COMPARISONS[key](old[key], run)):
            expect[key] = old[key]
        elif key in fresh:
            expect[key] = fresh[key]
    if run.report.ending.exit_code:
        expect = {"exit": run.report.ending.exit_code} | expect
    return expect


def _without_folders(run: SampleRun) -> SampleRun:
    """The run with an elision in place of its absolute folders."""
    names = "|".join(map(re.escape, run.folders))
    folder = re.compile(rf"(?:{names})(?![\w.-])" if names else r"(?!)")
    in_bytes = re.compile(folder.pattern.encode())

    def text(value: str | None) -> str | None:
        return None if value is None else folder.sub(ANY_PART, value)

    def content(path: str) -> bytes | None:
        data = run.read.content(path)
        return None if data is None else in_bytes.sub(ANY_PART.encode(), data)

    read = run.read._replace(content=content)
    return run._replace(stdout=text(run.stdout), stderr=text(run.stderr), read=read)


def _usual(fresh: Mapping[str, Any], run: SampleRun) -> list[str]:
    """The keys of a new expectation, without a text that is nothing but a JSON value, and without
    an empty standard error."""
    left_out = set()
    if "json" in fresh and _is_json(run.stdout or ""):
        left_out.add("stdout")
    if not fresh.get("stderr"):
        left_out.add("stderr")
    return [key for key in fresh if key not in left_out]


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except NotJson:
        return False
    return True


def expectation_of(run: SampleRun, again: SampleRun, clock: Clock) -> dict[str, Any]:
    """What to expect of two runs, without what depends on the time."""
    expect: dict[str, Any] = {}
    if run.report.ending.exit_code:
        expect["exit"] = run.report.ending.exit_code
    for key, text, other in (
        ("stdout", run.stdout, again.stdout),
        ("stderr", run.stderr, again.stderr),
    ):
        if text is not None and other is not None:
            expect[key] = text_of_both(clock.elide_all(text), clock.elide_all(other))
    try:
        values = printed_json(run.stdout or ""), printed_json(again.stdout or "")
        if isinstance(values[0], dict | list):
            expect["json"] = without_processes(json_of_both(*values, clock.elide_value))
    except NotJson:
        pass  # A text only.
    expect["files"], modes = _recorded_files(run, again, clock)
    if expect["files"] and run.modes is not None:
        expect["modes"] = modes
    expect["effects"] = used_effects(run.report)
    return expect


def _recorded_files(
    run: SampleRun, again: SampleRun, clock: Clock
) -> tuple[dict[str, Any], dict[str, str]]:
    """What to expect of each changed file, and unusual permissions, by path; by a glob where the
    name varies."""
    files: dict[str, Any] = {}
    modes: dict[str, str] = {}
    for path, other in _pairs(list(run.changes), list(again.changes)):
        name = name_of_both(clock.elide_name(path), clock.elide_name(other))
        content = _recorded_file((path, other), run.changes[path], run, again, clock)
        files[name] = content if files.get(name, content) == content else ANY
        if (run.modes or {}).get(path, ""):
            modes[name] = (run.modes or {})[path]
    folders = {path: mode for path, mode in (run.modes or {}).items() if path not in run.changes}
    return files, modes | {path: folders[path] for path in folders if path in (again.modes or {})}


def _pairs(paths: list[str], other_paths: list[str]) -> Iterator[tuple[str, str]]:
    """Each path with that of the other run, which has another name if names vary."""
    only = [path for path in paths if path not in other_paths]
    only_others = [path for path in other_paths if path not in paths]
    renames = dict(zip(only, only_others, strict=False)) if len(only) == len(only_others) else {}
    for path in paths:
        yield path, renames.get(path, path)


def _recorded_file(
    paths: tuple[str, str], change: str, run: SampleRun, again: SampleRun, clock: Clock
) -> Any:
    if change == "removed":
        return REMOVED_FILE
    path, other_path = paths
    data, other = run.read.content(path), again.read.content(other_path)
    if data is not None and data.startswith(_SQLITE):
        return ANY  # Its bytes depend on the version of SQLite.
    if data is None or other is None:
        digests = run.read.digest(path), again.read.digest(other_path)
        return {"sha256": digests[0]} if digests[0] and digests[0] == digests[1] else ANY
    try:
        texts = data.decode("utf-8"), other.decode("utf-8")
        if len(texts[0]) <= _MOST_TEXT and "\0" not in texts[0]:
            return text_of_both(*map(clock.elide_all, texts))
    except UnicodeDecodeError:
        pass  # Recorded by its digest below.
    if data != other or clock.is_in(data):
        return ANY
    # The digest of the file itself, unless something in it was masked or elided.
    digest = sha256(data).hexdigest()
    return {"sha256": digest} if digest == run.read.digest(path) else ANY
