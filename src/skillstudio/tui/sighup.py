"""Detect a closed terminal (SIGHUP) where no signal reports it."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable


def on_hangup(terminal: int, then: Callable[[], object]) -> None:
    """Call `then` in a thread once the other end of a terminal is closed.

    SIGHUP goes to the leader of a session; under one that outlives its terminal, such as make,
    nobody else is told. A system that cannot wait for this calls nothing.
    """
    if not hasattr(select, "poll"):
        return
    waiting = select.poll()
    waiting.register(terminal, 0)

    def wait() -> None:
        if any(event & select.POLLHUP for _, event in waiting.poll()):
            then()

    threading.Thread(target=wait, name="terminal", daemon=True).start()
