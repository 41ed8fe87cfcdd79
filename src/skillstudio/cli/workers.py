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
"""The same if processes cannot be forked: then each of them imports everything again."""
CHUNK = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results of some work in the order of the items; many items are shared by processes."""
    forks = sys.platform == "linux" and threading.active_count() == 1
    if not items or (not forks and len(items) < MANY_ELSEWHERE) or _processors() < 2:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # What the first item loads and compiles, forked processes have from the start.
    yield work(items[0])
    context = get_context("fork" if forks else "spawn")
    with (
        what_is_there_left_alone(),
        ProcessPoolExecutor(_processors(), context, _leave_interrupts_to_the_parent) as pool,
    ):
        yield from pool.map(work, items[1:], chunksize=CHUNK)


@contextmanager
def what_is_there_left_alone() -> Iterator[None]:
    """Collect what is new, and touch nothing older in each process to find out that it stays."""
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
