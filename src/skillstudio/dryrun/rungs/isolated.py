"""`isolated`: bwrap shows the copies where the originals are, and nothing else to write to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from skillstudio.dryrun.prepared import Ground, Limits, Options, Prepared
from skillstudio.dryrun.rungs import gate, masks, seccomp
from skillstudio.dryrun.rungs.host import Host
from skillstudio.dryrun.rungs.launch import resource_limits, unnamed
from skillstudio.dryrun.rungs.surroundings import environment
from skillstudio.dryrun.rungs.tracer import traced
from skillstudio.files.paths import below

_TMP = "/tmp"  # noqa: S108 - what a program sees there is the run's own
_RESOLVER = b"nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
"""A name server that nobody is: the question for a name can be traced, and fails at once."""
_LIMITED = (
    'ulimit -c 0; ulimit -f "$1"; ulimit -n "$2"; ulimit -S -t "$3"; ulimit -H -t "$4"; '
    # Shells have two names for the number of processes.
    '{ ulimit -u "$5" || ulimit -p "$5"; } 2>/dev/null; shift 5; exec "$@"'
)
"""Limits last through bwrap; set in this process they would hold for skillstudio."""


def prepare(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    ground: Ground,
    options: Options,
) -> Prepared:
    """A step with the copies at the paths of the originals.

    Raises seccomp.NoFilter where a processor's calls are not known, ValueError without bwrap, and
    GateRefused for a folder or a program that leads out of the copies.
    """
    if host.bwrap is None:
        raise ValueError("bwrap is not installed")
    gate.check_process(argv, cwd, ground)
    trace = options.trace and host.strace is not None and bool(options.trace_log)
    trace_fd, keep = None, []
    if trace and host.strace:
        trace_fd, tracing = os.pipe()
        keep.append(tracing)
        argv = traced(host.strace, argv, tracing, quick=True)
    filtered = unnamed(seccomp.program("isolated", trace, host.machine))
    resolver = unnamed(_RESOLVER)
    status, telling = os.pipe()
    arguments = [
        *_namespaces(),
        *_view(host, ground, resolver),
        *("--seccomp", str(filtered), "--json-status-fd", str(telling)),
        *_variables(environment(host, env, ground)),
        *("--chdir", cwd),
    ]
    told = unnamed(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
    return Prepared(
        argv=(*_limits(options.limits), host.bwrap, "--args", str(told), "--", *argv),
        # A variable that loads a library must not reach bwrap, which still has all the files.
        env={"PATH": host.path},
        cwd="/",
        supervision="bwrap",
        pass_fds=(told, filtered, resolver, telling, *keep),
        status=status,
        trace_fd=trace_fd,
        trace_log=options.trace_log if trace else None,
        stdin=options.stdin,
        limits=options.limits,
    )


def _namespaces() -> list[str]:
    return ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]


def _view(host: Host, ground: Ground, resolver: int) -> list[str]:
    """All files to read but the secrets, the copies and a folder for temporary files to write."""
    view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    # Root owns the settings in there, capabilities or not.
    view += ["--remount-ro", "/proc"]
    view += ["--bind", ground.temporary, _TMP]
    for folder in _programs_below(_TMP, host):
        view += ["--ro-bind", folder, folder]
    for path in masks.masked(host.home):
        view += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", os.devnull, path]
    if os.path.exists("/etc/resolv.conf"):
        view += ["--ro-bind-data", str(resolver), os.path.realpath("/etc/resolv.conf")]
    for folder in (ground.temporary, ground.home):
        view += ["--bind", folder, folder]
    for copy in sorted(ground.copies, key=lambda each: len(each.original)):
        view += ["--bind", copy.folder, copy.original]
    return view


def _programs_below(folder: str, host: Host) -> list[str]:
    """Where programs of this machine lie in a folder that is hidden, such as an environment."""
    found = set()
    own = os.path.dirname(os.path.abspath(__file__))
    for path in (*host.path.split(os.pathsep), os.path.dirname(host.python), own):
        above, name = os.path.split(os.path.normpath(path))
        for place in (path, above if name == "bin" else path):
            if below(os.path.normpath(place), folder) and os.path.isdir(place):
                found.add(os.path.normpath(place))
    return sorted(found, key=len)


def _variables(env: Mapping[str, str]) -> list[str]:
    return ["--clearenv", *(part for item in env.items() for part in ("--setenv", *item))]


def _limits(limits: Limits) -> tuple[str, ...]:
    """A fixed script of the shell: it sees numbers, and hands all else on untouched."""
    import resource

    most = {}
    for kind, *wanted in resource_limits(limits):
        _, own = resource.getrlimit(kind)
        most[kind] = [each if own == resource.RLIM_INFINITY else min(each, own) for each in wanted]
    size, files = most[resource.RLIMIT_FSIZE][0] // 512, most[resource.RLIMIT_NOFILE][0]
    numbers = (size, files, *most[resource.RLIMIT_CPU], most[resource.RLIMIT_NPROC][0])
    return ("/bin/sh", "-c", _LIMITED, "sh", *(str(number) for number in numbers))
