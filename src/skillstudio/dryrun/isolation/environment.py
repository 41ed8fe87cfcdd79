"""The environment of a run: declared variables and the few that every program needs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.prepared import RunFolders

BASE = {"LANG": "C.UTF-8", "TERM": "dumb"}
"""What every run has unless its manifest or caller sets it."""
_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR")
"""Almost no program starts on Windows without these."""


def environment(host: Host, env: Mapping[str, str], run_folders: RunFolders) -> dict[str, str]:
    """`env` on top of a small base, with the run's own home and temporary folder."""
    made = {"PATH": host.path, **BASE}
    own = {"HOME": run_folders.home, "TMPDIR": run_folders.temporary}
    if host.system == "win32":
        made |= {name: os.environ[name] for name in _WINDOWS if name in os.environ}
        own = {
            "USERPROFILE": run_folders.home,
            "TEMP": run_folders.temporary,
            "TMP": run_folders.temporary,
        }
    if zone := os.environ.get("TZ"):
        made["TZ"] = zone
    return {**made, **env, **own}


def moved(value: str, run_folders: RunFolders) -> str:
    """The path of the copy for a path of an original; any other text unchanged."""
    for copy in sorted(run_folders.copies, key=lambda each: len(each.original), reverse=True):
        if value == copy.original or value.startswith(copy.original.rstrip(os.sep) + os.sep):
            return copy.folder + value[len(copy.original.rstrip(os.sep)) :]
    return value
