"""The facts about a machine that decide which isolation levels it offers."""

from __future__ import annotations

import os
import shutil
import sys
from typing import NamedTuple

from skillstudio.dryrun.isolation import landlock, seccomp
from skillstudio.files.state import cache_folder, config_folder, state_folder


class Host(NamedTuple):
    """A machine and the user on it."""

    system: str  # `linux`, `darwin`, `win32`, as Python names them.
    machine: str
    python: str
    home: str  # The user's home folder, which confined programs cannot read; "" when unknown.
    path: str
    root: bool
    landlock: int  # The Landlock ABI to use, which may be below the kernel's; 0 for none.
    bwrap: str | None
    observes: bool  # Whether the system has what the tracer uses; a canary decides if it works.
    own_folders: tuple[str, ...] = ()
    """Folders of skillstudio's own files: settings, drafts, recorded runs and their key."""


class CanaryResult(NamedTuple):
    """The outcome of a canary."""

    failure: str
    """Why the isolation level is not available; "" when the canary ran and did not get out."""
    traced: bool = False  # Whether the tracer recorded what it did.


def this_host() -> Host:
    """The current machine."""
    linux = sys.platform == "linux"
    machine = os.uname().machine if hasattr(os, "uname") else ""
    home = os.path.expanduser("~")
    path = os.environ.get("PATH", os.defpath)
    return Host(
        system=sys.platform,
        machine=machine,
        python=sys.executable,
        # Stays `~` without HOME and without an entry for this user.
        home=home if os.path.isabs(home) else "",
        path=path,
        root=linux and os.geteuid() == 0,
        landlock=landlock.abi(),
        bwrap=shutil.which("bwrap", path=path) if linux else None,
        observes=linux and machine in seccomp.PROCESSORS,
        own_folders=(cache_folder(), config_folder(), state_folder()),
    )
