"""The thread that checks skills: first what the editor waits for."""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
_MOST_REQUESTS = 2
"""Requests in a row while other jobs wait, so that an editor that requests much starves none."""


def settle_memory() -> None:
    """Leave what is in use out of later garbage collections: with 1,000 open skills, one of these
    would take longer than any request may wait."""
    gc.collect(1)
    gc.freeze()


class _Job(NamedTuple):
    future: Future[Any]
    run: Callable[[], Any]


class Worker:
    """One thread that runs jobs, each kind in order."""

    def __init__(self) -> None:
        self._first: deque[_Job] = deque()
        self._requests: deque[_Job] = deque()
        self._others: deque[_Job] = deque()
        self._change = threading.Condition()
        self._is_ended = False
        # An editor that closes the connection does not wait for a job.
        self._thread = threading.Thread(target=self._run, name="skillstudio", daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], T], is_request: bool = True) -> Future[T]:
        """Run a job before most of those that are no request."""
        return self._add(self._requests if is_request else self._others, job)

    def submit_first(self, job: Callable[[], T]) -> Future[T]:
        """Run a job before all that have not started: they depend on what it changes."""
        return self._add(self._first, job)

    def _add(self, jobs: deque[_Job], job: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._change:
            jobs.append(_Job(future, job))
            self._change.notify()
        return future

    def shutdown(self) -> None:
        """Run what is left, and end the thread."""
        with self._change:
            self._is_ended = True
            self._change.notify()
        self._thread.join()

    def _run(self) -> None:
        requests_in_a_row = 0
        while True:
            with self._change:
                while not self._first and not self._requests and not self._others:
                    if self._is_ended:
                        return
                    self._change.wait()
                is_fair = requests_in_a_row < _MOST_REQUESTS or not self._others
                jobs = self._requests if self._requests and is_fair else self._others
                jobs = self._first or jobs
                if jobs is self._requests:
                    requests_in_a_row += 1
                elif jobs is self._others:
                    requests_in_a_row = 0
                future, run = jobs.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = run()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
