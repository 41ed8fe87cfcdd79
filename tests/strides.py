"""Which of many similar cases are tried: every one, or each n-th from a start set by the commit."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from itertools import count
from pathlib import Path

import pytest


@cache
def seed() -> int:
    """The number that SKILLSTUDIO_TEST_SEED names, by default the id of the commit; else 0."""
    if given := os.environ.get("SKILLSTUDIO_TEST_SEED"):
        return int(given)
    try:
        head = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
        )
    except OSError:
        return 0
    return int(head.stdout.strip() or "0", 16)


def stride(step: int) -> count[int]:
    """Every `step`-th number, from one below `step` that the commit sets."""
    return count(seed() % step, step)


def turn(number: int, step: int) -> bool:
    """Whether the case with this number is the one of `step` cases that the commit chooses."""
    return number % step == seed() % step


def in_turn(number: int, step: int) -> list[pytest.MarkDecorator]:
    """Marks of the case with this number: slow, unless it is its turn among `step` cases."""
    return [] if turn(number, step) else [pytest.mark.slow]


def one_in(step: int) -> list[object]:
    """Values of a parameter `step`: a part of the cases; every case where slow tests are run."""
    every = pytest.param(1, id="every", marks=pytest.mark.slow)
    return [pytest.param(step, id=f"one-in-{step}"), every]
