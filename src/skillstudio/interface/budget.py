"""Limit the total work of one comparison of schemas and patterns.

Each question has its own limit, but a manifest may contain thousands of them. The limit counts
steps, not time, so that the result for two versions is always the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from skillstudio.schema.regex.inclusion import Work

MOST_STEPS = 10_000_000
"""About four seconds; 200 inputs of which 40 changed take a few thousand steps."""
SPENT = "the schemas of this skill take too long to compare"

_work: ContextVar[Work | None] = ContextVar("work", default=None)


@contextmanager
def bounded() -> Iterator[None]:
    """Limit all comparisons in this context to `MOST_STEPS` together."""
    token = _work.set(Work(MOST_STEPS))
    try:
        yield
    finally:
        _work.reset(token)


def work_left() -> Work | None:
    """The remaining work of the comparison; None outside one."""
    return _work.get()


def is_spent() -> bool:
    """Whether the comparison has used up its work."""
    work = _work.get()
    return work is not None and work.left <= 0
