"""Do something again whenever a file below some paths changes."""

from __future__ import annotations

import os
from collections.abc import Callable

from skillstudio.cli.exit_codes import CANCELLED
from skillstudio.cli.output import say


def watch(paths: list[str], once: Callable[[], int]) -> int:
    """Run `once` now and after each change until the user interrupts."""
    from watchfiles import watch as changes

    folders = {path if os.path.isdir(path) else os.path.dirname(path) or "." for path in paths}
    once()
    say("watching; ^C ends")
    for _ in changes(*folders, raise_interrupt=False):
        once()
        say("watching; ^C ends")
    return CANCELLED
