"""The isolation levels `copy` and `confined`: the program runs in the copies, below our launcher on
Linux."""

from __future__ import annotations

import marshal
import os
import tempfile
from collections.abc import Mapping, Sequence

from skillstudio.dryrun.isolation import gate, landlock, seccomp
from skillstudio.dryrun.isolation.environment import environment, moved, moved_all
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.readable import readable
from skillstudio.dryrun.isolation.tracer import traced
from skillstudio.dryrun.prepared import Options, Prepared, RunFolders, UsageLimits

OWN = os.path.dirname(os.path.abspath(__file__))
"""Where the launcher is: it is run by path."""
LAUNCHER = os.path.join(OWN, "launcher.py")


def prepare(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    ground: RunFolders,
    options: Options,
    *,
    confine: bool,
) -> Prepared:
    """A step in the copies, confined or not.

    Paths of the originals that stand alone in `argv`, `env` or as `cwd` become those of the copies.
    Raises seccomp.NoFilter where a processor's calls are not known, and GateRefused for a folder
    or a program that leads out of the copies.
    """
    gate.check_process(argv, cwd, ground)
    argv = moved_all(argv, ground)
    env = {name: moved(value, ground) for name, value in env.items()}
    env = environment(host, env, ground)
    if host.system != "linux":
        cwd = moved(cwd, ground)
        return Prepared(tuple(argv), env, cwd, stdin=options.stdin, limits=options.limits)
    confined = confinement(host, ground) if confine else {"confine": False}
    folder = gate.enter(cwd, ground, gate.FOLDER)
    # Our own filter refuses calls that are to be seen.
    return launched(host, argv, env, folder, options, confined, quick=not confine)


def launched(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: int | str,
    options: Options,
    confined: Mapping[str, object],
    handed: Sequence[int] = (),
    quick: bool = False,
) -> Prepared:
    """A process below the launcher, which reads its policy from a file that has no name.

    `cwd` is the folder that it starts in: a descriptor, or a path where the launcher sees other
    files than this process. `handed` are further descriptors for the program; all of them are
    closed with those of what is returned. With a tracer the launcher starts that, and the tracer
    the launcher's other half, which becomes the program: see launcher.py. `confined` may have
    other rules and another filter for a tracer, as `rules_tracer` and `filter_tracer`.
    """
    log = options.trace_log if options.trace and host.strace else ""
    launcher = LAUNCHER
    own: list[int] = []
    if isinstance(cwd, str):
        # There its path may lead into a copy, which the program can write to, or nowhere, as with
        # a `.venv` that is not copied: it is handed down as a file without a name.
        with open(LAUNCHER, "rb") as file:
            own = [unnamed(file.read())]
        launcher = f"/proc/self/fd/{own[0]}"
    command = (host.python, "-I", "-S", "-X", "utf8", launcher)
    confined = {"limits": resource_limits(options.limits), "tracer": "", **confined}
    trace_fd, keep = None, [*handed]
    policy = {**confined, "argv": list(argv), "env": dict(env), "cwd": cwd, "keep": keep}
    if log and host.strace:
        trace_fd, tracing = os.pipe()
        inner = unnamed(marshal.dumps(policy))
        keep = [tracing, inner, *own, *handed]
        policy |= {
            "argv": traced(host.strace, (*command, str(inner)), tracing, quick),
            # A variable that loads a library is for the program alone.
            "env": {"PATH": host.path},
            "keep": keep,
            "tracer": os.path.realpath(host.strace),
            "rules": confined.get("rules_tracer", confined.get("rules")),
            "filter": confined.get("filter_tracer", confined.get("filter")),
        }
    policy_fd = unnamed(marshal.dumps(policy))
    ordered, control = os.pipe()
    status, telling = os.pipe()
    fds = (policy_fd, ordered, telling)
    started_in = [cwd] if isinstance(cwd, int) else []
    return Prepared(
        argv=(*command, *(str(fd) for fd in fds)),
        env={},
        cwd="/",
        supervision="launcher",
        pass_fds=tuple(dict.fromkeys((*fds, *started_in, *own, *keep))),
        control=control,
        status=status,
        trace_fd=trace_fd,
        trace_log=log or None,
        stdin=options.stdin,
        limits=options.limits,
    )


def confinement(host: Host, ground: RunFolders) -> dict[str, object]:
    """What the launcher is to give up: writing elsewhere, reading what nobody granted, calls that
    reach out."""
    writable = (*(copy.folder for copy in ground.copies), ground.home, ground.temporary)
    places = (*readable(host).allowed(), "/proc")
    rules = landlock.ruleset(host.landlock, writable, places)
    # A tracer starts the launcher's other half, whose interpreter is a program's only by chance.
    own = (OWN, *filter(None, (host.strace and os.path.realpath(host.strace),)))
    more = landlock.ruleset(host.landlock, writable, (*places, *own))
    return {
        "confine": True,
        "landlock": rules.attributes,
        "rules": [tuple(rule) for rule in rules.rules],
        "rules_tracer": [tuple(rule) for rule in more.rules],
        "filter": seccomp.program("confined", False, host.machine),
        "filter_tracer": seccomp.program("confined", True, host.machine),
    }


def resource_limits(limits: UsageLimits) -> list[tuple[int, int, int]]:
    """For setrlimit: what is limited, where that is told by a signal or error, and the very end."""
    import resource

    return [
        (resource.RLIMIT_FSIZE, limits.file_size, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes, limits.processes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, limits.cpu, limits.cpu + 1),
    ]


def unnamed(content: bytes) -> int:
    """A descriptor of a file in memory, at its start."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("skillstudio")
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
