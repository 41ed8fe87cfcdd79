"""A dry run from its plan to its report: stage, run, observe, judge, redact."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import IsolationLevels
from skillstudio.dryrun.passes import Pass, PassContext, rebased, run_pass
from skillstudio.dryrun.plan import Launch, Plan
from skillstudio.dryrun.prepared import UsageLimits
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.redaction.suspects import flag
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.reporting import Repeats, make_report
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.dryrun.staging.changes import look_at
from skillstudio.dryrun.staging.leftovers import claim
from skillstudio.dryrun.staging.stage import stage
from skillstudio.dryrun.staging.staged import Staged
from skillstudio.dryrun.staging.survey import LIMITS, CopyLimits
from skillstudio.dryrun.wasi_preopens import wasi_preopens
from skillstudio.files.changeset import Snapshot
from skillstudio.files.folders import remove
from skillstudio.interface.model import Interface, Operation


class Request(NamedTuple):
    """What is run, and on what."""

    plan: Plan
    launch: Launch
    interface: Interface
    """Unmasked: for what is judged and never for what is shown."""
    operation: Operation
    levels: IsolationLevels
    folder: str
    """Where the folder of the run is made."""
    home: str
    """The user's home folder."""
    identity: dict[str, str | None] | None = None
    limits: CopyLimits = LIMITS
    """How much is copied at most."""
    allowed: UsageLimits = UsageLimits()
    """What the program may use of the machine."""
    twice: bool = False
    """Run it again on what the first run left, and once more from the beginning."""


class OutOfTime(Exception):
    """The time of a run was up before its program could be started: a sentence for the user."""


class Listener(NamedTuple):
    """Who is told how it goes, from the thread that runs."""

    stage: Callable[[str], None] = lambda _stage: None
    """Called with `running for comparison`, `copying`, `running`, `comparing`."""
    output: Callable[[ProgramOutput], None] = lambda _output: None
    """Called once with what the program prints into."""


SILENT = Listener()


class CompletedRun(NamedTuple):
    """A run that is over; what it changed still lies in its copies."""

    report: RunReport
    folder: str
    """Of the run: `stdout` and `stderr` are in it. Whoever holds this removes it."""
    staged: Staged
    result: Pass
    redactor: Redactor


def dry_run(request: Request, cancel: threading.Event, listener: Listener = SILENT) -> CompletedRun:
    """Run an operation in copies, and say what it did.

    All of it, copying and comparing too, takes the timeout of the plan and a few seconds at most;
    each of the runs of `twice` has that time for itself. Raises StagingRefused and
    IsolationUnavailable with a sentence for the user, OutOfTime where it could not even be copied
    in time, InterruptedError where it is cancelled while it copies or compares, and OSError where
    the copies cannot be made. Nothing is left behind then.
    """
    started_at = time.time()
    folder = claim(request.folder)
    try:
        redactor = Redactor(request.launch.secrets)
        repeats = None
        if request.twice:
            listener.stage("running for comparison")
            repeats = _earlier(request, folder, redactor, cancel)
        listener.stage("copying")
        until = time.monotonic() + request.launch.timeout
        ground = _ground(request, folder, "copies", cancel, until)
        listener.stage("running")
        output = ProgramOutput(folder, (redactor.stream(), redactor.stream()))
        listener.output(output)
        there = look_at(ground.staged.home)
        result = run_pass(request.launch, ground, output, cancel, there, until)
        listener.stage("comparing")
        report = make_report(
            request.plan,
            request.launch,
            request.interface,
            request.operation,
            result,
            repeats,
            ground,
            redactor,
            started_at,
        )
        if cancel.is_set() and not result.ended.cancelled:
            raise InterruptedError
        report = report._replace(
            run=_name(started_at, folder),
            identity=request.identity,
            suspects=_suspects(report, folder, result, redactor),
        )
        return CompletedRun(report, folder, ground.staged, result, redactor)
    except BaseException:
        remove(folder)
        raise


def _ground(
    request: Request, folder: str, name: str, cancel: threading.Event, until: float
) -> PassContext:
    copies = os.path.join(folder, name)
    os.mkdir(copies, 0o700)

    def stopped() -> bool:
        return cancel.is_set() or time.monotonic() >= until

    try:
        staged = stage(request.plan.roots, copies, request.limits, stopped)
    except InterruptedError:
        if cancel.is_set():
            raise
        raise OutOfTime(
            f"copying the workspace and the skill took longer than {request.launch.timeout:g} s; "
            "name a smaller folder with --workspace, or allow more with --timeout"
        ) from None
    return PassContext(
        staged,
        request.levels,
        request.plan.isolation.id,
        wasi_preopens(request.interface, request.plan.roots),
        request.home,
        request.allowed,
    )


def _earlier(
    request: Request, folder: str, redactor: Redactor, cancel: threading.Event
) -> Repeats | None:
    """A run that is like the one to come, and one more on what it left. None where that fails."""
    until = time.monotonic() + request.launch.timeout
    ground = _ground(request, folder, "earlier", cancel, until)
    there = look_at(ground.staged.home)
    once = _quietly(request, ground, os.path.join(folder, "once"), redactor, cancel, there)
    if once.ended.exit_code != 0 or once.ended.timed_out or once.incomplete:
        return None
    there = look_at(ground.staged.home)
    ground = ground._replace(staged=rebased(ground.staged))
    again = _quietly(request, ground, os.path.join(folder, "again"), redactor, cancel, there)
    return None if again.ended.cancelled else Repeats(once, again)


def _quietly(
    request: Request,
    ground: PassContext,
    place: str,
    redactor: Redactor,
    cancel: threading.Event,
    home: Snapshot,
) -> Pass:
    os.mkdir(place, 0o700)
    output = ProgramOutput(place, (redactor.stream(), redactor.stream()))
    until = time.monotonic() + request.launch.timeout
    return run_pass(request.launch, ground, output, cancel, home, until)


def _suspects(report: RunReport, folder: str, result: Pass, redactor: Redactor) -> tuple[str, ...]:
    """Where credentials stand that nobody marked, in what is not the history of a repository."""
    written = [
        (redactor.text(each.path), each.copy)
        for each in result.changes
        if each.changed.after is not None
        and each.changed.after.kind == "file"
        and ".git" not in each.path.split("/")
    ]
    return flag(report, folder, written)


def _name(started_at: float, folder: str) -> str:
    """The id of a run: in order of time, and its own."""
    moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime(started_at))
    thousandths = int(started_at % 1 * 1000)
    return f"{moment}-{thousandths:03}{folder[-4:].lower()}"
