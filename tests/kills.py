"""Processes that are killed before one of their calls of the system."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from skillstudio.dryrun.applying.apply import Steps

KILLED = -signal.SIGKILL

CALLS = ("open", "mkdir", "symlink", "link", "rename", "replace", "unlink", "rmdir", "chmod",
         "fchmod", "fchown", "setxattr", "removexattr", "utime", "fsync", "write",
         "ftruncate")  # fmt: skip
"""All of `os` by which a save or an apply changes the disk, or waits for it."""


def before_each_call(do: Callable[[], None], put: Callable[[Any, str, Any], None]) -> None:
    """Do something before each of CALLS, which `put` puts in the place of those of `os`."""
    for name in CALLS:
        real = getattr(os, name)

        def call(*arguments: Any, real: Any = real, **options: Any) -> Any:
            # How many lock files there are depends on the paths, which differ from try to try.
            if not (arguments and f"{os.sep}locks{os.sep}" in str(arguments[0])):
                do()
            return real(*arguments, **options)

        put(os, name, call)


def forked(work: Callable[[], object]) -> int:
    """Do something in a process of its own, whose end is told once it is over."""
    pid = os.fork()
    if not pid:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_at(number: int) -> Steps:
    """Steps that end their process by SIGKILL before one of them."""
    left = iter(range(number))

    def step(_: str) -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


def kill_before_call(number: int) -> None:
    """End this process by SIGKILL before one call, which is after the one before it."""
    killed = killed_at(number)
    before_each_call(lambda: killed(""), setattr)
