"""What of this machine decides which rungs there are; a value, so another can be told."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from typing import NamedTuple

from skillstudio.dryrun.rungs import landlock


class Host(NamedTuple):
    """A machine and the user on it."""

    system: str
    """`linux`, `darwin`, `win32`, as Python names them."""
    machine: str
    """The processor."""
    python: str
    home: str
    """Of the user: what of it is masked stands in `masked.toml`."""
    path: str
    """Where the user's commands are."""
    root: bool
    landlock: int
    """The ABI that is used, which may be less than what the kernel has; 0 for none."""
    bwrap: str | None
    strace: str | None


def this_host() -> Host:
    """The machine that this runs on."""
    linux = sys.platform == "linux"
    path = os.environ.get("PATH", os.defpath)
    return Host(
        system=sys.platform,
        machine=platform.machine(),
        python=sys.executable,
        home=os.path.expanduser("~"),
        path=path,
        root=linux and os.geteuid() == 0,
        landlock=landlock.abi(),
        bwrap=shutil.which("bwrap", path=path) if linux else None,
        strace=shutil.which("strace", path=path) if linux else None,
    )
