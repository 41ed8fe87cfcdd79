"""Run one prepared process until it ends, times out, is cancelled or exceeds a limit."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import IO, Literal

from skillstudio.dryrun.prepared import Prepared, Supervision
from skillstudio.dryrun.report import RunEnding
from skillstudio.dryrun.running.output import ProgramOutput, Pump
from skillstudio.dryrun.running.usage import Usage, ask, give_up, kill

GRACE = 2.0  # Seconds between asking a tree to end and killing it.
_LOOK = 0.02  # Seconds between two checks for a reason to stop; an end is noticed at once.
_LAST = 1.0  # Seconds to wait for what is still in a pipe after the end.
_GIVE_UP = 3.0  # Seconds that a supervisor has to end its tree.
StopReason = Literal["cancelled", "timed out", "over a limit"]
SIGNALLED = 128  # Shells add this to the number of the signal that ended a program (POSIX `sh`).


def execute(
    prepared: Prepared, timeout: float, cancel: threading.Event, output: ProgramOutput
) -> RunEnding:
    """Run a process until its end, `timeout` seconds or `cancel`, then end those it leaves. Call it
    once per `prepared`: it closes the descriptors. `output` stays open for further steps."""
    with ExitStack() as stack:
        held = set(prepared.descriptors())
        stack.callback(_close, held)
        if cancel.is_set():
            return RunEnding(None, cancelled=True)
        begun = time.monotonic()
        try:
            process = _start(prepared, stack)
        except (OSError, ValueError) as error:
            return RunEnding(None, error=f"the program did not start: {error}")
        held.difference_update(prepared.pass_fds)
        _close(prepared.pass_fds)
        status = bytearray()
        pumps = _pumps(prepared, process, output, status, held)
        over = threading.Event()

        def wait() -> None:
            process.wait()
            over.set()

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        folders = prepared.writable or (os.path.dirname(output.stdout.path),)
        usage = Usage(process.pid, folders, prepared.copied, prepared.limits)
        until = begun + timeout
        reasons: dict[StopReason, Callable[[], bool]] = {
            "cancelled": cancel.is_set,
            "timed out": lambda: time.monotonic() >= until,
            "over a limit": usage.is_over,
        }
        stopped = _watch(prepared, process, over, reasons)
        waiter.join(_LAST)
        duration = (time.monotonic() - begun) * 1000
        reached = _stop(pumps, time.monotonic() + _LAST)
        lines = [line.split() for line in status.decode().splitlines() if line]
        code = process.returncode if over.is_set() else -9
        ended = _ended(lines, prepared.supervision, code)
        left = next((int(words[1]) for words in lines if words[0] == "left"), 0)
        limits = _limits(ended, prepared, left, output, reached)
        if stopped == "over a limit":
            limits = (*limits, usage.reason)
        if stopped:
            by_us = ended.signal or ("SIGKILL" if ended.exit_code is None else "")
            ended = ended._replace(error="", signal=by_us)
        elif ended.error and prepared.supervision == "bwrap":
            ended = ended._replace(error=_explained(ended.error, output.stderr.tail()))
        return ended._replace(
            timed_out=stopped == "timed out",
            cancelled=stopped == "cancelled",
            duration_ms=duration,
            limits=limits,
            left=0 if stopped else left,
        )


def _close(fds: Iterable[int]) -> None:
    for fd in fds:
        os.close(fd)


def _start(prepared: Prepared, stack: ExitStack) -> subprocess.Popen[bytes]:
    stdin: int | IO[bytes] = subprocess.DEVNULL
    if prepared.stdin:
        file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
        file.write(prepared.stdin)
        file.seek(0)
        stdin = file
    return subprocess.Popen(  # noqa: S603 - what a person asked to run, as its isolation level prepared it
        prepared.argv,
        bufsize=0,
        cwd=prepared.cwd,
        env=dict(prepared.env),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A session of its own: no terminal to ask for a password at, or to type into.
        start_new_session=True,
        pass_fds=prepared.pass_fds,
    )


def _pumps(
    prepared: Prepared,
    process: subprocess.Popen[bytes],
    output: ProgramOutput,
    status: bytearray,
    held: set[int],
) -> list[Pump]:
    pumps = []
    for pipe, channel in ((process.stdout, output.stdout), (process.stderr, output.stderr)):
        if pipe is not None:
            pumps.append(Pump(os.dup(pipe.fileno()), channel.feed, os.path.basename(channel.path)))
            pipe.close()
    if prepared.status is not None:
        held.discard(prepared.status)
        pumps.append(Pump(prepared.status, status.extend, "status"))
    return pumps


def _stop(pumps: Sequence[Pump], until: float) -> bool:
    """Stop all pumps; return whether all reached their end. Raises what went wrong in one."""
    reached: list[bool] = []

    def stop(pump: Pump) -> None:
        reached.append(pump.stop(max(until - time.monotonic(), 0)))

    with ExitStack() as stack:
        for pump in pumps:
            # The stack stops every pump, whatever another one raises.
            stack.callback(stop, pump)
    return all(reached)


def _watch(
    prepared: Prepared,
    process: subprocess.Popen[bytes],
    over: threading.Event,
    reasons: Mapping[StopReason, Callable[[], bool]],
) -> StopReason | None:
    """Wait for the end, or end it when one of the `reasons` returns true: which one did."""
    reason = None
    while reason is None and not over.wait(_LOOK):
        reason = next((name for name, is_due in reasons.items() if is_due()), None)
    if reason is not None:
        # Over a limit: no grace period in which it could use even more.
        if reason != "over a limit":
            ask(process, prepared)
        if reason == "over a limit" or not over.wait(GRACE):
            kill(process, prepared)
            if not over.wait(_GIVE_UP):
                give_up(process)
                over.wait(_LAST)
    # The rest of the process group; our launcher ends that itself.
    if prepared.supervision == "group":
        with suppress(OSError):
            kill(process, prepared)
    return reason


def _explained(error: str, said: bytes) -> str:
    """Append what bwrap printed about it."""
    lines = said.decode(errors="replace").splitlines()
    reasons = [line for line in lines if line.partition(": ")[0].endswith("bwrap")]
    return ": ".join([error, *(line.partition(": ")[2] for line in reasons[-1:])])


def _limits(
    ended: RunEnding, prepared: Prepared, left: int, output: ProgramOutput, reached: bool
) -> tuple[str, ...]:
    found = []
    if _was_by("SIGXFSZ", ended):
        found.append(f"a file reached the limit of {prepared.limits.file_size:,} bytes")
    if _was_by("SIGXCPU", ended):
        found.append(f"a process reached the limit of {prepared.limits.cpu} seconds of CPU time")
    if left:
        what = "1 process was" if left == 1 else f"{left} processes were"
        found.append(f"{what} still running at the end and had to be ended")
    for name, channel in (("output", output.stdout), ("error output", output.stderr)):
        if channel.failure:
            found.append(f"standard {name} could not be stored: {channel.failure}")
        elif channel.cut:
            kept = f"{channel.kept:,} of {channel.total:,} bytes of standard {name}"
            found.append(f"only the first {kept} are stored")
    if prepared.limit_lines and ended.exit_code:
        lines = output.stderr.tail().decode(errors="replace").splitlines()
        begin = prepared.limit_lines
        found += [line.removeprefix(begin) for line in lines if line.startswith(begin)]
    if not reached:
        found.append("a process that could not be ended still holds the output open")
    return tuple(found)


def _was_by(signal: str, ended: RunEnding) -> bool:
    """Whether a signal ended the program or, by its exit code, a child of its shell."""
    code = ended.exit_code or 0
    return ended.signal == signal or (code > SIGNALLED and signal_name(code - SIGNALLED) == signal)


def _ended(lines: Sequence[Sequence[str]], supervision: Supervision, code: int) -> RunEnding:
    """How the program ended, by the words of each status line; `code` is the exit code of the
    process that was started."""
    if supervision == "group":
        if code >= 0:
            return RunEnding(code)
        return RunEnding(None, signal_name(-code) or f"signal {-code}")
    for words in lines:
        if words[0] == "error":
            return RunEnding(None, error=_failure(int(words[1]), " ".join(words[2:])))
        if words[0] == "exit":
            return RunEnding(int(words[1]))
        if words[0] == "signal":
            return RunEnding(None, signal_name(int(words[1])))
    if supervision == "bwrap" and code > 0:
        return RunEnding(None, error="the sandbox did not start the program")
    why = "the process that supervises the program was killed"
    return RunEnding(None, "SIGKILL", error=why)


def signal_name(number: int) -> str:
    """The name, such as `SIGKILL`; "" for an unknown number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _failure(number: int, where: str) -> str:
    what = os.strerror(number)
    if where == "start":
        return f"the program did not start: {what}"
    if where == "folder":
        return f"cannot enter the folder that the program starts in: {what}"
    return f"cannot set up {where}: {what}"
