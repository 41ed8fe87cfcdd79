"""What the tracer knows of a program that was started."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from skillstudio.dryrun.isolation.tracer import Tracer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

TEXTS = [b"/bin/sleep", b"sleep", b"60"]
POLICY = {
    "arch": 0,
    "foreign": 0,
    "refuses_foreign": True,
    "network": True,
    "calls": {},
    "own": frozenset(),
    "quiet": (),
    "most": 1 << 20,
    "processes": 9,
}


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_program_that_was_killed_at_its_start_is_no_gap(tmp_path: Path, is_killed: bool) -> None:
    """It has run nothing; one that runs with other words than were read is a gap."""
    pid = os.posix_spawn(
        sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], os.environ
    )
    try:
        # The kernel lets the parent go on before it has set up the new program.
        while not Path(f"/proc/{pid}/cmdline").read_bytes():
            pass
        if is_killed:
            os.kill(pid, signal.SIGKILL)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        with (tmp_path / "log").open("wb") as log:
            tracer = Tracer(log.fileno(), POLICY, pid)
            texts = tracer._read_command(pid, TEXTS)
        assert (texts == TEXTS) == is_killed
        assert bool(tracer._buffer) == (not is_killed)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
