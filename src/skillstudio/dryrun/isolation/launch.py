"""The levels `copy` and `confined`: a program in the copies, below our launcher on Linux. The level
`isolated`: bwrap shows the copies at the paths of the originals, and little else."""

from __future__ import annotations

import functools
import importlib.util
import marshal
import os
import tempfile
from collections.abc import Mapping, Sequence
from types import CodeType

from skillstudio.dryrun.isolation import gate, landlock, seccomp
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.readable import Readable, readable
from skillstudio.dryrun.prepared import Options, PreparedProcess, RunFolders, StepStart, UsageLimits
from skillstudio.files.paths import below

LOG_LIMIT = 64 << 20  # Bytes of the tracer's log.
BASE = {"LANG": "C.UTF-8", "TERM": "dumb"}
"""What every run has unless its manifest or caller sets it."""
_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR")
"""Almost no program starts on Windows without these."""


def prepare(host: Host, start: StepStart, *, confine: bool) -> PreparedProcess:
    """Prepare a step in the copies, with their paths in place of those of originals. Raises
    seccomp.NoFilter and GateRefused."""
    _, _, cwd, run_folders, options = start
    gate.check_process(start.argv, cwd, run_folders)
    argv = [map_to_copy(argument, run_folders) for argument in start.argv]
    env = {name: map_to_copy(value, run_folders) for name, value in start.env.items()}
    env = environment(host, env, run_folders)
    if host.system != "linux":
        cwd = map_to_copy(cwd, run_folders)
        return PreparedProcess(tuple(argv), env, cwd, stdin=options.stdin, limits=options.limits)
    isolation: seccomp.FilteredLevel = "confined" if confine else "copy"
    if confine:
        policy = confinement(host, run_folders, options.trace)
    else:
        calls = seccomp.program("copy", True, host.machine) if options.trace else b""
        policy = {"confine": False, "landlock": b"", "filter": calls}
    folder = gate.enter(cwd, run_folders, gate.FOLDER)
    return prepare_launch(host, isolation, argv, env, folder, options, policy)


def prepare_launch(
    host: Host,
    isolation: seccomp.FilteredLevel,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: int | str,
    options: Options,
    policy: Mapping[str, object],
    extra_fds: Sequence[int] = (),
) -> PreparedProcess:
    """A process below the launcher, and observed by the tracer if asked for: see launcher.py. `cwd`
    is a descriptor, or a path in another mount namespace. `extra_fds` are further descriptors for
    the program."""
    # Closed with the others, when the process has been started.
    network = os.dup(options.network.fd) if options.network else -1
    log, observe = [], {}
    if options.trace:
        log = [os.open(options.trace_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)]
        code = _code("tracer")
        observe = {
            **seccomp.make_tracer_policy(isolation, host.machine),
            "tracer": code,
            "log": log[0],
        }
        observe["most"] = LOG_LIMIT
        observe["processes"] = options.limits.together
    # As code and not by its path, which the program may be able to change, as in a `.venv`, and
    # which does not exist inside bwrap.
    launcher = open_memory_file(marshal.dumps(_code("launcher")))
    start = f"import marshal; exec(marshal.load(open({launcher}, 'rb')))"
    policy_fd = open_memory_file(
        marshal.dumps(
            {
                "limits": resource_limits(options.limits),
                **policy,
                "argv": list(argv),
                "env": dict(env),
                "cwd": cwd,
                "keep": [*extra_fds],
                "observe": observe,
                "network": (network, options.network.ports) if options.network else (),
            }
        )
    )
    control_reader, control = os.pipe()
    status, status_writer = os.pipe()
    fds = (policy_fd, control_reader, status_writer)
    started_in = [cwd] if isinstance(cwd, int) else []
    way_out = [network] if options.network else []
    return PreparedProcess(
        argv=(host.python, "-I", "-S", "-X", "utf8", "-c", start, *(str(fd) for fd in fds)),
        env={},
        cwd="/",
        supervision="launcher",
        pass_fds=tuple(dict.fromkeys((*fds, launcher, *started_in, *log, *way_out, *extra_fds))),
        control=control,
        status=status,
        trace_log=options.trace_log if options.trace else None,
        stdin=options.stdin,
        limits=options.limits,
    )


@functools.cache
def _code(name: str) -> CodeType:
    """A module of this package, compiled by the Python that will run it."""
    spec = importlib.util.find_spec(f"{__package__}.{name}")
    code = spec.loader.get_code(spec.name) if spec and spec.loader else None  # type: ignore[attr-defined]
    if not isinstance(code, CodeType):
        raise OSError(f"{__package__}.{name} is missing from this installation")
    return code


def confinement(host: Host, run_folders: RunFolders, is_traced: bool) -> dict[str, object]:
    """The launcher's policy: writable folders, readable places, refused system calls."""
    copies = (copy.folder for copy in run_folders.copies)
    writable = (*copies, run_folders.home, run_folders.temporary)
    rules = landlock.ruleset(host.landlock, writable, (*readable(host).collect_paths(), "/proc"))
    return {
        "confine": True,
        "landlock": rules.attributes,
        "rules": [tuple(rule) for rule in rules.rules],
        "filter": seccomp.program("confined", is_traced, host.machine),
    }


def resource_limits(limits: UsageLimits) -> list[tuple[int, int, int]]:
    """Resources with their soft and hard limits, for setrlimit."""
    import resource

    return [
        (resource.RLIMIT_FSIZE, limits.file_size, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes, limits.processes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, limits.cpu, limits.cpu + 1),
    ]


def open_memory_file(content: bytes) -> int:
    """A descriptor of a file in memory, positioned at its start."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("skillstudio")
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def environment(host: Host, env: Mapping[str, str], run_folders: RunFolders) -> dict[str, str]:
    """`env` on top of a small base, with the run's own home and temporary folder."""
    variables = {"PATH": host.path, **BASE}
    run_variables = {"HOME": run_folders.home, "TMPDIR": run_folders.temporary}
    if host.system == "win32":
        variables |= {name: os.environ[name] for name in _WINDOWS if name in os.environ}
        run_variables = dict.fromkeys(("TEMP", "TMP"), run_folders.temporary)
        run_variables["USERPROFILE"] = run_folders.home
    if zone := os.environ.get("TZ"):
        variables["TZ"] = zone
    return {**variables, **env, **run_variables}


def map_to_copy(value: str, run_folders: RunFolders) -> str:
    """The path of the copy for a path of an original; any other text unchanged."""
    copy = gate.copy_of(value, run_folders)
    return copy.folder + value[len(copy.original.rstrip(os.sep)) :] if copy else value


_TMP = "/tmp"  # noqa: S108 - inside the sandbox this is the run's own folder
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - and so is this
_RESOLVER = b"nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
"""A name server that does not exist: lookups can be traced and fail at once."""


def prepare_isolated(host: Host, start: StepStart) -> PreparedProcess:
    """Prepare a step with the copies at the paths of the originals. Raises seccomp.NoFilter,
    GateRefused, and ValueError without bwrap."""
    argv, env, cwd, run_folders, options = start
    if host.bwrap is None:
        raise ValueError("bwrap is not installed")
    gate.check_process(argv, cwd, run_folders)
    python = os.path.realpath(host.python)
    if copy := gate.copy_of(python, run_folders):
        raise gate.GateRefused(
            f"the Python that runs skillstudio is inside {copy.original}, where the program could "
            "replace it; install skillstudio elsewhere, or use --isolation confined",
            leaves=False,
        )
    originals = [copy.original for copy in run_folders.copies]
    writable = [_TMP, run_folders.temporary, run_folders.home, *originals]
    rules = landlock.inside_view(host.landlock, writable)
    policy = {
        "confine": True,
        "landlock": rules.attributes if host.landlock else b"",
        "rules": [tuple(rule) for rule in rules.rules],
        "filter": seccomp.program("isolated", options.trace, host.machine),
    }
    env = environment(host, env, run_folders)
    inside = host._replace(python=python)
    step = prepare_launch(inside, "isolated", argv, env, cwd, options, policy)
    resolver = open_memory_file(_RESOLVER)
    arguments = [
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *_view(run_folders, readable(host), resolver, options.readable),
    ]
    arguments_fd = open_memory_file(
        b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    )
    return step._replace(
        argv=(host.bwrap, "--args", str(arguments_fd), "--", *step.argv),
        # bwrap sees all files, so variables that load a library must not reach it.
        env={"PATH": host.path},
        supervision="bwrap",
        pass_fds=(arguments_fd, resolver, *step.pass_fds),
    )


def _view(
    run_folders: RunFolders, access: Readable, resolver: int, extra_paths: Sequence[str]
) -> list[str]:
    """Arguments of bwrap: what can be read, `extra_paths` too, and the copies and temporary folders
    to write."""
    view: list[str] = []
    for path in access.system:
        leads_to = os.path.realpath(path)
        if path != leads_to and any(below(leads_to, other) is not None for other in access.system):
            view += ["--symlink", leads_to, path]
        else:
            view += _bind_path("--ro-bind", leads_to, path)
    if access.home:
        view += ["--tmpfs", access.home]
    view += ["--dev", "/dev", "--proc", "/proc"]
    # Root owns the settings in /proc, with or without capabilities.
    view += ["--remount-ro", "/proc"]
    for place in (_TMP, _SHARED_MEMORY):
        view += ["--bind", run_folders.temporary, place]
    originals = [copy.original for copy in run_folders.copies]
    for path in (*access.tools, *extra_paths):
        # A mount point inside a copy would change the copy.
        if not any(below(path, original) is not None for original in originals):
            view += _bind_path("--ro-bind", os.path.realpath(path), path)
    for path in access.hidden_paths:
        if any(
            below(path, other) is not None
            for other in (*access.system, *access.tools, *extra_paths)
        ):
            view += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", os.devnull, path]
    if os.path.exists("/etc/resolv.conf"):
        view += ["--ro-bind-data", str(resolver), os.path.realpath("/etc/resolv.conf")]
    for folder in (run_folders.temporary, run_folders.home):
        view += ["--bind", folder, folder]
    for copy in sorted(run_folders.copies, key=lambda copy: len(copy.original)):
        view += ["--bind", copy.folder, copy.original]
    # The root that bwrap creates for the mounts must not be writable.
    return [*view, "--remount-ro", "/"]


def _bind_path(how: str, path: str, place: str) -> list[str]:
    """Bind a path at its real place and at the name it is known by."""
    return [part for target in dict.fromkeys((path, place)) for part in (how, path, target)]
