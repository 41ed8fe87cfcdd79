"""The example skills of this repository.

test_examples_are_clean.py checks examples and templates; the other files run scripts of examples.
tests/journeys/test_examples_run.py starts every operation as a dry run.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of an example in a folder of its own, for scripts that write."""

    def copy(name: str) -> Path:
        target = tmp_path / "skills" / name
        shutil.copytree(ROOT / "examples" / name, target)
        return target

    return copy
