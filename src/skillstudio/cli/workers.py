"""Check many skills on every processor."""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeVar

MANY_ELSEWHERE = 1000
"""Number of items from which processes that cannot be forked are worth their imports."""
CHUNK = 8
_MOST_CHUNKS = 1024
_LENGTH = 8  # Bytes before each message of a forked process.

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], sample: int = 1
) -> Iterator[Result]:
    """The results in the order of the items; several processes share many items.

    Processes that are forked inherit what about `sample` items from the whole list have loaded and
    compiled. Raises what `work` raises, and ChildProcessError for a process that was killed.
    """
    forks = sys.platform == "linux" and threading.active_count() == 1
    if not items or (not forks and len(items) < MANY_ELSEWHERE) or _processors() < 2:
        yield from map(work, items)
        return
    if forks:
        step = -(-len(items) // sample)
        first = list(map(work, items[::step]))
        remaining_items = [item for number, item in enumerate(items) if number % step]
        with _existing_objects_frozen(), closing(_map_in_forks(work, remaining_items)) as results:
            for number in range(len(items)):
                yield next(results) if number % step else first[number // step]
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(
        _processors(), get_context("spawn"), _leave_interrupts_to_the_parent
    ) as pool:
        yield from pool.map(work, items, chunksize=CHUNK)


def _map_in_forks(
    work: Callable[[Item], Result], items: Sequence[Item]
) -> Generator[Result, None, None]:
    """Share items among forked processes, without the imports that an executor takes."""
    size = max(CHUNK, -(-len(items) // _MOST_CHUNKS))
    chunks = [items[at : at + size] for at in range(0, len(items), size)]
    # Whoever is free takes the next number; all of them fit into a pipe.
    queue, numbers = os.pipe()
    os.write(numbers, b"".join(number.to_bytes(2) for number in range(len(chunks))))
    os.close(numbers)
    processes: dict[int, int] = {}
    """The process that writes to each pipe."""
    try:
        for _ in range(min(_processors(), len(chunks))):
            results, sink = os.pipe()
            process = os.fork()
            if not process:
                _work_through(work, chunks, queue, sink)
            os.close(sink)
            processes[results] = process
        yield from _in_order(processes, len(chunks))
    finally:
        os.close(queue)
        for results, process in processes.items():
            os.close(results)
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _work_through(
    work: Callable[[Item], Result], chunks: Sequence[Sequence[Item]], queue: int, sink: int
) -> None:
    """Work on chunks until none is left, and end the process."""
    try:
        _leave_interrupts_to_the_parent()
        with open(sink, "wb") as stream:

            def send(number: int, value: list[Result] | BaseException) -> None:
                data = pickle.dumps((number, value), pickle.HIGHEST_PROTOCOL)
                stream.write(len(data).to_bytes(_LENGTH) + data)
                stream.flush()

            while number_bytes := os.read(queue, 2):
                number = int.from_bytes(number_bytes)
                try:
                    send(number, list(map(work, chunks[number])))
                except BrokenPipeError:
                    raise
                except BaseException as error:
                    from traceback import format_exception

                    error.add_note("".join(format_exception(error)))
                    send(number, error)
    finally:
        os._exit(0)


def _in_order(processes: Mapping[int, int], count: int) -> Iterator[Any]:
    """The results of chunks in the order of their numbers, from the pipes of processes."""
    chunk_results: dict[int, list[Any] | BaseException] = {}
    poller = select.poll()
    for pipe in processes:
        poller.register(pipe, select.POLLIN)
    open_count = len(processes)
    for chunk_number in range(count):
        while chunk_number not in chunk_results:
            if not open_count:
                raise ChildProcessError("a process that checks skills was killed; check fewer")
            for pipe, _ in poller.poll():
                length = int.from_bytes(_read(pipe, _LENGTH))
                data = _read(pipe, length)
                if length and len(data) == length:
                    number, value = pickle.loads(data)  # noqa: S301 - from our own process
                    chunk_results[number] = value
                else:
                    poller.unregister(pipe)
                    open_count -= 1
        chunk_result = chunk_results.pop(chunk_number)
        if isinstance(chunk_result, BaseException):
            raise chunk_result
        yield from chunk_result


def _read(pipe: int, size: int) -> bytes:
    """So many bytes of a pipe; fewer at its end."""
    pieces = []
    while size and (piece := os.read(pipe, min(size, 1 << 20))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


@contextmanager
def _existing_objects_frozen() -> Iterator[None]:
    """Collect only new objects, so that forked processes do not copy the old ones."""
    was_collecting, frozen = gc.isenabled(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        if not frozen:
            gc.unfreeze()
        if not was_collecting:
            gc.disable()


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
