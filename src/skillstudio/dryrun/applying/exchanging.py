"""Two names exchanged in one step, so that what lay under one of them is never lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache

_HERE = -100
"""AT_FDCWD of Linux: names are absolute, or from the current folder."""
_EXCHANGE = 2
"""RENAME_EXCHANGE, see renameat2(2)."""


def exchange(one: str, other: str) -> bool:
    """Let each of two names have what the other had. False where the system cannot, or one is not.

    Only Linux has it, and not on every file system.
    """
    rename = _renameat2() if sys.platform == "linux" else None
    if rename is None:
        return False
    return rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


@cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    import ctypes

    found: Callable[[int, bytes, int, bytes, int], int] | None = getattr(
        ctypes.CDLL(None), "renameat2", None
    )
    return found
