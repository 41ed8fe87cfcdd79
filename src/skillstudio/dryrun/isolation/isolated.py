"""The level `isolated`: bwrap shows the copies at the paths of the originals, and little else."""

from __future__ import annotations

import os

from skillstudio.dryrun.isolation import gate, landlock, seccomp
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.launch import environment, launched, unnamed
from skillstudio.dryrun.isolation.readable import Readable, readable
from skillstudio.dryrun.prepared import Prepared, RunFolders, StepStart
from skillstudio.files.paths import below

_TMP = "/tmp"  # noqa: S108 - inside the sandbox this is the run's own folder
_RESOLVER = b"nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
"""A name server that does not exist: lookups can be traced and fail at once."""


def prepare(host: Host, start: StepStart) -> Prepared:
    """Prepare a step with the copies at the paths of the originals. Raises seccomp.NoFilter,
    GateRefused, and ValueError without bwrap."""
    argv, env, cwd, run_folders, options = start
    if host.bwrap is None:
        raise ValueError("bwrap is not installed")
    gate.check_process(argv, cwd, run_folders)
    python = os.path.realpath(host.python)
    _check_python(python, run_folders)
    originals = [each.original for each in run_folders.copies]
    writable = [_TMP, run_folders.temporary, run_folders.home, *originals]
    rules = landlock.inside_view(host.landlock, writable)
    confined = {
        "confine": True,
        "landlock": rules.attributes if host.landlock else b"",
        "rules": [tuple(rule) for rule in rules.rules],
        "filter": seccomp.program("isolated", False, host.machine),
        "filter_tracer": seccomp.program("isolated", True, host.machine),
    }
    env = environment(host, env, run_folders)
    step = launched(host._replace(python=python), argv, env, cwd, options, confined, quick=True)
    resolver = unnamed(_RESOLVER)
    arguments = [
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *_view(run_folders, readable(host), resolver),
    ]
    listed = unnamed(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
    return step._replace(
        argv=(host.bwrap, "--args", str(listed), "--", *step.argv),
        # bwrap sees all files, so variables that load a library must not reach it.
        env={"PATH": host.path},
        supervision="bwrap",
        pass_fds=(listed, resolver, *step.pass_fds),
    )


def _check_python(python: str, run_folders: RunFolders) -> None:
    """Raise GateRefused when a copy would cover the Python that runs the launcher."""
    if copy := gate.copy_of(python, run_folders):
        raise gate.GateRefused(
            f"the Python that runs skillstudio is inside {copy.original}, where the program could "
            "replace it; install skillstudio elsewhere, or use --isolation confined",
            leaves=False,
        )


def _view(run_folders: RunFolders, shown: Readable, resolver: int) -> list[str]:
    """Arguments of bwrap: what can be read, and the copies and temporary folders to write."""
    view: list[str] = []
    for path in shown.system:
        leads_to = os.path.realpath(path)
        if path != leads_to and any(below(leads_to, each) is not None for each in shown.system):
            view += ["--symlink", leads_to, path]
        else:
            view += _bound("--ro-bind", leads_to, path)
    if shown.home:
        view += ["--tmpfs", shown.home]
    view += ["--dev", "/dev", "--proc", "/proc"]
    # Root owns the settings in /proc, with or without capabilities.
    view += ["--remount-ro", "/proc"]
    view += ["--bind", run_folders.temporary, _TMP]
    originals = [copy.original for copy in run_folders.copies]
    for path in shown.tools:
        # A mount point inside a copy would change the copy.
        if not any(below(path, each) is not None for each in originals):
            view += _bound("--ro-bind", os.path.realpath(path), path)
    for path in shown.hidden:
        if any(below(path, each) is not None for each in (*shown.system, *shown.tools)):
            view += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", os.devnull, path]
    if os.path.exists("/etc/resolv.conf"):
        view += ["--ro-bind-data", str(resolver), os.path.realpath("/etc/resolv.conf")]
    for folder in (run_folders.temporary, run_folders.home):
        view += ["--bind", folder, folder]
    for copy in sorted(run_folders.copies, key=lambda each: len(each.original)):
        view += ["--bind", copy.folder, copy.original]
    # The root that bwrap creates for the mounts must not be writable.
    return [*view, "--remount-ro", "/"]


def _bound(how: str, path: str, place: str) -> list[str]:
    """Bind a path at its real place and at the name it is known by."""
    return [part for each in dict.fromkeys((path, place)) for part in (how, path, each)]
