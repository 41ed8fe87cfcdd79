"""Ending a tree of processes, by whoever holds it."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

from skillstudio.dryrun.prepared import Prepared
from skillstudio.dryrun.running.status import Status


def ask(process: subprocess.Popen[bytes], prepared: Prepared, status: Status) -> None:
    """Ask every process of the tree to end (TERM). Windows knows no such thing: see `kill`."""
    if prepared.supervision == "launcher" and prepared.control is not None:
        with suppress(OSError):  # It has just ended.
            os.write(prepared.control, b"T")
    elif prepared.supervision == "bwrap":
        for pid in _inside(status):
            with suppress(OSError):
                os.kill(pid, signal.SIGTERM)
    elif os.name == "posix":
        _signal_group(process.pid, signal.SIGTERM)


def kill(process: subprocess.Popen[bytes], prepared: Prepared, status: Status) -> None:
    """End every process of the tree, whatever it thinks of that."""
    if prepared.supervision == "launcher" and prepared.control is not None:
        with suppress(OSError):
            os.write(prepared.control, b"K")
    elif prepared.supervision == "bwrap":
        # The first process of a PID namespace takes all others with it.
        if status.first:
            with suppress(OSError):
                os.kill(status.first, signal.SIGKILL)
        process.kill()
    elif os.name == "posix":
        _signal_group(process.pid, signal.SIGKILL)
    else:
        tree = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(tree, check=False, capture_output=True)  # noqa: S603
        process.kill()


def settle(status: Status, patience: float) -> bool:
    """Wait so many seconds until nothing of a PID namespace is left; whether that is so.

    bwrap tells how the program ended before the last of its processes are gone.
    """
    try:
        fd = os.pidfd_open(status.first)
    except OSError:
        return True
    try:
        # The number may be another process's by now.
        if os.stat(f"/proc/{status.first}/ns/pid").st_ino == status.namespace:
            import select

            os.kill(status.first, signal.SIGKILL)
            poll = select.poll()
            poll.register(fd, select.POLLIN)
            return bool(poll.poll(patience * 1000))
    except OSError:
        return True  # It went just now.
    finally:
        os.close(fd)
    return True


def give_up(process: subprocess.Popen[bytes], status: Status) -> None:
    """Kill the supervisor itself: it does not answer. What can still be found goes with it."""
    for pid in (*descendants(process.pid), *_inside(status)):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.kill()


def descendants(pid: int) -> list[int]:
    """Every living process below one, nearest first; [] where the system has no `/proc`."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", 0) as file:
                    fields = file.read(4096).rpartition(b")")[2].split()
            except OSError:
                continue  # It has ended.
            if len(fields) > 1 and fields[0] not in (b"Z", b"X"):
                parents.setdefault(int(fields[1]), []).append(int(name))
    found = list(parents.get(pid, ()))
    for each in found:
        found += parents.get(each, ())
    return found


def _inside(status: Status) -> list[int]:
    """What runs in a PID namespace, apart from its first process and a tracer."""
    if not status.first:
        return []
    tracers = {_tracer(pid) for pid in descendants(status.first)}
    return [pid for pid in descendants(status.first) if pid not in tracers]


def _tracer(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status", "rb", 0) as file:
            return int(file.read().partition(b"\nTracerPid:")[2].split()[0])
    except (OSError, IndexError, ValueError):
        return 0


def _signal_group(group: int, number: int) -> None:
    if os.name == "posix":
        with suppress(OSError):
            os.killpg(group, number)
