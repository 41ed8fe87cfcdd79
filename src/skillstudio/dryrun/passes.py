"""One pass of a run: its steps are started in the copies, and what they did is collected."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from skillstudio.dryrun.isolation import masks
from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.dryrun.isolation.levels import IsolationLevels
from skillstudio.dryrun.judging.contract import Printed
from skillstudio.dryrun.observing.observe import observe
from skillstudio.dryrun.plan import Launch, Step
from skillstudio.dryrun.prepared import Options, Preopen, UsageLimits
from skillstudio.dryrun.report import Event, Observation, RunEnding
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import UNMASKED, ProgramOutput
from skillstudio.dryrun.staging.changes import StagedChange, compare_copies, compared, look_at
from skillstudio.dryrun.staging.staged import Staged
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import EntryChange, Snapshot, SnapshotLimit
from skillstudio.files.paths import below

COMPARING = 5.0
"""Seconds that are left to compare the copies where the program took all of its time."""
_NAMED = 5
_LONGEST = 200
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where programs put such files
"""Folders of temporary files, when a program does not heed TMPDIR."""
_HIDDEN = "{} cannot be read at the isolation level {}: put its folder on PATH, and it is granted"


class PassContext(NamedTuple):
    """Where a pass takes place."""

    staged: Staged
    levels: IsolationLevels
    isolation: str
    wasi_preopens: tuple[Preopen, ...]
    home: str
    """The user's own home folder, which the empty one of the run stands for."""
    allowed: UsageLimits = UsageLimits()
    """What the program may use of the machine."""


class Pass(NamedTuple):
    """What one pass did."""

    ended: RunEnding
    changes: tuple[StagedChange, ...]
    home: tuple[EntryChange, ...]
    """What lies in the home folder of the run that did not before."""
    observed: Observation
    printed: Printed
    """Unmasked: it is judged, and no more."""
    started: int
    """How many steps were started or stood in for."""
    incomplete: tuple[str, ...] = ()
    """What was not compared, and why, a sentence each."""


def run_pass(
    launch: Launch,
    ground: PassContext,
    output: ProgramOutput,
    cancel: threading.Event,
    home: Snapshot,
    until: float,
) -> Pass:
    """Run every step until one fails; `home` is what lay in the home folder before.

    The steps end at `until`, by the monotonic clock; what they did is compared by then, or within
    `COMPARING` seconds after their end. Raises IsolationUnavailable, and OSError where the copies
    cannot be read or written.
    """
    env = {**launch.env, **_files(launch, ground.staged)}
    ended = RunEnding(0)
    observed: list[Observation] = []
    started = 0
    for step in launch.steps:
        started += 1
        if step.mocked is not None:
            output.stdout.feed(step.mocked.encode("utf-8", "replace"))
            ended = ended._replace(exit_code=step.exit_code)
        else:
            one, seen = _start(step, launch, ground, env, output, cancel, until)
            ended = _after(ended, one)
            observed.append(seen)
        if ended.exit_code != 0:
            break
    output.close()
    late = max(until, time.monotonic() + COMPARING)

    def stopped() -> bool:
        return time.monotonic() >= late

    bound = SnapshotLimit(stopped)
    after = look_at(ground.staged.home, home, bound)
    copies = compare_copies(ground.staged, stopped)
    at_home = compared(home, after, bound)
    unread = [*copies.unread, *(f"~/{path}" for path in sorted(bound.unread))]
    unlisted = [*copies.unlisted, *(f"~/{path}" for path in sorted(bound.unlisted))]
    return Pass(
        ended,
        copies.changes,
        at_home,
        _joined(observed),
        _printed(output),
        started,
        tuple(_not_compared(unread, unlisted, launch.timeout, late)),
    )


def _not_compared(
    unread: Sequence[str], unlisted: Sequence[str], timeout: float, late: float
) -> Iterator[str]:
    why = "they are nested deeper than the system's paths reach"
    if time.monotonic() >= late:
        why = f"the time of the run, {timeout:g} s, was up; allow more with --timeout"
    for paths, one, several in ((unread, "file", "files"), (unlisted, "folder", "folders")):
        if paths:
            named = ", ".join(_shortened(path) for path in paths[:_NAMED])
            more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
            count = f"1 {one} was" if len(paths) == 1 else f"{len(paths):,} {several} were"
            yield f"{count} not compared: {why}: {named}{more}"


def _shortened(path: str) -> str:
    return path if len(path) <= _LONGEST else f"{path[:_LONGEST]}…"


def _printed(output: ProgramOutput) -> Printed:
    """What is judged: a mask in place of a number would make of JSON something else."""
    printed = output.stdout.unmasked()
    cut = output.stdout.total > UNMASKED or len(printed) == UNMASKED
    return Printed(printed, cut, output.stderr.unmasked())


def rebased(staged: Staged) -> Staged:
    """The same copies, what lies in them now being what later changes are told against."""
    copies = tuple(
        copy._replace(baseline=look_at(copy.folder, copy.baseline)) for copy in staged.copies
    )
    return staged._replace(copies=copies)


def _start(
    step: Step,
    launch: Launch,
    ground: PassContext,
    env: dict[str, str],
    output: ProgramOutput,
    cancel: threading.Event,
    until: float,
) -> tuple[RunEnding, Observation]:
    with _log() as log:
        argv = step.argv
        if launch.module:
            argv = (launch.module, *step.argv[1:])
        options = Options(
            limits=ground.allowed,
            trace=bool(log),
            trace_log=log,
            stdin=launch.stdin,
            wasi_preopens=ground.wasi_preopens,
            memory=ground.allowed.memory // 4,
            copied=ground.staged.size,
        )
        try:
            prepared = ground.levels.prepare(
                ground.isolation, argv, env, launch.cwd, ground.staged, options
            )
        except GateRefused as refused:
            return RunEnding(None, error=f"not started: {refused}"), Observation()
        left = max(until - time.monotonic(), 0.001)
        ended = execute(prepared, left, cancel, output)
        if (
            ended.error
            and os.path.isabs(argv[0])
            and ground.levels.hides(ground.isolation, argv[0])
        ):
            ended = ended._replace(
                error=f"{ended.error}; {_HIDDEN.format(argv[0], ground.isolation)}"
            )
        if prepared.trace_log is None:
            return ended, Observation()
        cwd = launch.cwd
        if ground.isolation != "isolated":
            cwd = ground.staged.copy_of(launch.cwd) or launch.cwd
        secrets = masks.secrets(ground.home, ground.staged.home)
        late = max(until, time.monotonic() + COMPARING)
        found = observe(
            log,
            cwd,
            lambda path: shown_path(path, ground.staged),
            secrets,
            lambda path: _is_hidden(path, ground),
            lambda: time.monotonic() >= late,
        )
        events = _lasting(_without_own(found.events), ground)
        return ended, found._replace(events=tuple(_retold(each, ground.staged) for each in events))


def _is_hidden(path: str, ground: PassContext) -> bool:
    """Whether a path of the run exists on this machine and is not shown to the program."""
    own = (ground.staged.folder, *(copy.original for copy in ground.staged.copies))
    if _is_temporary(path) or any(below(path, each) is not None for each in own):
        return False
    return ground.levels.hides(ground.isolation, path)


def shown_path(path: str, staged: Staged) -> str:
    """A path of a run as it would be in a real one; one in the home folder begins with `~`."""
    original = staged.original_of(path)
    if original is not None:
        return original
    inside = below(path, staged.home)
    return path if inside is None else os.path.join("~", inside).rstrip(os.sep)


def _retold(event: Event, staged: Staged) -> Event:
    """A command with the paths of a real run: whoever reads it knows no copies."""
    if event.kind != "exec":
        return event
    names = [(staged.home, "~"), (staged.temporary, "$TMPDIR")]
    names += [(copy.folder, copy.original) for copy in staged.copies]
    subject = event.subject
    for folder, name in names:
        subject = subject.replace(folder, name)
    return event._replace(subject=subject)


def _without_own(events: Sequence[Event]) -> tuple[Event, ...]:
    """What the step itself is started as is no program that it starts."""
    first = next((number for number, each in enumerate(events) if each.kind == "exec"), None)
    return tuple(each for number, each in enumerate(events) if number != first)


def _lasting(events: Sequence[Event], ground: PassContext) -> Iterator[Event]:
    """All but what was done to temporary files that were made by the run and are gone now."""
    made: set[str] = set()
    for event in events:
        path = event.subject
        elsewhere = _is_temporary(path) and ground.staged.copy_of(path) is None
        if event.kind in ("write", "remove", "read") and elsewhere and not event.refused:
            inside = below(path, "/tmp")  # noqa: S108 - what a program wrote, not what is written
            if ground.isolation == "isolated" and inside is not None:
                path = os.path.join(ground.staged.temporary, inside)
            if event.kind == "write":
                made.add(path)
            if path in made and not os.path.lexists(path):
                continue
        yield event


def _is_temporary(path: str) -> bool:
    return any(below(path, each) is not None for each in _TEMPORARY)


def _after(before: RunEnding, one: RunEnding) -> RunEnding:
    """The end of a step, on top of those that went well."""
    return one._replace(
        duration_ms=before.duration_ms + one.duration_ms, limits=(*before.limits, *one.limits)
    )


def _joined(observed: Sequence[Observation]) -> Observation:
    events = dict.fromkeys(event for each in observed for event in each.events)
    return Observation(
        tuple(events),
        bool(observed) and all(each.traced for each in observed),
        any(each.cut for each in observed),
        tuple(dict.fromkeys(why for each in observed for why in each.incomplete)),
    )


def _files(launch: Launch, staged: Staged) -> dict[str, str]:
    """The files that variables name, made where the program can read them."""
    made: dict[str, str] = {}
    for name, content in launch.files.items():
        path, fd = _new_file(staged.temporary, name.lower())
        with open(fd, "wb") as file:
            file.write(content)
        made[name] = path
    return made


def _new_file(folder: str, name: str) -> tuple[str, int]:
    """A file that nobody else made: in an earlier pass the program may have left a link by any
    name that it could guess, to any file of the user's."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for file_name in (f"{name}.json", f"{name}-{os.urandom(8).hex()}.json"):
        try:
            fd = open_beneath(folder, file_name, flags, 0o600, links=False)
        except FileExistsError:
            continue
        return os.path.join(folder, file_name), fd
    raise FileExistsError(folder)


@contextmanager
def _log() -> Iterator[str]:
    """A place for the tracer's log that is in memory alone: it holds every argument."""
    if not hasattr(os, "memfd_create"):
        yield ""
        return
    fd = os.memfd_create("trace")
    try:
        yield f"/proc/self/fd/{fd}"
    finally:
        os.close(fd)
