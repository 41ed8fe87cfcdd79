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

from skillstudio.dryrun.prepared import PreparedProcess, Supervision
from skillstudio.dryrun.report import RunEnding
from skillstudio.dryrun.running.output import ProgramOutput, Pump
from skillstudio.dryrun.running.usage import Usage, ask, give_up, kill

GRACE = 2.0  # Seconds between asking a tree to end and killing it.
_LOOK = 0.02  # Seconds between two checks for a reason to stop; an end is noticed at once.
_LAST = 1.0  # Seconds to wait for what is still in a pipe after the end.
_GIVE_UP = 3.0  # Seconds that a supervisor has to end its tree.
StopReason = Literal["cancelled", "timed out", "over a limit"]
SIGNAL_BASE = 128  # Shells add this to the number of the signal that ended a program (POSIX `sh`).


def execute(
    prepared_process: PreparedProcess,
    timeout: float,
    cancel: threading.Event,
    output: ProgramOutput,
) -> RunEnding:
    """Run a process until its end, `timeout` seconds or `cancel`, then end those it leaves. Call it
    once per `prepared_process`: it closes the descriptors. `output` stays open for further
    steps."""
    with ExitStack() as stack:
        open_fds = set(prepared_process.descriptors())
        stack.callback(_close, open_fds)
        if cancel.is_set():
            return RunEnding(None, cancelled=True)
        start_time = time.monotonic()
        try:
            process = _start(prepared_process, stack)
        except (OSError, ValueError) as error:
            return RunEnding(None, error=f"the program did not start: {error}")
        open_fds.difference_update(prepared_process.pass_fds)
        _close(prepared_process.pass_fds)
        status = bytearray()
        pumps = _pumps(prepared_process, process, output, status, open_fds)
        over = threading.Event()

        def wait() -> None:
            process.wait()
            over.set()

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        folders = prepared_process.writable or (os.path.dirname(output.stdout.path),)
        usage = Usage(process.pid, folders, prepared_process.initial_size, prepared_process.limits)
        until = start_time + timeout
        reasons: dict[StopReason, Callable[[], bool]] = {
            "cancelled": cancel.is_set,
            "timed out": lambda: time.monotonic() >= until,
            "over a limit": usage.is_over,
        }
        stop_reason = _watch(prepared_process, process, over, reasons)
        waiter.join(_LAST)
        duration = (time.monotonic() - start_time) * 1000
        is_complete = _stop(pumps, time.monotonic() + _LAST)
        lines = [line.split() for line in status.decode().splitlines() if line]
        code = process.returncode if over.is_set() else -9
        ending = _read_ending(lines, prepared_process.supervision, code)
        leftover_count = next((int(words[1]) for words in lines if words[0] == "left"), 0)
        limits = _limits(ending, prepared_process, leftover_count, output, is_complete)
        if stop_reason == "over a limit":
            limits = (*limits, usage.reason)
        if stop_reason:
            by_us = ending.signal or ("SIGKILL" if ending.exit_code is None else "")
            ending = ending._replace(error="", signal=by_us)
        elif ending.error and prepared_process.supervision == "bwrap":
            ending = ending._replace(error=_explain_error(ending.error, output.stderr.tail()))
        return ending._replace(
            timed_out=stop_reason == "timed out",
            cancelled=stop_reason == "cancelled",
            duration_ms=duration,
            limits=limits,
            leftover_count=0 if stop_reason else leftover_count,
        )


def _close(fds: Iterable[int]) -> None:
    for fd in fds:
        os.close(fd)


def _start(prepared_process: PreparedProcess, stack: ExitStack) -> subprocess.Popen[bytes]:
    stdin: int | IO[bytes] = subprocess.DEVNULL
    if prepared_process.stdin:
        file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
        file.write(prepared_process.stdin)
        file.seek(0)
        stdin = file
    return subprocess.Popen(  # noqa: S603 - what a person asked to run, as its isolation level prepared it
        prepared_process.argv,
        bufsize=0,
        cwd=prepared_process.cwd,
        env=dict(prepared_process.env),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A session of its own: no terminal to ask for a password at, or to type into.
        start_new_session=True,
        pass_fds=prepared_process.pass_fds,
    )


def _pumps(
    prepared_process: PreparedProcess,
    process: subprocess.Popen[bytes],
    output: ProgramOutput,
    status: bytearray,
    open_fds: set[int],
) -> list[Pump]:
    pumps = []
    for pipe, channel in ((process.stdout, output.stdout), (process.stderr, output.stderr)):
        if pipe is not None:
            pumps.append(Pump(os.dup(pipe.fileno()), channel.feed, os.path.basename(channel.path)))
            pipe.close()
    if prepared_process.status is not None:
        open_fds.discard(prepared_process.status)
        pumps.append(Pump(prepared_process.status, status.extend, "status"))
    return pumps


def _stop(pumps: Sequence[Pump], until: float) -> bool:
    """Stop all pumps; return whether all reached their end. Raises what went wrong in one."""
    results: list[bool] = []

    def stop(pump: Pump) -> None:
        results.append(pump.stop(max(until - time.monotonic(), 0)))

    with ExitStack() as stack:
        for pump in pumps:
            # The stack stops every pump, whatever another one raises.
            stack.callback(stop, pump)
    return all(results)


def _watch(
    prepared_process: PreparedProcess,
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
            ask(process, prepared_process)
        if reason == "over a limit" or not over.wait(GRACE):
            kill(process, prepared_process)
            if not over.wait(_GIVE_UP):
                give_up(process)
                over.wait(_LAST)
    # The rest of the process group; our launcher ends that itself.
    if prepared_process.supervision == "group":
        with suppress(OSError):
            kill(process, prepared_process)
    return reason


def _explain_error(error: str, stderr: bytes) -> str:
    """Append what bwrap printed about it."""
    lines = stderr.decode(errors="replace").splitlines()
    reasons = [line for line in lines if line.partition(": ")[0].endswith("bwrap")]
    return ": ".join([error, *(line.partition(": ")[2] for line in reasons[-1:])])


def _limits(
    ending: RunEnding,
    prepared_process: PreparedProcess,
    leftover_count: int,
    output: ProgramOutput,
    is_complete: bool,
) -> tuple[str, ...]:
    limits = []
    if _was_by("SIGXFSZ", ending):
        limits.append(f"a file reached the limit of {prepared_process.limits.file_size:,} bytes")
    if _was_by("SIGXCPU", ending):
        limits.append(
            f"a process reached the limit of {prepared_process.limits.cpu} seconds of CPU time"
        )
    if leftover_count:
        what = "1 process was" if leftover_count == 1 else f"{leftover_count} processes were"
        limits.append(f"{what} still running at the end and had to be ended")
    for name, channel in (("output", output.stdout), ("error output", output.stderr)):
        if channel.failure:
            limits.append(f"standard {name} could not be stored: {channel.failure}")
        elif channel.cut:
            amount = f"{channel.stored_size:,} of {channel.total:,} bytes of standard {name}"
            limits.append(f"only the first {amount} are stored")
    if prepared_process.limit_lines and ending.exit_code:
        lines = output.stderr.tail().decode(errors="replace").splitlines()
        begin = prepared_process.limit_lines
        limits += [line.removeprefix(begin) for line in lines if line.startswith(begin)]
    if not is_complete:
        limits.append("a process that could not be ended still holds the output open")
    return tuple(limits)


def _was_by(signal: str, ending: RunEnding) -> bool:
    """Whether a signal ended the program or, by its exit code, a child of its shell."""
    code = ending.exit_code or 0
    return ending.signal == signal or (
        code > SIGNAL_BASE and signal_name(code - SIGNAL_BASE) == signal
    )


def _read_ending(lines: Sequence[Sequence[str]], supervision: Supervision, code: int) -> RunEnding:
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
