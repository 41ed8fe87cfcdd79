"""What confines a process of ours that only computes, such as the one that renders templates."""

from __future__ import annotations

import platform

from skillstudio.dryrun.isolation import landlock, seccomp


def confinement() -> tuple[bytes, bytes] | None:
    """Landlock's attributes and the filter of system calls; None where this kernel has no Landlock.

    The process applies both to itself and grants what it imports alone.
    """
    version = landlock.abi()
    if not version:
        return None
    try:
        return landlock.attributes(version), seccomp.program("confined", False, platform.machine())
    except seccomp.NoFilter:
        return None
