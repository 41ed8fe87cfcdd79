"""A shell in the result of a recorded run: copies that live as long as somebody looks at them.

Each line is a run of a shell of its own, contained like every run; the folder it ends in is where
the next one starts. Nothing that a program prints reaches a terminal from here.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from skillstudio.dryrun.passes import PassContext, StartingPoint, run_pass, shown_path
from skillstudio.dryrun.plan import IsolationChoice, Roots, Step
from skillstudio.dryrun.run import stage_copies
from skillstudio.dryrun.running.output import ProgramOutput
from skillstudio.dryrun.shell import find_shell, shell_request
from skillstudio.dryrun.staging.leftovers import claim
from skillstudio.dryrun.staging.staged import look_at
from skillstudio.files.folders import remove

_SCRIPT = """exec 2>&1
command eval "$2"
set -- "$1" "$?"
printf '\\n%s %s %s\\n' "$1" "$2" "$PWD"
"""
_MOST = 256 << 10  # Bytes of the output of a line that are shown, its end.


class ShownCommand(NamedTuple):
    """What a line did."""

    output: str  # Its end, with the paths of a real run; not safe for a terminal.
    status: int | None  # None when the shell itself ended or was ended.
    problem: str = ""  # Why it did not run to its end.
    omitted: int = 0  # Bytes before `output`.


class Exploration:
    """Copies with the result of a run, and the folder that the next line starts in."""

    def __init__(self, context: PassContext, folder: str) -> None:
        self._context = context
        self._folder = folder
        self._number = 0
        self._cwd = context.request.launch.cwd

    @property
    def cwd(self) -> str:
        """The current folder, as in a real run."""
        return shown_path(self._cwd, self._context.staging)

    def run(self, line: str, cancel: threading.Event) -> ShownCommand:
        """Run one line. Raises IsolationUnavailable, OSError."""
        self._number += 1
        mark = f"skillstudio-{secrets.token_hex(8)}"
        shell = find_shell() or "sh"
        # A leading space keeps the line from being taken for a path.
        argv = (shell, "-c", _SCRIPT, shell, mark, f" {line}")
        request = self._context.request
        launch = request.launch._replace(steps=(Step(argv),), cwd=self._cwd)
        context = self._context._replace(request=request._replace(launch=launch))
        folder = os.path.join(self._folder, str(self._number))
        os.mkdir(folder, 0o700)
        try:
            output = ProgramOutput(folder)
            until = time.monotonic() + launch.timeout
            home = look_at(context.staging.home)
            ending = run_pass(context, output, cancel, home, until).ending
            data = output.stdout.tail(_MOST)
        finally:
            remove(folder)
        text = context.staging.restore_paths(data.decode("utf-8", "replace"))
        before, separator, after = text.rpartition(f"\n{mark} ")
        status: int | None = None
        if separator:
            text = before
            number, _, place = after.rstrip("\n").partition(" ")
            status = int(number)
            self._go(place)
        problem = ending.error
        if ending.timed_out:
            problem = f"stopped: a line may take {launch.timeout:g} s; --timeout raises that"
        elif ending.cancelled:
            problem = "cancelled"
        elif ending.limits:
            problem = "; ".join(ending.limits)
        return ShownCommand(text, status, problem, max(output.stdout.total - len(data), 0))

    def _go(self, place: str) -> None:
        """Start the next line where this one ended, if that is a folder of the run."""
        staging = self._context.staging
        copy = staging.copy_of(place)
        if copy is not None and os.path.isdir(copy):
            self._cwd = place


@contextmanager
def exploration(
    base: StartingPoint,
    roots: Roots,
    isolation: IsolationChoice,
    timeout: float,
    cancel: threading.Event,
) -> Iterator[Exploration]:
    """Copies with the result of a run, removed at the end. Raises StagingRefused, BaseRefused,
    OutOfTime, InterruptedError and OSError."""
    cwd = roots.workspace
    request = shell_request(f"result of {base.run}", roots, isolation, ("sh",), cwd, timeout)
    folder = claim(request.folder)
    try:
        until = time.monotonic() + max(timeout, 60.0)
        context = stage_copies(request._replace(base=base), folder, "copies", cancel, until)
        yield Exploration(context, folder)
    finally:
        remove(folder)
