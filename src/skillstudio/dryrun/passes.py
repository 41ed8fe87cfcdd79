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
from skillstudio.dryrun.isolation.launch import moved
from skillstudio.dryrun.isolation.levels import IsolationLevels
from skillstudio.dryrun.isolation.readable import secret_paths
from skillstudio.dryrun.judging.advice import TEMPORARY
from skillstudio.dryrun.judging.contract import Printed
from skillstudio.dryrun.network.choice import ADDRESS, AT_ONCE
from skillstudio.dryrun.network.exchanges import Exchange, Mask
from skillstudio.dryrun.observing.events import observe
from skillstudio.dryrun.plan import Launch, Plan, Step
from skillstudio.dryrun.prepared import Options, Preopen, StepStart, UsageLimits
from skillstudio.dryrun.report import Event, Observation, RunEnding
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import UNMASKED, ProgramOutput
from skillstudio.dryrun.staging.staged import (
    Staged,
    StagedChange,
    compare_copies,
    compared,
    look_at,
)
from skillstudio.dryrun.staging.survey import LIMITS, CopyLimits
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import EntryChange, Snapshot, SnapshotLimit
from skillstudio.files.paths import below
from skillstudio.interface.model import Interface, Operation

CLOSED = ("confined", "isolated", "wasm")
"""Isolation levels on which nothing that is sent arrives."""
if TYPE_CHECKING:
    from skillstudio.dryrun.network.proxy import Proxy

_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - where isolated programs have the run's own folder
COMPARING = 5.0  # Seconds left to compare the copies when the program used all of its time.
_NAMED = 5
_LONGEST = 200
_HIDDEN = "{} cannot be read at the isolation level {}; put its folder on PATH to grant it"


class StartingPoint(NamedTuple):
    """The result of a recorded run to start on."""

    run: str
    left: tuple[str, ...]  # What is not recorded of it, a phrase each.
    lay: Callable[[Staged], Staged]
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
    allowed: UsageLimits = UsageLimits()
    twice: bool = False
    """Run again on the result of the first run, and once more from the beginning."""
    notes: tuple[str, ...] = ()  # Notes for the user.
    home_files: Mapping[str, bytes] = {}
    """Files to put into the run's own home folder, by path."""
    recorded: tuple[Exchange, ...] = ()
    """The responses that `--net replay` answers with."""
    base: StartingPoint | None = None
    """The result of a recorded run to start on."""
    packages: str = ""
    """The file whose packages an environment has that was prepared for this run; "" without one."""


class PassContext(NamedTuple):
    """A request with the copies it is run in."""

    request: Request
    staged: Staged
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

    ended: RunEnding
    changes: tuple[StagedChange, ...]
    home: tuple[EntryChange, ...]  # Changes in the home folder of the run.
    observed: Observation
    printed: Printed  # Unmasked: for judging only.
    started: int  # How many steps were started or mocked.
    incomplete: tuple[str, ...] = ()  # What was not compared and why, a sentence each.
    exchanges: tuple[Exchange, ...] = ()  # What was recorded of the network.
    answered: int = 0  # Requests that were answered from recorded responses.


def run_pass(
    context: PassContext,
    output: ProgramOutput,
    cancel: threading.Event,
    home: Snapshot,
    until: float,
    mask: Mask = bytes,
) -> Pass:
    """Run every step until one fails; `home` is the home folder's state before. Comparing ends at
    `until` too, or `COMPARING` seconds after the steps. `mask` masks sensitive values in what is
    recorded. Raises IsolationUnavailable, OSError."""
    launch = context.request.launch
    proxy = None
    if launch.network.mode in ("hosts", "record", "replay"):
        # Only here, as importing TLS and HTTP takes longer than starting a program.
        from skillstudio.dryrun.network.proxy import Proxy

        proxy = Proxy(launch.network, context.request.recorded, mask)
    env = {**_network_variables(proxy, context), **launch.env, **_files(launch, context.staged)}
    ended = RunEnding(0)
    observed: list[Observation] = []
    started = 0
    for step in launch.steps:
        started += 1
        if step.mocked is not None:
            output.stdout.feed(step.mocked.encode("utf-8", "replace"))
            ended = ended._replace(exit_code=step.exit_code)
        else:
            one, seen = _start(step, context, env, output, cancel, until, proxy)
            limits = (*ended.limits, *one.limits)
            duration = ended.duration_ms + one.duration_ms
            left = ended.left + one.left
            ended = one._replace(duration_ms=duration, limits=limits, left=left)
            observed.append(seen)
        if ended.exit_code != 0:
            break
    output.close()
    deadline = max(until, time.monotonic() + COMPARING)

    def stopped() -> bool:
        return time.monotonic() >= deadline

    bound = SnapshotLimit(stopped)
    after = look_at(context.staged.home, home, bound)
    copies = compare_copies(context.staged, stopped)
    at_home = compared(home, after, bound)
    unread = [*copies.unread, *(f"~/{path}" for path in sorted(bound.unread))]
    unlisted = [*copies.unlisted, *(f"~/{path}" for path in sorted(bound.unlisted))]
    merged, printed = _merged(observed), _printed(output)
    missing = tuple(_not_compared(unread, unlisted, launch.timeout, deadline))
    made = Pass(ended, copies.changes, at_home, merged, printed, started, missing)
    if proxy is None:
        return made
    return made._replace(
        observed=_through(proxy, merged),
        incomplete=(*proxy.problems, *missing),
        exchanges=tuple(proxy.exchanges),
        answered=proxy.answered,
    )


def _network_variables(proxy: Proxy | None, context: PassContext) -> dict[str, str]:
    """The variables that tell programs about the network, which those of a manifest override."""
    if proxy is None:
        return dict(AT_ONCE) if context.isolation in CLOSED else {}
    path = ""
    if certificate := proxy.certificate:
        path, fd = _new_file(context.staged.temporary, "certificates", ".pem")
        with open(fd, "wb") as file:
            file.write(certificate)
    return proxy.environment(path)


def _through(proxy: Proxy, observed: Observation) -> Observation:
    """An observation with the requested hosts in place of connections to the proxy."""
    direct = (event for event in observed.events if event.subject != ADDRESS)
    return observed._replace(events=tuple(dict.fromkeys((*direct, *proxy.events))))


def _not_compared(
    unread: Sequence[str], unlisted: Sequence[str], timeout: float, deadline: float
) -> Iterator[str]:
    why = "they are nested deeper than the system's path limit"
    if time.monotonic() >= deadline:
        why = f"the run reached its time limit of {timeout:g} s; raise it with --timeout"
    for paths, one, several in ((unread, "file", "files"), (unlisted, "folder", "folders")):
        if paths:
            cut = (path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…" for path in paths)
            named = ", ".join(islice(cut, _NAMED))
            more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
            count = f"1 {one} was" if len(paths) == 1 else f"{len(paths):,} {several} were"
            yield f"{count} not compared: {why}: {named}{more}"


def _printed(output: ProgramOutput) -> Printed:
    """The unmasked output, for judging: a mask in place of a number would not be JSON."""
    printed = output.stdout.unmasked()
    cut = output.stdout.total > UNMASKED or len(printed) == UNMASKED
    return Printed(printed, cut, output.stderr.unmasked())


def _with_variables(
    argv: tuple[str, ...], variables: Mapping[str, str], isolation: str, staged: Staged
) -> tuple[str, ...]:
    """Arguments with the paths that variables stand for, which are those of the copies but where
    the copies are at the paths of the originals."""
    for name, path in variables.items():
        there = path if isolation == "isolated" else moved(path, staged.run_folders)
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
    request, staged, isolation = context.request, context.staged, context.isolation
    launch = request.launch
    argv = (launch.module, *step.argv[1:]) if launch.module else step.argv
    with _log() as log, proxy.step() if proxy else nullcontext() as network:
        options = Options(
            limits=request.allowed,
            trace=bool(log),
            trace_log=log,
            stdin=launch.stdin,
            wasi_preopens=context.wasi_preopens,
            memory=request.allowed.memory // 4,
            copied=staged.size,
            network=network,
        )
        try:
            argv = _with_variables(argv, launch.variables, isolation, staged)
            start = StepStart(argv, env, launch.cwd, staged.run_folders, options)
            prepared = request.levels.prepare(isolation, start)
        except GateRefused as refused:
            return RunEnding(None, error=f"not started: {refused}"), Observation()
        left = max(until - time.monotonic(), 0.001)
        ended = execute(prepared, left, cancel, output)
        if ended.error and os.path.isabs(argv[0]) and context.hides(argv[0]):
            ended = ended._replace(error=f"{ended.error}; {_HIDDEN.format(argv[0], isolation)}")
        if prepared.trace_log is None:
            return ended, Observation()
        deadline = max(until, time.monotonic() + COMPARING)
        found = observe(
            log,
            lambda path: shown_path(path, staged),
            secret_paths(request.home, staged.home),
            lambda path: _is_hidden(path, context),
            lambda: time.monotonic() >= deadline,
            tuple(path for copy in staged.copies for path in (copy.original, copy.folder)),
            staged.home,
        )
        # The start of the step itself is no event.
        own = next((event for event in found.events if event.kind == "exec"), None)
        events = _lasting(tuple(event for event in found.events if event is not own), context)
        named = tuple(_with_original_paths(event, staged) for event in events)
        return ended, found._replace(events=named)


def _is_hidden(path: str, context: PassContext) -> bool:
    """Whether a path exists on this machine and is hidden from the program."""
    own = (context.staged.folder, *(copy.original for copy in context.staged.copies))
    if any(below(path, folder) is not None for folder in own):
        return False
    return context.hides(path)


def shown_path(path: str, staged: Staged) -> str:
    """The path as in a real run; in the home folder it starts with `~`."""
    original = staged.original_of(path)
    if original is not None:
        return original
    inside = below(path, staged.home)
    return path if inside is None else os.path.join("~", inside).rstrip(os.sep)


def _with_original_paths(event: Event, staged: Staged) -> Event:
    """A command, or the address of a local socket, with the paths of a real run."""
    if event.kind not in ("exec", "connect", "other"):
        return event
    return event._replace(subject=staged.worded(event.subject))


def _lasting(events: Sequence[Event], context: PassContext) -> Iterator[Event]:
    """Drop events on temporary files that the run itself created and removed."""
    made: set[str] = set()
    for event in events:
        path = event.subject
        # The folder of the run may be in a temporary one itself.
        is_own = below(path, context.staged.temporary) is not None
        is_own = is_own or context.staged.copy_of(path) is not None
        elsewhere = _is_temporary(path) and not is_own
        own = (
            context.isolation == "isolated"
            and elsewhere
            and any(below(path, place) is not None for place in _SCRATCH)
        )
        if event.kind == "list" and own:
            originals = (copy.original for copy in context.staged.copies)
            if not any(below(original, path) is not None for original in originals):
                continue
        if event.kind in ("write", "remove", "read") and elsewhere and not event.refused:
            if own:
                inside = next(filter(None, (below(path, place) for place in _SCRATCH)), "")
                path = os.path.join(context.staged.temporary, inside)
            if event.kind == "write":
                made.add(path)
            if path in made and not os.path.lexists(path):
                continue
        yield event


def _is_temporary(path: str) -> bool:
    return any(below(path, folder) is not None for folder in TEMPORARY)


def _merged(observed: Sequence[Observation]) -> Observation:
    events = dict.fromkeys(event for observation in observed for event in observation.events)
    return Observation(
        tuple(events),
        bool(observed) and all(observation.traced for observation in observed),
        any(observation.cut for observation in observed),
        tuple(dict.fromkeys(why for observation in observed for why in observation.incomplete)),
    )


def _files(launch: Launch, staged: Staged) -> dict[str, str]:
    """Create the files that variables name, where the program can read them."""
    made: dict[str, str] = {}
    for name, content in launch.files.items():
        path, fd = _new_file(staged.temporary, name.lower())
        with open(fd, "wb") as file:
            file.write(content)
        made[name] = path
    return made


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
