"""`isolated`: bwrap shows the copies where the originals are, and of the machine little else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from skillstudio.dryrun.isolation import gate, landlock, seccomp
from skillstudio.dryrun.isolation.environment import environment
from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.launch import launched, unnamed
from skillstudio.dryrun.isolation.readable import Readable, readable
from skillstudio.dryrun.prepared import Options, Prepared, RunFolders
from skillstudio.files.paths import below

_TMP = "/tmp"  # noqa: S108 - what a program sees there is the run's own
_RESOLVER = b"nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
"""A name server that nobody is: the question for a name can be traced, and fails at once."""


def prepare(
    host: Host,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    ground: RunFolders,
    options: Options,
) -> Prepared:
    """A step with the copies at the paths of the originals.

    Raises seccomp.NoFilter where a processor's calls are not known, ValueError without bwrap, and
    GateRefused for a folder or a program that leads out of the copies, or a Python inside them.
    """
    if host.bwrap is None:
        raise ValueError("bwrap is not installed")
    gate.check_process(argv, cwd, ground)
    python = os.path.realpath(host.python)
    _check_python(python, ground)
    writable = [_TMP, ground.temporary, ground.home, *(each.original for each in ground.copies)]
    rules = landlock.inside_view(host.landlock, writable)
    confined = {
        "confine": True,
        "landlock": rules.attributes if host.landlock else b"",
        "rules": [tuple(rule) for rule in rules.rules],
        "filter": seccomp.program("isolated", False, host.machine),
        "filter_tracer": seccomp.program("isolated", True, host.machine),
    }
    step = launched(
        host._replace(python=python),
        argv,
        environment(host, env, ground),
        cwd,
        options,
        confined,
        quick=True,
    )
    resolver = unnamed(_RESOLVER)
    arguments = [
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *_view(ground, readable(host), resolver),
    ]
    told = unnamed(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
    return step._replace(
        argv=(host.bwrap, "--args", str(told), "--", *step.argv),
        # A variable that loads a library must not reach bwrap, which still has all the files.
        env={"PATH": host.path},
        supervision="bwrap",
        pass_fds=(told, resolver, *step.pass_fds),
    )


def _check_python(python: str, ground: RunFolders) -> None:
    """Raise GateRefused where the view has a copy in place of what runs the launcher."""
    if copy := gate.copy_of(python, ground):
        raise gate.GateRefused(
            f"the Python that runs skillstudio is inside {copy.original}, where the program could "
            "replace it: run skillstudio with a Python elsewhere, or use the level confined",
            leaves=False,
        )


def _view(ground: RunFolders, shown: Readable, resolver: int) -> list[str]:
    """What can be read, the copies and a folder for temporary files to write, and no more."""
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
    # Root owns the settings in there, capabilities or not.
    view += ["--remount-ro", "/proc"]
    view += ["--bind", ground.temporary, _TMP]
    originals = [copy.original for copy in ground.copies]
    for path in shown.tools:
        # A folder for it in a copy would be a change of the copy.
        if not any(below(path, each) is not None for each in originals):
            view += _bound("--ro-bind", os.path.realpath(path), path)
    for path in shown.hidden:
        if any(below(path, each) is not None for each in (*shown.system, *shown.tools)):
            view += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", os.devnull, path]
    if os.path.exists("/etc/resolv.conf"):
        view += ["--ro-bind-data", str(resolver), os.path.realpath("/etc/resolv.conf")]
    for folder in (ground.temporary, ground.home):
        view += ["--bind", folder, folder]
    for copy in sorted(ground.copies, key=lambda each: len(each.original)):
        view += ["--bind", copy.folder, copy.original]
    # What bwrap made to hold all this is no place to write to.
    return [*view, "--remount-ro", "/"]


def _bound(how: str, path: str, place: str) -> list[str]:
    """A path at its real place, and at the one by which it is known."""
    return [part for each in dict.fromkeys((path, place)) for part in (how, path, each)]
