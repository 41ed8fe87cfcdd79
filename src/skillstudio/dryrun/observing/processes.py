"""The processes of a log: where each stands, what it talks to, what it is run for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from skillstudio.dryrun.observing.strace import Call, Started, fd_path

STARTING = frozenset({"clone", "clone3", "fork", "vfork"})


@dataclass
class ObservedProcess:
    """What is known of one process; threads of a process share it."""

    cwd: str
    program: str = ""
    """The path of what it last started."""
    names: frozenset[str] = frozenset()
    """What that is called: the program, and the script that an interpreter was given."""
    script: tuple[str, ...] = ()
    """What it was started as, as long as it may be a script that `env` finds a program for."""
    shim: bool = False
    """Whether it only looks for the program that is to be run, as a version manager's does."""
    owner: int = 0
    """The process that the looking is for."""
    peers: dict[int, str] = field(default_factory=dict)
    """Descriptor of a socket to what it is connected to."""


class ObservedProcesses:
    """All processes of a log, the first being what was started."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._known: dict[int, ObservedProcess] = {}
        self._starting: list[int] = []
        self.first: int | None = None

    def of(self, pid: int) -> ObservedProcess:
        """The process; one that nothing is known of yet is a child of who is starting one."""
        found = self._known.get(pid)
        if found is None:
            if self.first is None:
                self.first = pid
            parent = self._known.get(self._starting[-1]) if self._starting else None
            found = self._known[pid] = self._child(parent)
        return found

    def note(self, call: Call | Started) -> None:
        """Follow who starts whom, and who goes where."""
        if call.name in STARTING:
            self._start(call)
        elif isinstance(call, Started):
            return
        elif call.name in ("chdir", "fchdir") and not call.error and call.arguments:
            process = self.of(call.pid)
            path = fd_path(call.arguments[0]) if call.name == "fchdir" else None
            if path is not None:
                process.cwd = path

    def moved(self, pid: int, path: str) -> None:
        """A process went to a folder."""
        self.of(pid).cwd = os.path.normpath(os.path.join(self.of(pid).cwd, path))

    def _start(self, call: Call | Started) -> None:
        parent = self.of(call.pid)
        if isinstance(call, Started):
            self._starting.append(call.pid)
            return
        if call.pid in self._starting:
            self._starting.remove(call.pid)
        if not call.result or call.error:
            return
        if any("CLONE_THREAD" in argument for argument in call.arguments):
            self._known[call.result] = parent
        elif call.result not in self._known:
            self._known[call.result] = self._child(parent)

    def _child(self, parent: ObservedProcess | None) -> ObservedProcess:
        if parent is None:
            return ObservedProcess(self._cwd)
        return ObservedProcess(
            parent.cwd,
            parent.program,
            parent.names,
            (),
            parent.shim,
            parent.owner,
            dict(parent.peers),
        )
