"""Whole user stories, in real terminals, shells and repositories.

*_terminal.py presses keys in tmux (terminal.py drives it; most are slow). By commands:
test_versions.py, test_worklog.py, test_templates.py, test_around_git.py. Failures: test_crash.py,
test_saving.py, test_bad_inputs_*.py. Pictures of the documentation: test_screenshots.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.journeys.terminal import needs_tmux


@pytest.fixture(autouse=True)
def _one_terminal_at_a_time(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Let the workers of a run take turns: each terminal keeps several processes busy."""
    if needs_tmux.mark not in request.node.iter_markers("skipif"):
        yield
        return
    import fcntl  # Where tmux is missing, so may be this.

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with open(folder / "terminal.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
