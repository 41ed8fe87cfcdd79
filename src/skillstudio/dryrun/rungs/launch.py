"""The rungs `copy` and `confined`: the program runs in the copies, below our launcher on Linux."""

from __future__ import annotations

import marshal
import os
import tempfile
from collections.abc import Mapping, Sequence

from skillstudio.dryrun.prepared import Ground, Limits, Options, Prepared
from skillstudio.dryrun.rungs import gate, landlock, masks, seccomp
from skillstudio.dryrun.rungs.host import Host
from skillstudio.dryrun.rungs.surroundings import environment, moved, moved_all
from skillstudio.dryrun.rungs.tracer import traced

_LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")


def prepare(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    ground: Ground,
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
    confined = confinement(host, ground, options.trace) if confine else {"confine": False}
    return launched(host, argv, env, gate.enter(cwd, ground, gate.FOLDER), options, confined)


def launched(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: int,
    options: Options,
    confined: Mapping[str, object],
    handed: Sequence[int] = (),
) -> Prepared:
    """A process below the launcher, which is told everything by a file that has no name.

    `cwd` is the descriptor of the folder that it starts in, and `handed` are others for the
    program; all of them are closed with those of what is returned.
    """
    log = options.trace_log if options.trace and host.strace else ""
    trace_fd, keep = None, [*handed]
    if log and host.strace:
        trace_fd, tracing = os.pipe()
        keep.append(tracing)
        # Our own filter refuses calls that are to be seen.
        argv = traced(host.strace, argv, tracing, quick=not confined["confine"])
    policy = {
        "argv": list(argv),
        "env": dict(env),
        "cwd": cwd,
        "keep": keep,
        "limits": resource_limits(options.limits),
        "tracer": os.path.realpath(host.strace) if log and host.strace else "",
        **confined,
    }
    policy_fd = unnamed(marshal.dumps(policy))
    ordered, control = os.pipe()
    status, telling = os.pipe()
    fds = (policy_fd, ordered, telling)
    return Prepared(
        argv=(host.python, "-I", "-S", "-X", "utf8", _LAUNCHER, *(str(fd) for fd in fds)),
        env={},
        cwd="/",
        supervision="launcher",
        pass_fds=(*fds, cwd, *keep),
        control=control,
        status=status,
        trace_fd=trace_fd,
        trace_log=log or None,
        stdin=options.stdin,
        limits=options.limits,
    )


def confinement(host: Host, ground: Ground, trace: bool) -> dict[str, object]:
    """What the launcher is to give up: writing elsewhere, reading secrets, calls that reach out."""
    writable = (*(copy.folder for copy in ground.copies), ground.home, ground.temporary)
    rules = landlock.ruleset(host.landlock, writable, masks.masked(host.home))
    return {
        "confine": True,
        "landlock": rules.attributes,
        "rules": [tuple(rule) for rule in rules.rules],
        "filter": seccomp.program("confined", trace and bool(host.strace), host.machine),
    }


def resource_limits(limits: Limits) -> list[tuple[int, int, int]]:
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
