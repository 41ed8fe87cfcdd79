"""In which order jobs run."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from functools import partial

import pytest

from skillstudio.lsp.worker import Worker


def order(jobs: str) -> str:
    """The order of jobs that are submitted while another one runs: `r` requests, `f` first."""
    worker, has_started, may_end = Worker(), threading.Event(), threading.Event()
    done: list[str] = []
    worker.submit(lambda: has_started.set() or may_end.wait(), is_request=False)
    assert has_started.wait(60)
    for number, kind in enumerate(jobs):
        job = partial(done.append, f"{kind}{number}")
        worker.submit_first(job) if kind == "f" else worker.submit(job, kind == "r")
    may_end.set()
    worker.shutdown()
    return " ".join(done)


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ("", ""),
        ("bbb", "b0 b1 b2"),
        ("rrr", "r0 r1 r2"),
        ("br", "r1 b0"),
        ("bbrrrr", "r2 r3 b0 r4 r5 b1"),
        ("brrrr", "r1 r2 b0 r3 r4"),
        ("brrfrf", "f3 f5 r1 r2 b0 r4"),
    ],
)
def test_requests_are_first_and_starve_nothing(jobs: str, expected: str) -> None:
    assert order(jobs) == expected


def test_a_job_that_fails_or_is_cancelled_ends_nothing() -> None:
    worker, may_start = Worker(), threading.Event()
    worker.submit(may_start.wait)
    failed, cancelled = worker.submit(lambda: 1 / 0), worker.submit(lambda: 1)
    assert cancelled.cancel()
    may_start.set()
    assert worker.submit(lambda: "tea").result(60) == "tea"
    with pytest.raises(ZeroDivisionError):
        failed.result(60)
    with pytest.raises(CancelledError):
        cancelled.result(60)
    worker.shutdown()
