"""Items shared among forked processes: in order, and without leftovers when something fails."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import pytest

from skillstudio.cli import workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")


@pytest.fixture(autouse=True)
def _several_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_processors", lambda: 3)
    monkeypatch.setattr(workers.threading, "active_count", lambda: 1)


def double(number: int) -> tuple[int, int]:
    return number * 2, os.getpid()


def no_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


@pytest.mark.parametrize("count", [0, 1, 2, 8, 9, 500, 9000])
def test_the_results_are_in_the_order_of_the_items(count: int) -> None:
    found = list(workers.map_in_processes(double, range(count)))
    assert [number for number, _ in found] == [2 * each for each in range(count)]
    assert count < 9 or {process for _, process in found} != {os.getpid()}
    assert no_children()


@pytest.mark.parametrize("sample", [1, 3, 8, 100])
def test_a_sample_is_worked_on_before_processes_are_forked(sample: int) -> None:
    found = list(workers.map_in_processes(double, range(100), sample))
    assert [number for number, _ in found] == [2 * each for each in range(100)]
    own = [number // 2 for number, process in found if process == os.getpid()]
    assert own == list(range(0, 100, -(-100 // sample)))
    assert no_children()


def test_a_large_result_arrives_whole() -> None:
    found = list(
        workers.map_in_processes(lambda number: b"x" * 300_000 + bytes([number]), range(20))
    )
    assert [each[-1] for each in found] == list(range(20))


def refuse(number: int) -> int:
    if number == 40:
        raise ValueError("the fortieth")
    return number


def test_an_error_is_raised_where_its_item_is() -> None:
    found = workers.map_in_processes(refuse, range(60))
    # Results of the chunk with the error are lost, and those before it are not.
    first = [next(found) for _ in range(33)]
    assert first == list(range(33))
    with pytest.raises(ValueError, match="the fortieth") as caught:
        list(found)
    assert "in refuse" in "".join(caught.value.__notes__)
    assert no_children()


def die(number: int) -> int:
    if number:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_process_is_reported() -> None:
    with pytest.raises(ChildProcessError, match="was killed"):
        list(workers.map_in_processes(die, range(60)))
    assert no_children()


def test_what_is_not_asked_for_is_stopped() -> None:
    found = workers.map_in_processes(double, range(9000))
    assert next(found)[0] == 0
    assert next(found)[0] == 2
    found.close()
    assert no_children()


def test_an_interrupt_stops_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(workers.map_in_processes(double, range(100)))
    assert no_children()
