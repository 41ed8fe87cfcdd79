"""The environment of a run: the declared variables, and of this machine only what is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.prepared import RunFolders

BASE = {"LANG": "C.UTF-8", "TERM": "dumb"}
"""What every run has unless its manifest or its caller says otherwise."""
_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR")
"""Without these hardly a program starts there."""


def environment(host: Host, env: Mapping[str, str], ground: RunFolders) -> dict[str, str]:
    """`env` on top of a small base; home and the folder for temporary files are the run's own."""
    made = {"PATH": host.path, **BASE}
    own = {"HOME": ground.home, "TMPDIR": ground.temporary}
    if host.system == "win32":
        made |= {name: os.environ[name] for name in _WINDOWS if name in os.environ}
        own = {"USERPROFILE": ground.home, "TEMP": ground.temporary, "TMP": ground.temporary}
    if zone := os.environ.get("TZ"):
        made["TZ"] = zone
    return {**made, **env, **own}


def moved(value: str, ground: RunFolders) -> str:
    """A path of an original as the path of its copy; anything else as it is."""
    for copy in sorted(ground.copies, key=lambda each: len(each.original), reverse=True):
        if value == copy.original or value.startswith(copy.original.rstrip(os.sep) + os.sep):
            return copy.folder + value[len(copy.original.rstrip(os.sep)) :]
    return value


def moved_all(values: Sequence[str], ground: RunFolders) -> list[str]:
    """Each of `values` that is a path of an original as the path of its copy."""
    return [moved(value, ground) for value in values]
