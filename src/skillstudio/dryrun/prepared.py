"""What an isolation level hands to whoever runs it, and what it is handed: a process ready to be
started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

Supervision = Literal["launcher", "bwrap", "group"]
"""Who holds the tree of processes: our launcher, our launcher inside bwrap, or a group alone."""


class CopiedFolder(Protocol):
    """A folder and the copy that stands for it."""

    @property
    def original(self) -> str: ...
    @property
    def folder(self) -> str: ...


class RunFolders(Protocol):
    """The copies of a run and the folders beside them that it may write to."""

    @property
    def folder(self) -> str: ...
    @property
    def copies(self) -> Sequence[CopiedFolder]: ...
    @property
    def home(self) -> str: ...
    @property
    def temporary(self) -> str: ...


class UsageLimits(NamedTuple):
    """What one run may use. The kernel keeps all but `memory` and `disk`, which are watched.

    A limit that the kernel keeps of memory is one on address space, of which common runtimes
    reserve so much that they do not even start.
    """

    file_size: int = 1 << 30
    """Bytes of one file."""
    open_files: int = 4096
    """Per process."""
    processes: int = 8192
    """Of the user, all programs together. The system does not hold root to it."""
    cpu: int = 600
    """Seconds of one process."""
    memory: int = 4 << 30
    """Bytes of all processes together."""
    disk: int = 4 << 30
    """Bytes that the folders of the run take beside what was copied."""


class Preopen(NamedTuple):
    """A folder that a WASM program may open."""

    folder: str
    """In the original, as the manifest words it; the copy is opened, through the gate."""
    name: str
    """What the program calls it."""
    writable: bool = False


class Options(NamedTuple):
    """How one step is started, apart from what is started."""

    limits: UsageLimits = UsageLimits()
    trace: bool = False
    """Watch it with strace, where there is one."""
    trace_log: str = ""
    """Where the tracer's log goes; needed where `trace` is set."""
    stdin: bytes = b""
    """What is written to standard input, which is closed then."""
    wasi_preopens: tuple[Preopen, ...] = ()
    """For WASM alone, as are the next two."""
    fuel: int = 20_000_000_000
    """Instructions, roughly."""
    memory: int = 1 << 30
    """Bytes of linear memory."""
    copied: int = 0
    """Bytes that lie in the copies before anything runs."""


class Prepared(NamedTuple):
    """A process ready to be started once; whoever starts it closes the descriptors."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Of the process that is started first; the program's own may travel another way."""
    cwd: str
    supervision: Supervision = "group"
    pass_fds: tuple[int, ...] = ()
    """Handed down and closed here once it is started."""
    control: int | None = None
    """Where a launcher is told to end the tree; closing it ends the tree at once."""
    status: int | None = None
    """Where the launcher tells how it went."""
    trace_fd: int | None = None
    """Where the tracer's lines arrive."""
    trace_log: str | None = None
    """Where they are kept."""
    stdin: bytes = b""
    limits: UsageLimits = UsageLimits()
    writable: tuple[str, ...] = ()
    """The folders of this machine that it may write to; what they take is watched."""
    copied: int = 0
    """Bytes that lie in them from the start."""
    limit_lines: str = ""
    """How a line of standard error begins by which what runs the program tells of a limit."""

    def descriptors(self) -> tuple[int, ...]:
        """Every descriptor that this process holds for it."""
        ours = (self.control, self.status, self.trace_fd)
        return (*self.pass_fds, *(each for each in ours if each is not None))
