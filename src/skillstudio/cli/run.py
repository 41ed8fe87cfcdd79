"""`skillstudio run`: run an operation in copies and compare it with its manifest."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from errno import EDQUOT, ENOSPC
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import (
    CANCELLED,
    ISOLATION_MISSING,
    OK,
    PROBLEMS,
    REQUIREMENT_MISSING,
    TIMED_OUT,
    USAGE,
)
from skillstudio.cli.output import Result, UsageError, ask_consent, refuse_on, say, warn
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    LocalSkill,
    check_builds,
    choose_isolation,
    open_skill,
    read_roots,
    read_run_inputs,
    read_sample,
)
from skillstudio.dryrun.plan import IsolationChoice, NetworkChoice, Roots
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.run_inputs import (
    PlannedRun,
    RunInputs,
    WorkspaceRefused,
    find_roots,
)
from skillstudio.dryrun.report import RunReport, not_started
from skillstudio.files.paths import make_relative

if TYPE_CHECKING:
    from skillstudio.cli.applying import AppliedRun
    from skillstudio.dryrun.dependencies import PreparedEnvironment
    from skillstudio.dryrun.passes import Request, StartingPoint
    from skillstudio.dryrun.prepared import UsageLimits
    from skillstudio.dryrun.run import CompletedRun
    from skillstudio.dryrun.sampling.sample import Sample
    from skillstudio.dryrun.staging.survey import CopyLimits
    from skillstudio.dryrun.traces.trace import Mode
    from skillstudio.present.lines import Part

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class _SampleFolder(NamedTuple):
    """The folder that a sample says what is in."""

    sample: Sample
    roots: Roots
    home: Mapping[str, bytes]  # Path in the home folder to its content.


@contextmanager
def _handle_signals(signals: Sequence[int], handler: Callable[..., Any]) -> Iterator[None]:
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let the signals that end a program or its terminal act as Ctrl-C: clean up first."""
    with _handle_signals(_ENDING, signal.default_int_handler):
        yield


@contextmanager
def cancelled_by_signals() -> Iterator[threading.Event]:
    """Let Ctrl-C and the like end the run with all that it started, and only then this program."""
    cancel = threading.Event()
    with _handle_signals((signal.SIGINT, *_ENDING), lambda *_: cancel.set()):
        yield cancel


@ended_by_signals()
def run(options: CommandOptions) -> Result | int:
    """Run and report; the exit status is that of the run."""
    check_builds(options)
    local_skill = open_skill(options.path)
    if options.injected:
        from skillstudio.cli.injected_run import run_injected

        return run_injected(local_skill, options, partial(_start_injected, local_skill, options))
    if not options.operation and not options.rest:
        resolved_operation = local_skill.operation("")
        if resolved_operation.launch_spec.script == "":
            return _list(local_skill)
    with ExitStack() as stack:
        return _run_operation(local_skill, options, stack)


def _run_operation(
    local_skill: LocalSkill, options: CommandOptions, stack: ExitStack
) -> Result | int:
    """Plan and run one operation; `stack` keeps the folder of its sample until the end."""
    folder = _sample_folder(local_skill, options, stack)
    roots = folder.roots if folder is not None else read_roots(local_skill, options)
    run_inputs = read_run_inputs(local_skill, options, options.rest, roots)
    resolved_operation = local_skill.operation(options.operation)
    missing = ""
    try:
        isolation = choose_isolation(resolved_operation.launch_spec, options, run_inputs.network)
    except IsolationMissing as error:
        missing = str(error)
        isolation_level = options.isolation or options.require_isolation or run_inputs.network.needs
        isolation = IsolationChoice("plan", (), {isolation_level: missing})
    run_inputs = run_inputs._replace(isolation=isolation)
    planned_run = local_skill.plan(options.operation, run_inputs)
    if missing:
        warn(missing)
        return _result(
            not_started(planned_run.plan, missing), options, local_skill, ISOLATION_MISSING
        )
    if planned_run.launch is None or isolation.id == "plan":
        return _report_refusal(planned_run, options, local_skill)
    if options.save_sample:
        from skillstudio.cli.capturing import check_name

        check_name(local_skill, planned_run.plan.operation, options)
    ask(planned_run, options)
    if options.with_deps or options.packages:
        return _run_prepared(
            planned_run, run_inputs, resolved_operation, options, local_skill, folder
        )
    return _run(planned_run, resolved_operation, options, local_skill, folder)


def _sample_folder(
    local_skill: LocalSkill, options: CommandOptions, stack: ExitStack
) -> _SampleFolder | None:
    """The folder that the sample of the options runs in; None without one, or if options name
    another one. Raises UsageError."""
    if not options.sample or options.workspace or options.repo_root:
        return None
    sample = read_sample(
        local_skill, options.operation or local_skill.only_operation, options.sample
    )
    if not sample.has_own_folder:
        return None
    for option in ("apply", "patch", "on"):
        if getattr(options, option):
            raise UsageError(
                f"--{option} needs your own files, but the sample {sample.name} runs in a folder "
                "of its own; name yours with --workspace"
            )
    from skillstudio.dryrun.sampling.sample import SampleRefused
    from skillstudio.dryrun.testing import fixtures, sample_folder
    from skillstudio.dryrun.traces.store import copies_folder

    try:
        sample_workspace = stack.enter_context(
            sample_folder(sample, local_skill.folder, copies_folder())
        )
        home = fixtures(sample, local_skill.folder, "home")
    except (SampleRefused, OSError) as error:
        raise UsageError(f"cannot fill the folder of the sample {sample.name}: {error}") from None
    # Without one, it runs in the repository of the skill.
    near = local_skill.folder if sample_workspace is None else os.getcwd()
    with refuse_on(WorkspaceRefused):
        roots = find_roots(
            local_skill.folder, sample_workspace, None, near, os.path.expanduser("~")
        )
    return _SampleFolder(sample, roots, home)


def _start_injected(
    local_skill: LocalSkill,
    options: CommandOptions,
    planned_run: PlannedRun,
    resolved_operation: ResolvedOperation,
) -> tuple[Request, CompletedRun] | int:
    from skillstudio.dryrun.staging.survey import LIMITS

    ask(planned_run, options)
    limits = LIMITS._replace(size=options.stage_limit or LIMITS.size)
    return perform(
        planned_run, resolved_operation, local_skill, limits, usage_limits=_usage_limits(options)
    )


def _run_prepared(
    planned_run: PlannedRun,
    run_inputs: RunInputs,
    resolved_operation: ResolvedOperation,
    options: CommandOptions,
    local_skill: LocalSkill,
    folder: _SampleFolder | None,
) -> Result | int:
    """Run in an environment with the declared packages; say where they come from."""
    from skillstudio.dryrun.dependencies import EnvironmentRefused, prepare_environment
    from skillstudio.dryrun.isolation.levels import IsolationUnavailable

    builds = _usage_limits(options) if options.allow_builds else None
    try:
        with cancelled_by_signals() as cancel:
            packages = planned_run.launch.packages if planned_run.launch is not None else ()
            environment = prepare_environment(
                planned_run.plan, os.environ, cancel, builds, packages
            )
    except IsolationUnavailable as error:
        warn(str(error))
        return _result(
            not_started(planned_run.plan, str(error)), options, local_skill, ISOLATION_MISSING
        )
    except InterruptedError:
        return _result(not_started(planned_run.plan, "cancelled"), options, local_skill, CANCELLED)
    except EnvironmentRefused as error:
        first, *rest = str(error).splitlines()
        for line in (first, *rest):
            warn(line)
        why = f"{first} {rest[-1].strip()}" if rest else first
        return _result(
            not_started(planned_run.plan, why), options, local_skill, REQUIREMENT_MISSING
        )
    if environment is None:
        say(f"{local_skill.label}: the script declares no packages, so there is nothing to prepare")
        return _run(planned_run, resolved_operation, options, local_skill, folder)
    how = f"prepared in {environment.seconds:.1f} s" if environment.is_new else "used again"
    say(f"packages of {environment.source}: {how}, {environment.folder}")
    planned_run = local_skill.plan(options.operation, run_inputs, environment.programs)
    return _run(planned_run, resolved_operation, options, local_skill, folder, environment)


def _list(local_skill: LocalSkill) -> Result:
    """The scripts of a skill without operations, and how to run each."""
    from skillstudio.cli.painting import parts_result
    from skillstudio.manifest.injected import find_injected
    from skillstudio.present.injected import injected_note
    from skillstudio.present.programs import program_lines, programs_value
    from skillstudio.skill.programs import find_programs, first_library

    programs = find_programs(local_skill.skill.tree)
    name = local_skill.interface.name or local_skill.skill.name
    injected_commands = find_injected(local_skill.skill.markdown)
    if not programs and injected_commands:
        say(f"{name} declares no operations and has no scripts")
        note = injected_note(local_skill.label, len(injected_commands))
        return parts_result(list, lambda: [note], USAGE)
    if not programs and (library := first_library(local_skill.skill.tree)):
        raise UsageError(
            f"{name} has no operations, and its scripts neither read arguments nor have a main "
            f"part; run one all the same with: skillstudio run {local_skill.label} {library}"
        )
    if not programs:
        raise UsageError(
            f"{name} has no operations and no scripts, so there is nothing to run; its files are "
            "instructions for agents"
        )
    say(f"{name} declares no operations; name the script to run")
    lines: list[Part] = list(program_lines(local_skill.label, programs, name))
    if injected_commands:
        lines.append(injected_note(local_skill.label, len(injected_commands)))
    return parts_result(lambda: programs_value(programs), lambda: lines, USAGE)


def _report_refusal(
    planned_run: PlannedRun, options: CommandOptions, local_skill: LocalSkill
) -> Result:
    from skillstudio.present.lines import count

    plan = planned_run.plan
    errors = [problem for problem in plan.problems if problem.severity == "error"]
    # One of them only counts the others.
    errors = [error for error in errors if error.rule != "manifest-errors"]
    why = f"fix {count(len(errors), 'error')}" if errors else "isolation level plan starts nothing"
    if not errors and plan.isolation.id != "plan":
        why = "there is no program to start"
    missing = [error for error in errors if error.rule == "requirement-missing"]
    status = REQUIREMENT_MISSING if missing and missing == errors else PROBLEMS
    return _result(not_started(plan, why), options, local_skill, status)


def ask(planned_run: PlannedRun, options: CommandOptions) -> None:
    """Get consent by `--yes` or at the terminal. Raises UsageError without it."""
    reasons = planned_run.plan.confirm
    if not reasons or options.yes:
        return
    say(*reasons)
    if options.format == "text" and sys.stdin.isatty() and sys.stderr.isatty():
        if ask_consent("Run it anyway?"):
            return
        raise UsageError("not run")
    raise UsageError("this run needs your consent; pass --yes to give it")


def _run(
    planned_run: PlannedRun,
    resolved_operation: ResolvedOperation,
    options: CommandOptions,
    local_skill: LocalSkill,
    folder: _SampleFolder | None,
    environment: PreparedEnvironment | None = None,
) -> Result | int:
    from skillstudio.dryrun.staging.survey import LIMITS
    from skillstudio.files.folders import remove

    limits = LIMITS._replace(size=options.stage_limit or LIMITS.size)
    usage_limits = _usage_limits(options)
    sample = _read_network_sample(planned_run, resolved_operation, options, local_skill)
    base = _base(options)
    run_outcome = perform(
        planned_run,
        resolved_operation,
        local_skill,
        limits,
        options.twice,
        usage_limits,
        sample,
        environment,
        base,
        folder.home if folder is not None else {},
    )
    if isinstance(run_outcome, int):
        why = {
            CANCELLED: "cancelled",
            TIMED_OUT: "copying the folders used up the timeout",
        }.get(run_outcome, "its isolation level is no longer available")
        return _result(not_started(planned_run.plan, why), options, local_skill, run_outcome)
    request, completed_run = run_outcome
    report = completed_run.report
    try:
        is_recorded = bool(record(completed_run, request, options.trace, options.keep))
        if sample is not None and request.launch.network.mode == "record":
            _save_recorded(completed_run, local_skill, sample)
        outcome = None
        if (options.apply or options.patch) and not report.ending.cancelled:
            from skillstudio.cli.applying import after_run

            outcome = after_run(completed_run, options.apply, options.patch, options.skip_sensitive)
        if report.ending.cancelled:
            status = CANCELLED
        elif report.ending.timed_out:
            status = TIMED_OUT
        elif outcome is not None and outcome.status != OK:
            status = outcome.status
        else:
            status = OK if report.ok else PROBLEMS
        if options.save_sample and not report.ending.cancelled:
            from skillstudio.cli.capturing import save_run

            with cancelled_by_signals() as cancel:
                origin = folder.sample if folder is not None else None
                is_saved = save_run(completed_run, request, local_skill, options, cancel, origin)
            status = status if is_saved or status != OK else PROBLEMS
        return _result(report, options, local_skill, status, completed_run, outcome, is_recorded)
    finally:
        remove(completed_run.folder)


def _usage_limits(options: CommandOptions) -> UsageLimits:
    from skillstudio.dryrun.prepared import UsageLimits

    usual = UsageLimits()
    return usual._replace(
        memory=options.memory_limit or usual.memory, disk=options.disk_limit or usual.disk
    )


def _base(options: CommandOptions) -> StartingPoint | None:
    """The result that `--on` names. Raises UsageError."""
    if not options.on:
        return None
    from skillstudio.cli.recorded import find_recorded_run, recorded_base

    return recorded_base(find_recorded_run(options.on), options.anyway)


def _read_network_sample(
    planned_run: PlannedRun,
    resolved_operation: ResolvedOperation,
    options: CommandOptions,
    local_skill: LocalSkill,
) -> Sample | None:
    """The sample whose responses a run records or replays."""
    network = planned_run.launch.network if planned_run.launch else NetworkChoice()
    if network.mode not in ("record", "replay"):
        return None
    return read_sample(local_skill, resolved_operation.name, options.sample)


def _save_recorded(completed_run: CompletedRun, local_skill: LocalSkill, sample: Sample) -> None:
    """Write the responses of a run beside its sample; say so, or why not."""
    from skillstudio.dryrun.sampling.sample import SampleRefused
    from skillstudio.dryrun.sampling.samples import save_recorded

    ending, exchanges = completed_run.report.ending, completed_run.result.exchanges
    if ending.timed_out or ending.cancelled or completed_run.report.incomplete:
        warn("no responses are recorded: the run was not complete")
        return
    if not exchanges:
        warn(
            "no responses are recorded: the program sent no request through the proxy; name a "
            "service of this machine with its port, as in --net record --net 127.0.0.1:8000"
        )
        return
    try:
        path = save_recorded(local_skill.folder, local_skill.skill.tree, sample, exchanges)
    except (SampleRefused, OSError) as error:
        warn(f"no responses are recorded: {error}")
        return
    count = "1 response" if len(exchanges) == 1 else f"{len(exchanges)} responses"
    say(f"recorded {count} in {make_relative(path)}; the sample {sample.name} replays them")


def perform(
    planned_run: PlannedRun,
    resolved_operation: ResolvedOperation,
    local_skill: LocalSkill,
    limits: CopyLimits,
    twice: bool = False,
    usage_limits: UsageLimits | None = None,
    replayed_sample: Sample | None = None,
    environment: PreparedEnvironment | None = None,
    base: StartingPoint | None = None,
    home: Mapping[str, bytes] | None = None,
) -> tuple[Request, CompletedRun] | int:
    """Run a plan; the caller removes the folder of the result. An exit status if nothing was run.

    `replayed_sample` is the sample whose recorded responses are used; `environment` has packages;
    `base` is the result to start on; `home` has the files in the home folder. Raises UsageError for
    folders that cannot be copied."""
    from skillstudio.dryrun.isolation.levels import IsolationUnavailable
    from skillstudio.dryrun.run import OutOfTime, dry_run, prepare_run
    from skillstudio.dryrun.sampling.sample import SampleRefused
    from skillstudio.dryrun.sampling.samples import read_recorded
    from skillstudio.files.saving.in_place import finish_all

    request = prepare_run(
        local_skill.skill,
        local_skill.folder,
        local_skill.interface,
        resolved_operation.operation,
        planned_run,
        limits,
        twice,
        usage_limits,
    )
    if replayed_sample is not None and request.launch.network.mode == "replay":
        with refuse_on(SampleRefused):
            request = request._replace(
                recorded_exchanges=read_recorded(local_skill.folder, replayed_sample)
            )
    if environment is not None:
        from skillstudio.dryrun.dependencies import in_environment

        request = in_environment(request, environment)
    request = request._replace(base=base, home_files=home or {})
    for note in request.notes:
        say(f"{local_skill.label}: {note}")
    # A file that was half saved must not be copied.
    say(*finish_all())
    try:
        with cancelled_by_signals() as cancel:
            return request, dry_run(request, cancel)
    except _refusals(base) as error:
        raise UsageError(str(error)) from None
    except IsolationUnavailable as error:
        warn(str(error))
        return ISOLATION_MISSING
    except OutOfTime as error:
        warn(str(error))
        return TIMED_OUT
    except InterruptedError:
        return CANCELLED
    except OSError as error:
        raise UsageError(cannot_copy(error)) from None


def cannot_copy(error: OSError) -> str:
    """Why the copies for a run cannot be written, and what to do."""
    from skillstudio.dryrun.traces.store import copies_folder

    space = "free disk space there, or " if error.errno in (ENOSPC, EDQUOT) else ""
    return (
        f"cannot write the copies to {copies_folder()}: {error.strerror or error}; {space}set "
        "XDG_CACHE_HOME to a folder that you can write to"
    )


def _refusals(base: StartingPoint | None) -> tuple[type[Exception], ...]:
    """Why folders cannot be copied; the refusal of a base is imported only with one."""
    from skillstudio.dryrun.staging.staged import StagingRefused

    if base is None:
        return (StagingRefused,)
    from skillstudio.dryrun.stacking import BaseRefused

    return (StagingRefused, BaseRefused)


def record(
    completed_run: CompletedRun, request: Request, mode: Mode | None, cap: int | None = None
) -> str | None:
    """Record a run; if it cannot be recorded, say so and go on."""
    from skillstudio.dryrun.applying.recorded_changes import files_to_record, not_kept
    from skillstudio.dryrun.recording import record_run
    from skillstudio.dryrun.traces.key import KeyUnusable
    from skillstudio.dryrun.traces.store import MAX_SIZE, RunStore, default_folder

    try:
        store = RunStore(default_folder(), cap or MAX_SIZE)
        folder = record_run(completed_run, request, mode, store, files_to_record)
        if folder:
            say(*not_kept(folder))
        return folder
    except KeyUnusable as error:
        warn(f"the run is not recorded: {error}")
    except OSError as error:
        warn(f"the run is not recorded: {error.strerror or error}")
    return None


def _result(
    report: RunReport,
    options: CommandOptions,
    local_skill: LocalSkill,
    status: int,
    completed_run: CompletedRun | None = None,
    outcome: AppliedRun | None = None,
    is_recorded: bool = False,
) -> Result:
    def value() -> dict[str, Any]:
        from skillstudio.dryrun.report import report_value

        json_value = report_value(report)
        if outcome is not None:
            from skillstudio.cli.applying import outcome_value

            json_value["apply"] = outcome_value(outcome)
        return json_value

    from skillstudio.cli.painting import parts_result
    from skillstudio.dryrun.traces.store import ALL_PRINTED, PRINTED_LINES, last_printed
    from skillstudio.present.run_report import COMMANDS, ReportDetails, report_parts

    # The parts quote files of the folder, which the caller removes.
    details: ReportDetails = "folded" if options.format == "markdown" else "counted"
    if options.verbose:
        details = "all"
    printed_streams = []
    if completed_run is not None:
        printed_streams = [
            (name, [completed_run.staged_copies.restore_paths(line) for line in lines])
            for name, lines in last_printed(
                completed_run.folder, ALL_PRINTED if options.verbose else PRINTED_LINES
            )
        ]
    words = COMMANDS._replace(cwd=os.getcwd(), is_recorded=is_recorded)
    parts = list(report_parts(report, printed_streams, local_skill.place, details, words))
    result = parts_result(value, lambda: parts, status)
    if outcome is None:
        return result
    from skillstudio.cli.applying import outcome_lines, say_notes

    if options.format != "json":
        say_notes(outcome)
    return result._replace(text=lambda paint: (*result.text(paint), *outcome_lines(outcome, paint)))
