"""How much one comparison may put into what schemas and patterns accept.

Every question is bounded by itself, but a manifest may hold thousands of them. The bound is one
of steps, so that the same two versions always come to the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from skillstudio.schema.regex.inclusion import Work

MOST_STEPS = 10_000_000
"""Some four seconds; 200 inputs of which 40 changed take some thousand steps."""
SPENT = "the schemas of this skill take too long to compare"

_work: ContextVar[Work | None] = ContextVar("work", default=None)


@contextmanager
def bounded() -> Iterator[None]:
    """Whatever is asked in here takes no more than `MOST_STEPS` together."""
    token = _work.set(Work(MOST_STEPS))
    try:
        yield
    finally:
        _work.reset(token)


def work_left() -> Work | None:
    """What is left of the comparison's work; None outside of one."""
    return _work.get()


def is_spent() -> bool:
    """Whether the comparison has no work left."""
    work = _work.get()
    return work is not None and work.left <= 0
