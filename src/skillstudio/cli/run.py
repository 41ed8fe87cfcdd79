"""`skillstudio run`: a dry run of an operation, and what it did beside what is declared."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillstudio.cli.exit_codes import (
    CANCELLED,
    ISOLATION_MISSING,
    OK,
    PROBLEMS,
    REQUIREMENT_MISSING,
    TIMED_OUT,
)
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json, say
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    LocalSkill,
    add_ground,
    add_inputs,
    add_operation,
    choose_isolation,
    open_skill,
    read_roots,
    read_run_inputs,
    split_arguments,
)
from skillstudio.dryrun.plan import IsolationChoice
from skillstudio.dryrun.planning.make import ResolvedOperation, make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown, Planned, this_machine
from skillstudio.dryrun.report import RunReport, not_started
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.cli.applying import AppliedRun
    from skillstudio.dryrun.prepared import UsageLimits
    from skillstudio.dryrun.run import CompletedRun, Request
    from skillstudio.dryrun.staging.survey import CopyLimits
    from skillstudio.dryrun.traces.trace import Mode

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


def parser() -> Parser:
    made = Parser(
        "run",
        "Run an operation in copies of the workspace and the skill, and say what it did beside "
        "what its manifest declares. Nothing outside the copies is changed as far as the isolation "
        "level holds. Behind -- stand the arguments of a script.",
        usage="skillstudio run PATH [OPERATION] [OPTIONS] [-- ARGS]",
    )
    add_operation(made)
    add_inputs(made)
    add_ground(made)
    add = made.add_argument
    add(
        "--yes",
        action="store_true",
        help="run what asks first: at the isolation level copy what the manifest calls destructive "
        "or reaching out, and steps that want a confirmation",
    )
    add(
        "--twice",
        action="store_true",
        help="run it again on its own result, and once more from the beginning",
    )
    add("--stage-limit", metavar="SIZE", type=_size, help="the most to copy, such as 4GiB")
    add(
        "--memory-limit",
        metavar="SIZE",
        type=_size,
        help="the most memory that all processes of the run may use (default: 4GiB)",
    )
    add(
        "--disk-limit",
        metavar="SIZE",
        type=_size,
        help="the most that the run may write to the disk (default: 4GiB)",
    )
    add(
        "--trace",
        choices=("off", "standard", "aggressive"),
        help="what is kept of the run: nothing, all but sensitive values, or no value at all "
        "(default: standard; of a sensitive skill aggressive)",
    )
    add(
        "--keep",
        metavar="SIZE",
        type=_size,
        help="the most that all recorded runs take, the oldest go first (default: 256MiB)",
    )
    add(
        "--apply",
        action="store_true",
        help="where it went well, bring what it changed into the workspace and the skill",
    )
    add("--patch", metavar="FILE", help="write what it changed as a patch for git apply, relative "
        "to the git root; with several roots, one FILE-NAME each")  # fmt: skip
    add("--skip-sensitive", action="store_true",
        help="leave files that hold a sensitive value out of the patch")  # fmt: skip
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Run and report. The exit status says how it ended; see the documentation."""
    with ended_by_signals():
        return _planned(arguments)


def _planned(arguments: list[str]) -> int:
    own, behind = split_arguments(arguments)
    options = parser().parse_args(own)
    opened = open_skill(options.path)
    given = read_run_inputs(opened, options, behind, read_roots(opened, options))
    try:
        found = resolve_operation(opened.skill, opened.interface, options.operation)
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    missing = ""
    try:
        isolation = choose_isolation(found.launching, options)
    except IsolationMissing as error:
        missing = str(error)
        wanted = options.isolation or options.require_isolation
        isolation = IsolationChoice("plan", (), {wanted: missing})
    given = given._replace(isolation=isolation)
    planned = make_plan(opened.skill, opened.interface, options.operation, given, this_machine())
    if missing:
        say(f"skillstudio: {safe_text(missing)}")
        _print(not_started(planned.plan, missing), options, opened)
        return ISOLATION_MISSING
    if planned.launch is None or isolation.id == "plan":
        return _refused(planned, options, opened)
    ask(planned, options)
    return _run(planned, found, options, opened)


def _refused(planned: Planned, options: Namespace, opened: LocalSkill) -> int:
    """Nothing is started: the report says why."""
    plan = planned.plan
    errors = [each for each in plan.problems if each.severity == "error"]
    why = "the isolation level plan starts nothing" if not errors else "fix the errors above"
    if not errors and plan.isolation.id != "plan":
        why = "there is no program to start"
    _print(not_started(plan, why), options, opened)
    missing = any(each.rule == "requirement-missing" for each in errors)
    if missing and all(each.rule == "requirement-missing" for each in errors):
        return REQUIREMENT_MISSING
    return PROBLEMS


def ask(planned: Planned, options: Namespace) -> None:
    """Consent to what asks first, by `--yes` or at the terminal. Raises UsageError without."""
    reasons = planned.plan.confirm
    if not reasons or options.yes:
        return
    for reason in reasons:
        say(safe_text(reason))
    if options.format == "text" and sys.stdin.isatty() and sys.stderr.isatty():
        print("Run it all the same? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
        raise UsageError("not run")
    raise UsageError("this run asks first; say --yes to run it")


def _run(planned: Planned, found: ResolvedOperation, options: Namespace, opened: LocalSkill) -> int:
    from skillstudio.dryrun.prepared import UsageLimits
    from skillstudio.dryrun.staging.survey import LIMITS
    from skillstudio.files.folders import remove

    limits = LIMITS._replace(size=options.stage_limit or LIMITS.size)
    usual = UsageLimits()
    allowed = usual._replace(
        memory=options.memory_limit or usual.memory, disk=options.disk_limit or usual.disk
    )
    performed = perform(planned, found, opened, limits, options.twice, allowed)
    if isinstance(performed, int):
        why = {
            CANCELLED: "cancelled",
            TIMED_OUT: "copying the folders used up the timeout",
        }.get(performed, "its isolation level is no longer available")
        _print(not_started(planned.plan, why), options, opened)
        return performed
    request, finished = performed
    report = finished.report
    try:
        record(finished, request, options.trace, options.keep)
        outcome = _applied(finished, options)
        _print(report, options, opened, finished.folder, outcome)
    finally:
        remove(finished.folder)
    if report.ended.cancelled:
        return CANCELLED
    if report.ended.timed_out:
        return TIMED_OUT
    if outcome is not None and outcome.status != OK:
        return outcome.status
    return OK if report.ok else PROBLEMS


def _applied(finished: CompletedRun, options: Namespace) -> AppliedRun | None:
    if not (options.apply or options.patch) or finished.report.ended.cancelled:
        return None
    from skillstudio.cli.applying import after_run

    return after_run(finished, options.apply, options.patch, options.skip_sensitive)


def perform(
    planned: Planned,
    found: ResolvedOperation,
    opened: LocalSkill,
    limits: CopyLimits,
    twice: bool = False,
    allowed: UsageLimits | None = None,
) -> tuple[Request, CompletedRun] | int:
    """Run a plan; whoever is given what it did removes its folder. An exit status where nothing
    was run. Raises UsageError for folders that cannot be copied."""
    from skillstudio.cli.applying import recover_applies
    from skillstudio.dryrun.isolation.levels import IsolationUnavailable
    from skillstudio.dryrun.prepare_run import prepare_run
    from skillstudio.dryrun.run import OutOfTime, dry_run
    from skillstudio.dryrun.staging.staged import StagingRefused
    from skillstudio.dryrun.traces.store import copies_folder

    ready = prepare_run(
        opened.skill,
        opened.folder,
        opened.interface,
        found.operation,
        planned,
        limits,
        twice,
        allowed,
    )
    for note in ready.notes:
        say(safe_text(f"{opened.shown}: {note}"))
    # What a cut off apply left half done is not to be copied.
    for sentence in recover_applies():
        say(safe_text(sentence))
    try:
        with cancelled_by_signals() as cancel:
            return ready.request, dry_run(ready.request, cancel)
    except StagingRefused as error:
        raise UsageError(str(error)) from None
    except IsolationUnavailable as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return ISOLATION_MISSING
    except OutOfTime as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return TIMED_OUT
    except InterruptedError:
        return CANCELLED
    except OSError as error:
        raise UsageError(
            f"the copies cannot be made in {copies_folder()}: {error.strerror or error}; make "
            "room there, or name another place with XDG_CACHE_HOME"
        ) from None


def record(
    finished: CompletedRun, request: Request, mode: Mode | None, cap: int | None = None
) -> str | None:
    """Keep a run and say where; that it cannot be kept is told, and takes nothing away."""
    from skillstudio.dryrun.applying.recorded_changes import not_kept
    from skillstudio.dryrun.recording import record_run
    from skillstudio.dryrun.run_changes import files_to_record
    from skillstudio.dryrun.traces.key import KeyUnusable
    from skillstudio.dryrun.traces.store import MAX_SIZE, RunStore, default_folder

    try:
        store = RunStore(default_folder(), cap or MAX_SIZE)
        folder = record_run(finished, request, mode, store, files_to_record)
        for note in not_kept(folder) if folder else ():
            say(safe_text(note))
        return folder
    except KeyUnusable as error:
        say(safe_text(f"skillstudio: the run is not kept: {error}"))
    except OSError as error:
        say(safe_text(f"skillstudio: the run is not kept: {error.strerror or error}"))
    return None


def _print(
    report: RunReport,
    options: Namespace,
    opened: LocalSkill,
    folder: str = "",
    outcome: AppliedRun | None = None,
) -> None:
    if options.format == "json":
        from skillstudio.dryrun.report_json import report_value

        value = report_value(report)
        if outcome is not None:
            from skillstudio.cli.applying import outcome_value

            value["apply"] = outcome_value(outcome)
        print_json(value)
        return
    from skillstudio.cli.formats.folding import folded, terminal_width
    from skillstudio.cli.formats.run import lines

    paint = Paint(colours_wanted(sys.stdout))
    told = lines(report, opened.interface, opened.shown, folder, paint)
    for line in folded(told, terminal_width()):
        print(line)
    if outcome is not None:
        from skillstudio.cli.applying import outcome_lines, say_notes

        for line in outcome_lines(outcome, paint):
            print(line)
        say_notes(outcome)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Whoever ends this program, or its terminal, ends it as Ctrl-C does: what it made is removed.

    A handler can only be set in the first thread of a program.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.signal(each, signal.default_int_handler) for each in _ENDING}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def cancelled_by_signals() -> Iterator[threading.Event]:
    """Ctrl-C and the like end the run first, with all that it started; then this program."""
    cancel = threading.Event()
    before = {}
    for each in (signal.SIGINT, *_ENDING):
        before[each] = signal.signal(each, lambda *_: cancel.set())
    try:
        yield cancel
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _size(text: str) -> int:
    from argparse import ArgumentTypeError

    number = text.removesuffix("iB").removesuffix("B")
    power = {"K": 10, "M": 20, "G": 30, "T": 40}.get(number[-1:].upper())
    try:
        size = float(number[:-1] if power else number) * (1 << (power or 0))
    except ValueError:
        size = 0.0
    if not 0 < size < 1 << 60:
        raise ArgumentTypeError("a size such as 500MiB or 4GiB")
    return int(size)
