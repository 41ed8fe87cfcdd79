"""A canary for an isolation level: a program that starts there and must not get out.

An isolation level is not believed by the version of what it is built on, only by what it was seen
to hold.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from skillstudio.dryrun.prepared import Options, Prepared

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "canary_program.py")
PREFIX = "skillstudio-canary-"
"""How the folder of a canary begins, among all temporary ones: the path of a socket is short."""
_PATIENCE = 20.0
"""Seconds; a machine under load needs some. What is older than a minute belongs to no canary."""

_GOT_OUT = {
    "write": "wrote a file outside the copies",
    "unix": "reached a socket of another program",
    "tcp": "sent over TCP",
    "udp": "sent over UDP",
}


class CanaryResult(NamedTuple):
    """How a canary fared."""

    failure: str
    """Why the isolation level is not to be had; "" where it started and nothing got out."""
    traced: bool = False
    """Whether strace told of it."""


class CanaryCopy(NamedTuple):
    """A folder of the canary's and its copy."""

    original: str
    folder: str


class CanaryFolders(NamedTuple):
    """The ground that a canary starts on."""

    folder: str
    copies: tuple[CanaryCopy, ...]
    home: str
    temporary: str


Prepare = Callable[[list[str], str, CanaryFolders, Options], Prepared]
"""Makes a process out of argv, the folder that it starts in, its ground and options."""


def run_canary(prepare: Prepare, python: str, trace: bool, must_hold: bool) -> CanaryResult:
    """Run the canary at an isolation level. With `must_hold` nothing of it may get out."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder, ExitStack() as stack:
        folder = os.path.realpath(folder)
        ground = _ground(folder)
        outside = os.path.join(folder, "outside")
        os.mkdir(outside)
        listening = stack.enter_context(_listeners(outside))
        # As a text: an isolation level need not show where the program is.
        with open(_PROGRAM, encoding="utf-8") as file:
            program = file.read()
        argv = [python, "-I", "-S", "-X", "utf8", "-c", program, os.path.join(outside, "file")]
        argv += listening.addresses
        log = os.path.join(folder, "trace")
        options = Options(trace=trace, trace_log=log)
        try:
            prepared = prepare(argv, ground.copies[0].original, ground, options)
        except (OSError, ValueError) as error:
            return CanaryResult(str(error))
        said, complaint, seen = _run(prepared)
        if "tried" not in said:
            return CanaryResult(complaint or "the canary did not start")
        out = {word for word in said if word in _GOT_OUT} | listening.reached()
        if os.path.exists(os.path.join(outside, "file")):
            out.add("write")
        if must_hold and out:
            return CanaryResult("the canary " + ", ".join(_GOT_OUT[word] for word in sorted(out)))
        return CanaryResult("", b"execve(" in seen or b"socket(" in seen)


def _ground(folder: str) -> CanaryFolders:
    names = ("original", "copy", "home", "tmp")
    original, copy, home, temporary = (os.path.join(folder, name) for name in names)
    for path in (original, copy, home, temporary):
        os.mkdir(path)
    return CanaryFolders(folder, (CanaryCopy(original, copy),), home, temporary)


class _Listening(NamedTuple):
    unix: socket.socket | None
    tcp: socket.socket
    udp: socket.socket
    addresses: tuple[str, str, str]

    def reached(self) -> set[str]:
        """What arrived, whatever the canary says itself."""
        arrived = set()
        for name, listener in (("unix", self.unix), ("tcp", self.tcp)):
            try:
                if listener is not None:
                    listener.accept()[0].close()
                    arrived.add(name)
            except BlockingIOError:
                pass
        try:
            self.udp.recv(16)
            arrived.add("udp")
        except BlockingIOError:
            pass
        return arrived


@contextmanager
def _listeners(folder: str) -> Iterator[_Listening]:
    with ExitStack() as stack:
        path = os.path.join(folder, "socket")
        unix = None
        if hasattr(socket, "AF_UNIX"):
            unix = stack.enter_context(socket.socket(socket.AF_UNIX))
            unix.bind(path)
        tcp = stack.enter_context(socket.socket())
        tcp.bind(("127.0.0.1", 0))
        udp = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        for each in (unix, tcp):
            if each is not None:
                each.listen()
                each.setblocking(False)
        udp.setblocking(False)
        ports = (str(tcp.getsockname()[1]), str(udp.getsockname()[1]))
        yield _Listening(unix, tcp, udp, (path, *ports))


def _run(prepared: Prepared) -> tuple[set[str], str, bytes]:
    """The words that it printed, why it failed, and the first of what was traced."""
    import subprocess

    with ExitStack() as stack:
        for fd in (prepared.control, prepared.status, prepared.trace_fd):
            if fd is not None:
                stack.callback(os.close, fd)
        try:
            child = subprocess.Popen(  # noqa: S603 - our own canary
                prepared.argv,
                env=dict(prepared.env),
                cwd=prepared.cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=prepared.pass_fds,
                start_new_session=True,
            )
        except OSError as error:
            return set(), str(error), b""
        finally:
            for fd in prepared.pass_fds:
                os.close(fd)
        try:
            out, err = child.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            return set(), f"the canary did not end within {_PATIENCE:.0f} seconds", b""
        complaint = err.decode(errors="replace").strip()
        if prepared.status is not None:
            complaint = _told(os.read(prepared.status, 4096).decode()) or complaint
        seen = b"" if prepared.trace_fd is None else os.read(prepared.trace_fd, 1 << 16)
        return set(out.decode(errors="replace").split()), complaint, seen


def _told(status: str) -> str:
    for line in status.splitlines():
        if line.startswith("error "):
            _, number, where = line.split(" ", 2)
            return f"{where}: {os.strerror(int(number))}"
    return ""
