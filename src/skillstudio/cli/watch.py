"""Do something again whenever a file below some paths changes."""

from __future__ import annotations

import os
from collections.abc import Callable

from skillstudio.cli.exit_codes import CANCELLED
from skillstudio.cli.output import say
from skillstudio.files.temporary import is_temporary

_QUIET = 50
"""Milliseconds without a change after which the changes before are taken together."""
_MOST = 1600
"""Milliseconds that changes may go on for before they are told all the same."""


def watch(paths: list[str], once: Callable[[], int]) -> int:
    """Run `once` now and after each change until the user interrupts.

    The watch begins before the first run, so that no change falls between the two.
    """
    import gc

    from watchfiles import Change, DefaultFilter
    from watchfiles._rust_notify import RustNotify

    gc.enable()
    folders = {path if os.path.isdir(path) else os.path.dirname(path) or "." for path in paths}
    ours = DefaultFilter()
    with RustNotify(sorted(folders), False, False, 300, True, False) as notify:
        while True:
            once()
            say("watching; ^C ends")
            while True:
                changes = notify.watch(_MOST, _QUIET, 0, None)
                if not isinstance(changes, set):
                    return CANCELLED
                # A save makes a temporary file first, and the file itself changes right after.
                if any(
                    ours(Change(kind), path) and not is_temporary(os.path.basename(path))
                    for kind, path in changes
                ):
                    break
