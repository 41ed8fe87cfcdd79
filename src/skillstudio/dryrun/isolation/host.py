"""What of this machine decides which isolation levels there are; a value, so another can be
told."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from typing import NamedTuple

from skillstudio.dryrun.isolation import landlock


class Host(NamedTuple):
    """A machine and the user on it."""

    system: str
    """`linux`, `darwin`, `win32`, as Python names them."""
    machine: str
    """The processor."""
    python: str
    home: str
    """Of the user, "" where it is not known; programs that are confined cannot read it."""
    path: str
    """Where the user's commands are."""
    root: bool
    landlock: int
    """The ABI that is used, which may be less than what the kernel has; 0 for none."""
    bwrap: str | None
    strace: str | None
    own: tuple[str, ...] = ()
    """Where skillstudio keeps what is its own: settings, drafts, recorded runs and their key."""


def this_host() -> Host:
    """The machine that this runs on."""
    linux = sys.platform == "linux"
    home = os.path.expanduser("~")
    path = os.environ.get("PATH", os.defpath)
    return Host(
        system=sys.platform,
        machine=platform.machine(),
        python=sys.executable,
        # Without HOME and without an entry for this user it stays `~`.
        home=home if os.path.isabs(home) else "",
        path=path,
        root=linux and os.geteuid() == 0,
        landlock=landlock.abi(),
        bwrap=shutil.which("bwrap", path=path) if linux else None,
        strace=shutil.which("strace", path=path) if linux else None,
        own=_own(),
    )


def _own() -> tuple[str, ...]:
    from platformdirs import user_cache_path, user_config_path, user_state_path

    places = (user_cache_path, user_config_path, user_state_path)
    return tuple(str(each("skillstudio", appauthor=False)) for each in places)
