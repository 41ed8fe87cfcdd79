"""Emptying a pipe: nothing that was written is lost when the reader is slow."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable

import pytest

from skillstudio.dryrun.running.output import Pump

if os.name != "posix":
    pytest.skip("elsewhere a pump is only waited for", allow_module_level=True)


def stopped_while_busy(then: Callable[[int], None]) -> tuple[bytes, bool]:
    """What a pump took that was stopped while it was busy, and whether it reached the end.

    `then` gets the writing end of the pipe after the first bytes were taken.
    """
    read, write = os.pipe()
    taken = bytearray()
    busy, free = threading.Event(), threading.Event()

    def take(data: bytes) -> None:
        taken.extend(data)
        busy.set()
        assert free.wait(60)

    pump = Pump(read, take, "test")
    os.write(write, b"first,")
    assert busy.wait(60)
    then(write)
    reached: list[bool] = []
    stopper = threading.Thread(target=lambda: reached.append(pump.stop(0)))
    stopper.start()
    select.select([pump._woken], [], [])  # The request to stop is there before the rest is read.
    free.set()
    stopper.join(60)
    return bytes(taken), reached[0]


def test_what_is_in_the_pipe_is_read_after_the_patience_is_over() -> None:
    def end(write: int) -> None:
        os.write(write, b"second")
        os.close(write)

    assert stopped_while_busy(end) == (b"first,second", True)


def test_a_pipe_that_somebody_holds_open_is_left() -> None:
    held: list[int] = []
    assert stopped_while_busy(held.append) == (b"first,", False)
    os.close(held[0])
