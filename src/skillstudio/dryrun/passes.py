"""One pass of a run: start its steps in the copies and collect what they did."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.dryrun.isolation.launch import map_to_copy
from skillstudio.dryrun.isolation.levels import IsolationLevels
from skillstudio.dryrun.isolation.readable import secret_paths
from skillstudio.dryrun.judging.advice import TEMPORARY
from skillstudio.dryrun.judging.contract import PrintedOutput
from skillstudio.dryrun.network.choice import ADDRESS, AT_ONCE
from skillstudio.dryrun.network.exchanges import Exchange, Mask
from skillstudio.dryrun.observing.events import observe
from skillstudio.dryrun.plan import Launch, Plan, Step
from skillstudio.dryrun.prepared import Options, Preopen, StepStart, UsageLimits
from skillstudio.dryrun.report import Event, Observation, RunEnding
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import UNMASKED_SIZE, ProgramOutput
from skillstudio.dryrun.staging.staged import (
    StagedChange,
    Staging,
    compare_copies,
    find_certain_changes,
    look_at,
)
from skillstudio.dryrun.staging.survey import LIMITS, CopyLimits
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import EntryChange, Snapshot, SnapshotLimit
from skillstudio.files.paths import below
from skillstudio.interface.model import Interface, Operation

CLOSED_LEVELS = ("confined", "isolated", "wasm")
"""Isolation levels on which nothing that is sent arrives."""
if TYPE_CHECKING:
    from skillstudio.dryrun.network.proxy import Proxy

_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - where isolated programs have the run's own folder
COMPARE_TIME = 5.0  # Seconds left to compare the copies when the program used all of its time.
_MAX_NAMES = 5
_LONGEST = 200
_HIDDEN_MESSAGE = "{} cannot be read at the isolation level {}; put its folder on PATH to grant it"


class StartingPoint(NamedTuple):
    """The result of a recorded run to start on."""

    run: str
    unrecorded_parts: tuple[str, ...]  # What is not recorded of it, a phrase each.
    lay: Callable[[Staging], Staging]
    """Put the result into copies, which then are what later changes are compared with."""


class Request(NamedTuple):
    """What to run, and how."""

    plan: Plan
    launch: Launch
    interface: Interface  # Unmasked: for judging, never for display.
    operation: Operation
    levels: IsolationLevels
    folder: str  # Where the folder of the run is created.
    home: str
    identity: dict[str, str | None] | None = None
    limits: CopyLimits = LIMITS
    usage_limits: UsageLimits = UsageLimits()
    twice: bool = False
    """Run again on the result of the first run, and once more from the beginning."""
    notes: tuple[str, ...] = ()  # Notes for the user.
    home_files: Mapping[str, bytes] = {}
    """Files to put into the run's own home folder, by path."""
    recorded_exchanges: tuple[Exchange, ...] = ()
    """The responses that `--net replay` answers with."""
    base: StartingPoint | None = None
    """The result of a recorded run to start on."""
    packages: str = ""
    """The file whose packages an environment has that was prepared for this run; "" without one."""


class PassContext(NamedTuple):
    """A request with the copies it is run in."""

    request: Request
    staging: Staging
    wasi_preopens: tuple[Preopen, ...]

    @property
    def isolation(self) -> str:
        """The isolation level."""
        return self.request.plan.isolation.id

    def hides(self, path: str) -> bool:
        """Whether a path exists on this machine and is unreadable at the isolation level."""
        return self.request.levels.hides(self.isolation, path)


class Pass(NamedTuple):
    """What one pass did."""

    ending: RunEnding
    changes: tuple[StagedChange, ...]
    home: tuple[EntryChange, ...]  # Changes in the home folder of the run.
    observation: Observation
    printed_output: PrintedOutput  # Unmasked: for judging only.
    start_count: int  # How many steps were started or mocked.
    incomplete: tuple[str, ...] = ()  # What was not compared and why, a sentence each.
    exchanges: tuple[Exchange, ...] = ()  # What was recorded of the network.
    answer_count: int = 0  # Requests that were answered from recorded responses.


def run_pass(
    context: PassContext,
    output: ProgramOutput,
    cancel: threading.Event,
    home: Snapshot,
    until: float,
    mask: Mask = bytes,
) -> Pass:
    """Run every step until one fails; `home` is the home folder's state before. Comparing ends at
    `until` too, or `COMPARE_TIME` seconds after the steps. `mask` masks sensitive values in what is
    recorded. Raises IsolationUnavailable, OSError."""
    launch = context.request.launch
    proxy = None
    if launch.network.mode in ("hosts", "record", "replay"):
        # Only here, as importing TLS and HTTP takes longer than starting a program.
        from skillstudio.dryrun.network.proxy import Proxy

        proxy = Proxy(launch.network, context.request.recorded_exchanges, mask)
    env = {**_network_variables(proxy, context), **launch.env, **_files(launch, context.staging)}
    ending = RunEnding(0)
    observations: list[Observation] = []
    start_count = 0
    for step in launch.steps:
        start_count += 1
        if step.mocked is not None:
            output.stdout.feed(step.mocked.encode("utf-8", "replace"))
            ending = ending._replace(exit_code=step.exit_code)
        else:
            step_ending, step_observation = _start(step, context, env, output, cancel, until, proxy)
            limits = (*ending.limits, *step_ending.limits)
            duration = ending.duration_ms + step_ending.duration_ms
            leftover_count = ending.leftover_count + step_ending.leftover_count
            ending = step_ending._replace(
                duration_ms=duration, limits=limits, leftover_count=leftover_count
            )
            observations.append(step_observation)
        if ending.exit_code != 0:
            break
    output.close()
    deadline = max(until, time.monotonic() + COMPARE_TIME)

    def is_stopped() -> bool:
        return time.monotonic() >= deadline

    limit = SnapshotLimit(is_stopped)
    after = look_at(context.staging.home, home, limit)
    copies = compare_copies(context.staging, is_stopped)
    at_home = find_certain_changes(home, after, limit)
    unread = [*copies.unread, *(f"~/{path}" for path in sorted(limit.unread))]
    unlisted_folders = [
        *copies.unlisted_folders,
        *(f"~/{path}" for path in sorted(limit.unlisted_folders)),
    ]
    observation, printed_output = _merge_observations(observations), _collect_output(output)
    missing = tuple(_not_compared(unread, unlisted_folders, launch.timeout, deadline))
    result = Pass(
        ending, copies.changes, at_home, observation, printed_output, start_count, missing
    )
    if proxy is None:
        return result
    return result._replace(
        observation=_through(proxy, observation),
        incomplete=(*proxy.problems, *missing),
        exchanges=tuple(proxy.exchanges),
        answer_count=proxy.answer_count,
    )


def _network_variables(proxy: Proxy | None, context: PassContext) -> dict[str, str]:
    """The variables that tell programs about the network, which those of a manifest override."""
    if proxy is None:
        return dict(AT_ONCE) if context.isolation in CLOSED_LEVELS else {}
    path = ""
    if certificate := proxy.certificate:
        path, fd = _new_file(context.staging.temporary, "certificates", ".pem")
        with open(fd, "wb") as file:
            file.write(certificate)
    return proxy.environment(path)


def _through(proxy: Proxy, observation: Observation) -> Observation:
    """An observation with the requested hosts in place of connections to the proxy."""
    direct = (event for event in observation.events if event.subject != ADDRESS)
    return observation._replace(events=tuple(dict.fromkeys((*direct, *proxy.events))))


def _not_compared(
    unread: Sequence[str], unlisted_folders: Sequence[str], timeout: float, deadline: float
) -> Iterator[str]:
    why = "they are nested deeper than the system's path limit"
    if time.monotonic() >= deadline:
        why = f"the run reached its time limit of {timeout:g} s; raise it with --timeout"
    for paths, singular, several in (
        (unread, "file", "files"),
        (unlisted_folders, "folder", "folders"),
    ):
        if paths:
            cut = (path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…" for path in paths)
            names = ", ".join(islice(cut, _MAX_NAMES))
            rest = f" and {len(paths) - _MAX_NAMES:,} more" if len(paths) > _MAX_NAMES else ""
            count = f"1 {singular} was" if len(paths) == 1 else f"{len(paths):,} {several} were"
            yield f"{count} not compared: {why}: {names}{rest}"


def _collect_output(output: ProgramOutput) -> PrintedOutput:
    """The unmasked output, for judging: a mask in place of a number would not be JSON."""
    stdout = output.stdout.read_unmasked()
    cut = output.stdout.total > UNMASKED_SIZE or len(stdout) == UNMASKED_SIZE
    return PrintedOutput(stdout, cut, output.stderr.read_unmasked())


def _with_variables(
    argv: tuple[str, ...], variables: Mapping[str, str], isolation: str, staging: Staging
) -> tuple[str, ...]:
    """Arguments with the paths that variables stand for, which are those of the copies but where
    the copies are at the paths of the originals."""
    for name, path in variables.items():
        there = path if isolation == "isolated" else map_to_copy(path, staging.run_folders)
        argv = tuple(text.replace(name, there) for text in argv)
    return argv


def _start(
    step: Step,
    context: PassContext,
    env: dict[str, str],
    output: ProgramOutput,
    cancel: threading.Event,
    until: float,
    proxy: Proxy | None,
) -> tuple[RunEnding, Observation]:
    request, staging, isolation = context.request, context.staging, context.isolation
    launch = request.launch
    argv = (launch.module, *step.argv[1:]) if launch.module else step.argv
    with _log() as log, proxy.step() if proxy else nullcontext() as network:
        options = Options(
            limits=request.usage_limits,
            trace=bool(log),
            trace_log=log,
            stdin=launch.stdin,
            wasi_preopens=context.wasi_preopens,
            memory=request.usage_limits.memory // 4,
            initial_size=staging.size,
            network=network,
        )
        try:
            argv = _with_variables(argv, launch.variables, isolation, staging)
            start = StepStart(argv, env, launch.cwd, staging.run_folders, options)
            prepared_process = request.levels.prepare(isolation, start)
        except GateRefused as refusal:
            return RunEnding(None, error=f"not started: {refusal}"), Observation()
        remaining_time = max(until - time.monotonic(), 0.001)
        ending = execute(prepared_process, remaining_time, cancel, output)
        if ending.error and os.path.isabs(argv[0]) and context.hides(argv[0]):
            ending = ending._replace(
                error=f"{ending.error}; {_HIDDEN_MESSAGE.format(argv[0], isolation)}"
            )
        if prepared_process.trace_log is None:
            return ending, Observation()
        deadline = max(until, time.monotonic() + COMPARE_TIME)
        observation = observe(
            log,
            lambda path: shown_path(path, staging),
            secret_paths(request.home, staging.home),
            lambda path: _is_hidden(path, context),
            lambda: time.monotonic() >= deadline,
            tuple(path for copy in staging.copies for path in (copy.original, copy.folder)),
            staging.home,
        )
        # The start of the step itself is no event.
        start_event = next((event for event in observation.events if event.kind == "exec"), None)
        events = _drop_temporary_events(
            tuple(event for event in observation.events if event is not start_event), context
        )
        shown_events = tuple(_with_original_paths(event, staging) for event in events)
        return ending, observation._replace(events=shown_events)


def _is_hidden(path: str, context: PassContext) -> bool:
    """Whether a path exists on this machine and is hidden from the program."""
    own_folders = (context.staging.folder, *(copy.original for copy in context.staging.copies))
    if any(below(path, folder) is not None for folder in own_folders):
        return False
    return context.hides(path)


def shown_path(path: str, staging: Staging) -> str:
    """The path as in a real run; in the home folder it starts with `~`."""
    original = staging.original_of(path)
    if original is not None:
        return original
    inside = below(path, staging.home)
    return path if inside is None else os.path.join("~", inside).rstrip(os.sep)


def _with_original_paths(event: Event, staging: Staging) -> Event:
    """A command, or the address of a local socket, with the paths of a real run."""
    if event.kind not in ("exec", "connect", "other"):
        return event
    return event._replace(subject=staging.restore_paths(event.subject))


def _drop_temporary_events(events: Sequence[Event], context: PassContext) -> Iterator[Event]:
    """Drop events on temporary files that the run itself created and removed."""
    created_paths: set[str] = set()
    for event in events:
        path = event.subject
        # The folder of the run may be in a temporary one itself.
        is_own = below(path, context.staging.temporary) is not None
        is_own = is_own or context.staging.copy_of(path) is not None
        elsewhere = _is_temporary(path) and not is_own
        is_scratch = (
            context.isolation == "isolated"
            and elsewhere
            and any(below(path, place) is not None for place in _SCRATCH)
        )
        if event.kind == "list" and is_scratch:
            originals = (copy.original for copy in context.staging.copies)
            if not any(below(original, path) is not None for original in originals):
                continue
        if event.kind in ("write", "remove", "read") and elsewhere and not event.error:
            if is_scratch:
                inside = next(filter(None, (below(path, place) for place in _SCRATCH)), "")
                path = os.path.join(context.staging.temporary, inside)
            if event.kind == "write":
                created_paths.add(path)
            if path in created_paths and not os.path.lexists(path):
                continue
        yield event


def _is_temporary(path: str) -> bool:
    return any(below(path, folder) is not None for folder in TEMPORARY)


def _merge_observations(observations: Sequence[Observation]) -> Observation:
    events = dict.fromkeys(event for observation in observations for event in observation.events)
    return Observation(
        tuple(events),
        bool(observations) and all(observation.traced for observation in observations),
        any(observation.cut for observation in observations),
        tuple(dict.fromkeys(why for observation in observations for why in observation.incomplete)),
    )


def _files(launch: Launch, staging: Staging) -> dict[str, str]:
    """Create the files that variables name, where the program can read them."""
    paths: dict[str, str] = {}
    for name, content in launch.files.items():
        path, fd = _new_file(staging.temporary, name.lower())
        with open(fd, "wb") as file:
            file.write(content)
        paths[name] = path
    return paths


def _new_file(folder: str, name: str, suffix: str = ".json") -> tuple[str, int]:
    """Create a file under a new name: an earlier pass may have left a link under a known one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for file_name in (name + suffix, f"{name}-{os.urandom(8).hex()}{suffix}"):
        try:
            fd = open_beneath(folder, file_name, flags, 0o600, links=False)
        except FileExistsError:
            continue
        return os.path.join(folder, file_name), fd
    raise FileExistsError(folder)


@contextmanager
def _log() -> Iterator[str]:
    """A path for the tracer's log, in memory only, as it contains every argument."""
    if not hasattr(os, "memfd_create"):
        yield ""
        return
    with open(os.memfd_create("trace"), "rb") as log:
        yield f"/proc/self/fd/{log.fileno()}"
