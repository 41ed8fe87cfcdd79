"""The interface between isolation levels and whoever starts their processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

Supervision = Literal["launcher", "bwrap", "group"]
"""What supervises the process tree: our launcher, our launcher inside bwrap, or just a group."""


class CopiedFolder(NamedTuple):
    """A folder and its copy."""

    original: str
    folder: str


class RunFolders(NamedTuple):
    """The copies of a run, and the other folders it may write to."""

    folder: str
    copies: tuple[CopiedFolder, ...]
    home: str
    temporary: str


class UsageLimits(NamedTuple):
    """What one run may use. `memory` and `disk` are sampled: the kernel's limits count address
    space, of which common runtimes reserve too much to start."""

    file_size: int = 1 << 30  # Bytes of one file.
    open_files: int = 4096  # Per process.
    processes: int = 8192  # Of the user, all programs together. The system exempts root.
    together: int = 1024  # Processes of the run; sampled, and counted for root as well.
    cpu: int = 600  # Seconds of one process.
    memory: int = 4 << 30  # Bytes of all processes together.
    disk: int = 4 << 30  # Bytes that the run's folders grow by.


class Preopen(NamedTuple):
    """A folder that a WASM program may open."""

    folder: str  # In the original, as the manifest words it; the gate opens the copy.
    name: str
    writable: bool = False


class StepNetwork(NamedTuple):
    """Where the launcher passes sockets that it opened in the program's own network."""

    fd: int  # A local socket. It belongs to the caller.
    ports: tuple[int, ...]  # Ports of loopback to listen at.


class Options(NamedTuple):
    """How to start one step."""

    limits: UsageLimits = UsageLimits()
    trace: bool = False  # Whether to observe it, where that works.
    trace_log: str = ""  # The path of the tracer's log; required with `trace`.
    stdin: bytes = b""
    wasi_preopens: tuple[Preopen, ...] = ()  # Only for WASM, like the next two.
    fuel: int = 20_000_000_000  # Instructions, roughly.
    memory: int = 1 << 30  # Bytes of linear memory.
    initial_size: int = 0  # Bytes in the copies before anything runs.
    network: StepNetwork | None = None  # Only for `isolated`, like the next one.
    readable: tuple[str, ...] = ()  # Further folders to read, as absolute paths.


class StepStart(NamedTuple):
    """What an isolation level starts, with the paths of the originals."""

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    run_folders: RunFolders
    options: Options


class PreparedProcess(NamedTuple):
    """A process to be started once; whoever starts it closes the descriptors."""

    argv: tuple[str, ...]
    env: Mapping[str, str]  # For the first process; the program's own may be passed another way.
    cwd: str
    supervision: Supervision = "group"
    pass_fds: tuple[int, ...] = ()  # Inherited by the process, and closed here once it is started.
    control: int | None = None
    """The pipe to a launcher that ends the tree; closing it ends the tree at once."""
    status: int | None = None  # The pipe of the launcher's status lines.
    trace_log: str | None = None  # The path of the tracer's log.
    stdin: bytes = b""
    limits: UsageLimits = UsageLimits()
    writable: tuple[str, ...] = ()  # Writable folders, whose disk usage is sampled.
    initial_size: int = 0  # Bytes in them from the start.
    limit_lines: str = ""  # The prefix of lines on standard error that report a limit.

    def descriptors(self) -> tuple[int, ...]:
        """All descriptors that this process holds for it."""
        ours = (self.control, self.status)
        return (*self.pass_fds, *(descriptor for descriptor in ours if descriptor is not None))
