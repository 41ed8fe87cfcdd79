"""The thread that checks skills: first what the editor waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from queue import PriorityQueue
from typing import Any, TypeVar

T = TypeVar("T")
_REQUEST, _BACKGROUND, _END = range(3)


class Worker:
    """One thread that runs jobs, each kind in order."""

    def __init__(self) -> None:
        self._jobs: PriorityQueue[tuple[int, int, Future[Any], Callable[[], Any]]] = PriorityQueue()
        self._numbers = count()
        # An editor that closes the connection does not wait for a job.
        self._thread = threading.Thread(target=self._run, name="skillstudio", daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], T], is_request: bool = True) -> Future[T]:
        """Run a job before those that are no request and have not started."""
        return self._put(_REQUEST if is_request else _BACKGROUND, job)

    def shutdown(self) -> None:
        """Run what is left, and end the thread."""
        self._put(_END, lambda: None).result()
        self._thread.join()

    def _put(self, priority: int, job: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put((priority, next(self._numbers), future, job))
        return future

    def _run(self) -> None:
        while True:
            priority, _, future, job = self._jobs.get()
            if future.set_running_or_notify_cancel():
                try:
                    result = job()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)
            if priority == _END:
                return
