"""Run an operation in copies: stage, run, observe, judge, mask."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.passes import Pass, PassContext, Request, run_pass
from skillstudio.dryrun.planning.run_inputs import PlannedRun
from skillstudio.dryrun.prepared import UsageLimits
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.redaction.suspects import flag, mask_suspects
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.reporting import Repeats, make_report, printed_digests
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.dryrun.staging.leftovers import claim
from skillstudio.dryrun.staging.stage import stage
from skillstudio.dryrun.staging.staged import Staging, look_at, rebase_copies
from skillstudio.dryrun.staging.survey import LIMITS, CopyLimits
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.dryrun.wasi_preopens import wasi_preopens
from skillstudio.files.folders import remove
from skillstudio.interface.model import Interface, Operation
from skillstudio.manifest.dialect import Skill


class OutOfTime(Exception):
    """The time was up before the program could be started: a sentence for the user."""


class Listener(NamedTuple):
    """Progress callbacks, called from the worker thread."""

    stage: Callable[[str], None] = lambda _stage: None
    """Called with `running for comparison`, `copying`, `running`, `comparing`."""
    output: Callable[[ProgramOutput], None] = lambda _output: None
    """Called once with the program's output."""


SILENT = Listener()


class CompletedRun(NamedTuple):
    """A completed run, whose copies still exist."""

    report: RunReport
    folder: str  # The folder of the run, with `stdout` and `stderr`; the caller removes it.
    staged_copies: Staging
    result: Pass
    redactor: Redactor


def dry_run(request: Request, cancel: threading.Event, listener: Listener = SILENT) -> CompletedRun:
    """Run an operation in copies and report what it did, in at most the timeout for each run plus a
    few seconds. Raises StagingRefused, BaseRefused, IsolationUnavailable, OutOfTime when copying
    took too long, InterruptedError when cancelled while copying or comparing, and OSError; removes
    its folder then."""
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
        context = stage_copies(request, folder, "copies", cancel, until)
        listener.stage("running")
        output = ProgramOutput(folder, (redactor.stream(), redactor.stream()))
        listener.output(output)
        home = look_at(context.staging.home)
        result = run_pass(context, output, cancel, home, until, partial(_mask_data, redactor))
        listener.stage("comparing")
        report = make_report(context, result, repeats, redactor, started_at, folder)
        if cancel.is_set() and not result.ending.cancelled:
            raise InterruptedError
        report = report._replace(
            run=_name(started_at, folder),
            identity=request.identity,
            on=request.base.run if request.base else "",
            suspects=_suspects(report, folder, result, redactor),
        )
        return CompletedRun(report, folder, context.staging, result, redactor)
    except BaseException:
        remove(folder)
        raise


def stage_copies(
    request: Request, folder: str, name: str, cancel: threading.Event, until: float
) -> PassContext:
    copies = os.path.join(folder, name)
    os.mkdir(copies, 0o700)

    def is_stopped() -> bool:
        return cancel.is_set() or time.monotonic() >= until

    try:
        staging = stage(request.plan.roots, copies, request.limits, is_stopped)
    except InterruptedError:
        if cancel.is_set():
            raise
        raise OutOfTime(
            f"copying the workspace and the skill took longer than {request.launch.timeout:g} s; "
            "name a smaller folder with --workspace, or raise the limit with --timeout"
        ) from None
    if request.base is not None:
        staging = request.base.lay(staging)
    for path, data in request.home_files.items():
        file = os.path.join(staging.home, *path.split("/"))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as stream:
            stream.write(data)
    return PassContext(request, staging, wasi_preopens(request.interface, request.plan.roots))


def _earlier(
    request: Request, folder: str, redactor: Redactor, cancel: threading.Event
) -> Repeats | None:
    """A run like the one to come, and another one on its result; None when that fails."""
    until = time.monotonic() + request.launch.timeout
    context = stage_copies(request, folder, "earlier", cancel, until)
    once = _silent_pass(context, os.path.join(folder, "once"), redactor, cancel)
    if once.ending.exit_code != 0 or once.ending.timed_out or once.incomplete:
        return None
    output_digests = printed_digests(os.path.join(folder, "once"), context.staging)
    context = context._replace(staging=rebase_copies(context.staging))
    again = _silent_pass(context, os.path.join(folder, "again"), redactor, cancel)
    return None if again.ending.cancelled else Repeats(once, again, output_digests)


def _silent_pass(
    context: PassContext, folder: str, redactor: Redactor, cancel: threading.Event
) -> Pass:
    os.mkdir(folder, 0o700)
    output = ProgramOutput(folder, (redactor.stream(), redactor.stream()))
    until = time.monotonic() + context.request.launch.timeout
    home = look_at(context.staging.home)
    return run_pass(context, output, cancel, home, until, partial(_mask_data, redactor))


def _mask_data(redactor: Redactor, data: bytes) -> bytes:
    """Mask sensitive values, and what looks like a credential, in what is recorded."""
    clean = redactor.data(data)
    try:
        return mask_suspects(clean.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        return clean


def _suspects(report: RunReport, folder: str, result: Pass, redactor: Redactor) -> tuple[str, ...]:
    """Places of unmarked credentials, except in the history of a repository."""
    written_files = [
        (redactor.text(change.path), change.copy)
        for change in result.changes
        if change.entry_change.after is not None
        and change.entry_change.after.kind == "file"
        and ".git" not in change.path.split("/")
    ]
    return flag(report, folder, written_files)


def _name(started_at: float, folder: str) -> str:
    """The id of a run: unique, and sorted by time."""
    moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime(started_at))
    thousandths = int(started_at % 1 * 1000)
    return f"{moment}-{thousandths:03}{folder[-4:].lower()}"


def prepare_run(
    skill: Skill,
    folder: str,
    interface: Interface,
    operation: Operation,
    planned_run: PlannedRun,
    limits: CopyLimits = LIMITS,
    twice: bool = False,
    usage_limits: UsageLimits | None = None,
) -> Request:
    """Prepare a plan; `folder` is the skill's. Raises ValueError if it starts nothing."""
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify

    if planned_run.launch is None:
        raise ValueError("nothing is started by this plan")
    notes: tuple[str, ...] = ()
    identity: dict[str, str | None] | None = None
    try:
        identity = identify(skill, folder).version_tuple
    except (HashRefused, OSError) as error:
        notes = (f"the skill has no identity: {error}",)
    return Request(
        planned_run.plan,
        planned_run.launch,
        interface,
        operation,
        probe_isolation(),
        copies_folder(),
        os.path.realpath(os.path.expanduser("~")),
        identity,
        limits,
        usage_limits or UsageLimits(),
        twice,
        notes,
    )
