"""Track the processes of a log: working folder, program, open connections."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from skillstudio.dryrun.observing.strace import Call, Started, fd_path

_STARTING = frozenset({"clone", "clone3", "fork", "vfork"})


@dataclass
class ObservedProcess:
    """The known state of one process; its threads share it."""

    cwd: str
    program: str = ""
    """The path of the program started last."""
    names: frozenset[str] = frozenset()
    """The names of the program and of the script given to an interpreter."""
    script: tuple[str, ...] = ()
    """The argv it was started with, while it may be a script that `env` finds a program for."""
    shim: bool = False
    """Whether it only looks for the program to run, like a version manager."""
    owner: int = 0
    """The process the shim looks for a program for."""
    peers: dict[int, str] = field(default_factory=dict)
    """Socket descriptor to the address it is connected to."""


class ObservedProcesses:
    """All processes of a log, by number."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._known: dict[int, ObservedProcess] = {}
        self._starting: list[int] = []

    def of(self, pid: int) -> ObservedProcess:
        """A process; an unknown one is a child of the process that is starting one."""
        process = self._known.get(pid)
        if process is None:
            parent = self._known.get(self._starting[-1]) if self._starting else None
            process = self._known[pid] = self._child(parent)
        return process

    def note(self, call: Call | Started) -> None:
        """Follow new processes and `fchdir`."""
        if call.name in _STARTING:
            self._start(call)
        elif isinstance(call, Call) and call.name == "fchdir" and not call.error and call.arguments:
            path = fd_path(call.arguments[0])
            if path is not None:
                self.of(call.pid).cwd = path

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
        return replace(parent, script=(), peers=dict(parent.peers))
