"""One pass of a run: its steps are started in the copies, and what they did is collected."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from skillstudio.dryrun.judging.contract import Printed
from skillstudio.dryrun.observing.observe import observe
from skillstudio.dryrun.plan import Launch, Step
from skillstudio.dryrun.prepared import Options, Preopen
from skillstudio.dryrun.report import Ended, Event, Observation
from skillstudio.dryrun.rungs import masks
from skillstudio.dryrun.rungs.ladder import Ladder
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import UNMASKED, Output
from skillstudio.dryrun.staging.changes import StagedChange, changes_of, look_at
from skillstudio.dryrun.staging.staged import Staged
from skillstudio.files.changeset import Changed, Snapshot, compare
from skillstudio.files.paths import below

_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where programs put such files
"""Folders of temporary files, when a program does not heed TMPDIR."""
_HIDDEN = "{} cannot be read at the isolation level {}: put its folder on PATH, and it is granted"


class Ground(NamedTuple):
    """Where a pass takes place."""

    staged: Staged
    ladder: Ladder
    rung: str
    preopens: tuple[Preopen, ...]
    home: str
    """The user's own home folder, which the empty one of the run stands for."""


class Pass(NamedTuple):
    """What one pass did."""

    ended: Ended
    changes: tuple[StagedChange, ...]
    home: tuple[Changed, ...]
    """What lies in the home folder of the run that did not before."""
    observed: Observation
    printed: Printed
    """Unmasked: it is judged, and no more."""
    started: int
    """How many steps were started or stood in for."""


def run_pass(
    launch: Launch, ground: Ground, output: Output, cancel: threading.Event, home: Snapshot
) -> Pass:
    """Run every step until one fails; `home` is what lay in the home folder before.

    Raises RungUnavailable, and OSError where the copies cannot be read or written.
    """
    env = {**launch.env, **_files(launch, ground.staged)}
    until = time.monotonic() + launch.timeout
    ended = Ended(0)
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
    after = look_at(ground.staged.home, home)
    found = compare(home, after)
    return Pass(
        ended,
        changes_of(ground.staged),
        (*found.added, *found.modified, *found.removed),
        _joined(observed),
        _printed(output),
        started,
    )


def _printed(output: Output) -> Printed:
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
    ground: Ground,
    env: dict[str, str],
    output: Output,
    cancel: threading.Event,
    until: float,
) -> tuple[Ended, Observation]:
    with _log() as log:
        argv = step.argv
        if launch.module:
            argv = (launch.module, *step.argv[1:])
        options = Options(
            trace=bool(log), trace_log=log, stdin=launch.stdin, preopens=ground.preopens
        )
        prepared = ground.ladder.prepare(ground.rung, argv, env, launch.cwd, ground.staged, options)
        left = max(until - time.monotonic(), 0.001)
        ended = execute(prepared, left, cancel, output)
        if ended.error and os.path.isabs(argv[0]) and ground.ladder.hides(ground.rung, argv[0]):
            ended = ended._replace(error=f"{ended.error}; {_HIDDEN.format(argv[0], ground.rung)}")
        if prepared.trace_log is None:
            return ended, Observation()
        cwd = launch.cwd
        if ground.rung != "isolated":
            cwd = ground.staged.copy_of(launch.cwd) or launch.cwd
        secrets = masks.secrets(ground.home, ground.staged.home)
        found = observe(
            log,
            cwd,
            lambda path: told_path(path, ground.staged),
            secrets,
            lambda path: _is_hidden(path, ground),
        )
        events = _lasting(_without_own(found.events), ground)
        return ended, found._replace(events=tuple(_retold(each, ground.staged) for each in events))


def _is_hidden(path: str, ground: Ground) -> bool:
    """Whether a path of the run exists on this machine and is not shown to the program."""
    own = (ground.staged.folder, *(copy.original for copy in ground.staged.copies))
    if _is_temporary(path) or any(below(path, each) is not None for each in own):
        return False
    return ground.ladder.hides(ground.rung, path)


def told_path(path: str, staged: Staged) -> str:
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


def _lasting(events: Sequence[Event], ground: Ground) -> Iterator[Event]:
    """All but what was done to temporary files that were made by the run and are gone now."""
    made: set[str] = set()
    for event in events:
        path = event.subject
        elsewhere = _is_temporary(path) and ground.staged.copy_of(path) is None
        if event.kind in ("write", "remove", "read") and elsewhere and not event.refused:
            inside = below(path, "/tmp")  # noqa: S108 - what a program wrote, not what is written
            if ground.rung == "isolated" and inside is not None:
                path = os.path.join(ground.staged.temporary, inside)
            if event.kind == "write":
                made.add(path)
            if path in made and not os.path.lexists(path):
                continue
        yield event


def _is_temporary(path: str) -> bool:
    return any(below(path, each) is not None for each in _TEMPORARY)


def _after(before: Ended, one: Ended) -> Ended:
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
        path = os.path.join(staged.temporary, f"{name.lower()}.json")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
        made[name] = path
    return made


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
