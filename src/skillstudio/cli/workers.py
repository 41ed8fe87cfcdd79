"""Check many skills on every processor."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

MANY_ELSEWHERE = 1000
"""Number of items from which processes that cannot be forked are worth their imports."""
CHUNK = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results in the order of the items; several processes share many items."""
    forks = sys.platform == "linux" and threading.active_count() == 1
    if not items or (not forks and len(items) < MANY_ELSEWHERE) or _processors() < 2:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Forked processes inherit what the first item loads and compiles.
    yield work(items[0])
    context = get_context("fork" if forks else "spawn")
    with (
        _existing_objects_frozen(),
        ProcessPoolExecutor(_processors(), context, _leave_interrupts_to_the_parent) as pool,
    ):
        yield from pool.map(work, items[1:], chunksize=CHUNK)


@contextmanager
def _existing_objects_frozen() -> Iterator[None]:
    """Collect only new objects, so that forked processes do not copy the old ones."""
    collecting, frozen = gc.isenabled(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        if not frozen:
            gc.unfreeze()
        if not collecting:
            gc.disable()


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
