"""The umask of this process, read without changing it for other threads."""

from __future__ import annotations

import os
import threading

_LOCK = threading.Lock()


def current_umask() -> int:
    """The permission bits that new files lack."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            line = next(line for line in file if line.startswith("Umask:"))
        return int(line.split()[1], 8)
    except (OSError, StopIteration, ValueError):
        with _LOCK:
            umask = os.umask(0o022)
            os.umask(umask)
        return umask
