"""The canary tries to get out of an isolation level, which is available only if it could not."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from skillstudio.dryrun.isolation.host import CanaryResult
from skillstudio.dryrun.prepared import (
    CopiedFolder,
    Options,
    PreparedProcess,
    RunFolders,
    StepStart,
)

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "canary_program.py")
PREFIX = "skillstudio-canary-"
"""The start of a canary's folder name: short, because the path of a socket is limited."""
_PATIENCE = 20.0
"""Seconds; a loaded machine needs some. Folders older than a minute belong to no live canary."""

_GOT_OUT = {
    "write": "wrote a file outside the copies",
    "unix": "reached a socket of another program",
    "tcp": "sent over TCP",
    "udp": "sent over UDP",
}


def run_canary(
    prepare: Callable[[StepStart], PreparedProcess], python: str, trace: bool, must_hold: bool
) -> CanaryResult:
    """Run the canary at an isolation level. With `must_hold`, getting out is a failure."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder, ExitStack() as stack:
        folder = os.path.realpath(folder)
        names = ("original", "copy", "home", "tmp", "outside")
        paths = [os.path.join(folder, name) for name in names]
        for path in paths:
            os.mkdir(path)
        original, copy, home, temporary, outside = paths
        run_folders = RunFolders(folder, (CopiedFolder(original, copy),), home, temporary)
        listeners = stack.enter_context(_listeners(outside))
        # Passed as text: the program's own path need not be visible at the isolation level.
        with open(_PROGRAM, encoding="utf-8") as file:
            program = file.read()
        argv = [python, "-I", "-S", "-X", "utf8", "-c", program, os.path.join(outside, "file")]
        argv += listeners.addresses
        log = os.path.join(folder, "trace")
        options = Options(trace=trace, trace_log=log)
        try:
            prepared_process = prepare(StepStart(argv, {}, original, run_folders, options))
        except (OSError, ValueError) as error:
            return CanaryResult(str(error))
        words, complaint, log_start = _run(prepared_process)
        if "tried" not in words:
            return CanaryResult(complaint or "the canary did not start")
        out = {word for word in words if word in _GOT_OUT} | listeners.find_contacts()
        if os.path.exists(os.path.join(outside, "file")):
            out.add("write")
        if must_hold and out:
            return CanaryResult("the canary " + ", ".join(_GOT_OUT[word] for word in sorted(out)))
        return CanaryResult("", log_start.startswith(b"6\0exec\0") or b"\0exec\0" in log_start)


class _Listeners(NamedTuple):
    sockets: dict[str, socket.socket]
    addresses: list[str]

    def find_contacts(self) -> set[str]:
        """The listeners that received something, whatever the canary itself printed."""
        contacts = set()
        for name, listener in self.sockets.items():
            with suppress(BlockingIOError):
                if name == "udp":
                    listener.recv(16)
                else:
                    listener.accept()[0].close()
                contacts.add(name)
        return contacts


@contextmanager
def _listeners(folder: str) -> Iterator[_Listeners]:
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp, ExitStack() as stack:
        sockets = {"tcp": tcp, "udp": udp}
        for listener in (tcp, udp):
            listener.bind(("127.0.0.1", 0))
        path = os.path.join(folder, "socket")
        if hasattr(socket, "AF_UNIX"):
            sockets["unix"] = stack.enter_context(socket.socket(socket.AF_UNIX))
            sockets["unix"].bind(path)
        for name, listener in sockets.items():
            if name != "udp":
                listener.listen()
            listener.setblocking(False)
        ports = [str(listener.getsockname()[1]) for listener in (tcp, udp)]
        yield _Listeners(sockets, [path, *ports])


def _run(prepared_process: PreparedProcess) -> tuple[set[str], str, bytes]:
    """The words it printed, why it failed, and the start of the log."""
    import subprocess

    with ExitStack() as stack:
        for fd in (prepared_process.control, prepared_process.status):
            if fd is not None:
                stack.callback(os.close, fd)
        try:
            child = subprocess.Popen(  # noqa: S603 - our own canary
                prepared_process.argv,
                env=dict(prepared_process.env),
                cwd=prepared_process.cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=prepared_process.pass_fds,
                start_new_session=True,
            )
        except OSError as error:
            return set(), str(error), b""
        finally:
            for fd in prepared_process.pass_fds:
                os.close(fd)
        try:
            out, err = child.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            return set(), f"the canary did not end within {_PATIENCE:.0f} seconds", b""
        # The reason comes last, also after a traceback.
        complaint = err.decode(errors="replace").strip().rpartition("\n")[2]
        if prepared_process.status is not None:
            complaint = _start_failure(os.read(prepared_process.status, 4096).decode()) or complaint
        log_start = b""
        if prepared_process.trace_log is not None:
            with open(prepared_process.trace_log, "rb") as log:
                log_start = log.read(1 << 16)
        return set(out.decode(errors="replace").split()), complaint, log_start


def _start_failure(status: str) -> str:
    for line in status.splitlines():
        if line.startswith("error "):
            _, number, where = line.split(" ", 2)
            return f"{where}: {os.strerror(int(number))}"
    return ""
