"""Confinement for our own processes that only compute, such as the template renderer."""

from __future__ import annotations

import platform

from skillstudio.dryrun.isolation import landlock, seccomp


def confinement() -> tuple[bytes, bytes] | None:
    """Landlock attributes and system call filter; None on a kernel without Landlock.

    The process applies both to itself and grants only what it imports.
    """
    version = landlock.abi()
    if not version:
        return None
    try:
        return landlock.attributes(version), seccomp.program("confined", False, platform.machine())
    except seccomp.NoFilter:
        return None
