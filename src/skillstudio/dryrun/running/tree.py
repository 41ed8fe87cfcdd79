"""End a process tree through whatever supervises it."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

from skillstudio.dryrun.prepared import Prepared


def ask(process: subprocess.Popen[bytes], prepared: Prepared) -> None:
    """Ask every process of the tree to end (TERM). Windows has no such signal: see `kill`."""
    _send(process, prepared, b"T", signal.SIGTERM)


def kill(process: subprocess.Popen[bytes], prepared: Prepared) -> None:
    """Kill every process of the tree."""
    if os.name == "posix":
        _send(process, prepared, b"K", signal.SIGKILL)
    else:
        tree = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(tree, check=False, capture_output=True)  # noqa: S603
        process.kill()


def _send(process: subprocess.Popen[bytes], prepared: Prepared, order: bytes, number: int) -> None:
    """Give an order to the launcher, else a signal to the process group."""
    with suppress(OSError):  # It has just ended.
        if prepared.control is not None:
            os.write(prepared.control, order)
        elif os.name == "posix":
            os.killpg(process.pid, number)


def give_up(process: subprocess.Popen[bytes]) -> None:
    """Kill a supervisor that does not answer, and every descendant that can be found."""
    for pid in descendants(process.pid):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.kill()


def descendants(pid: int) -> list[int]:
    """Every living descendant of a process, nearest first; [] on systems without `/proc`."""
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
