"""A run that takes too much memory or disk is ended, and says which limit it was."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from tests.dryrun.running.ground import ISOLATION_LEVELS, Start, linux

from skillstudio.dryrun.prepared import Options, UsageLimits
from skillstudio.dryrun.running import usage
from skillstudio.dryrun.running.usage import Usage, size

MIB = 1 << 20
HOG = "import signal; taken = [b'x' * (1 << 20) for _ in range(300)]; signal.pause()"
PARENT = """
import os, signal
for _ in range(3):
    if os.fork() == 0:
        taken = [b'x' * (1 << 20) for _ in range(80)]
        signal.pause()
signal.pause()
"""
WRITER = """
import os, signal
for number in range(6):
    with open(f"f{number}", "wb") as file:
        file.write(os.urandom(10 << 20))
signal.pause()
"""
SPARSE = """
for number in range(3):
    with open(f"f{number}", "wb") as file:
        file.truncate(1000 << 20)
"""


@pytest.fixture
def start(tmp_path: Path) -> Start:
    return Start(tmp_path)


ENDED = [
    # what it is, the program, its limits, what is said
    ("one process", HOG, UsageLimits(memory=200 * MIB), "memory", "200.0 MiB", "--memory-limit"),
    (
        "several together",
        PARENT,
        UsageLimits(memory=200 * MIB),
        "memory",
        "200.0 MiB",
        "--memory-limit",
    ),
    ("files", WRITER, UsageLimits(disk=40 * MIB), "disk", "40.0 MiB", "--disk-limit"),
]


@pytest.mark.slow_cases(
    "one process-copy",
    "one process-confined",
    "several together-copy",
    "several together-confined",
    "files-copy",
    "files-confined",
)
@linux
@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
@pytest.mark.parametrize(
    ("program", "limits", "what", "figure", "option"),
    [row[1:] for row in ENDED],
    ids=[row[0] for row in ENDED],
)
def test_what_takes_too_much_is_ended_and_says_so(
    start: Start,
    isolation: str,
    program: str,
    limits: UsageLimits,
    what: str,
    figure: str,
    option: str,
) -> None:
    ran = start(
        isolation, sys.executable, "-I", "-S", "-c", program, options=Options(limits=limits)
    )
    assert (ran.ended.timed_out, ran.ended.cancelled, ran.ended.error) == (False, False, "")
    assert ran.ended.exit_code != 0
    [said] = [each for each in ran.ended.limits if what in each]
    assert re.search(rf"ended: .* more than the limit of {figure}; raise it with {option}", said)


FORKS = "import os, time\nfor _ in range(200):\n    os.fork() or time.sleep(60)\ntime.sleep(60)"


@linux
@pytest.mark.parametrize("isolation", ISOLATION_LEVELS)
def test_a_tree_that_grows_is_ended_before_its_timeout(
    start: Start, tmp_path: Path, isolation: str
) -> None:
    """The tracer counts each new process; without it, the tree is counted with its memory."""
    program = (sys.executable, "-I", "-S", "-c", FORKS)
    for trace in (True, False):
        log = str(tmp_path / "trace")
        options = Options(limits=UsageLimits(together=40), trace=trace, trace_log=log)
        ran = start(isolation, *program, options=options)
        assert (ran.ended.signal, ran.ended.timed_out) == ("SIGKILL", False)


@linux
def test_a_hole_takes_no_room(start: Start) -> None:
    program = (sys.executable, "-I", "-S", "-c", SPARSE)
    ran = start("copy", *program, options=Options(limits=UsageLimits(disk=40 * MIB)))
    assert (ran.ended.exit_code, ran.ended.limits) == (0, ())


def test_what_was_copied_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "_FILES_EVERY", 0.0)
    (tmp_path / "file").write_bytes(os.urandom(3 * MIB))
    limits = UsageLimits(disk=2 * MIB, memory=1 << 60)
    assert not Usage(os.getpid(), [str(tmp_path)], 3 * MIB, limits).is_over()
    over = Usage(os.getpid(), [str(tmp_path)], 0, limits)
    assert over.is_over()
    assert "its folders grew by 3.0 MiB on disk" in over.reason


@linux
def test_the_machine_keeps_some_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program puts into files in memory is shown by none of its processes."""
    left = iter([8 << 30, 8 << 30, 100 * MIB])
    monkeypatch.setattr(usage, "_memory_available", lambda: next(left))
    monkeypatch.setattr(usage, "_EVERY", 0.0)
    monkeypatch.setattr(usage, "_SHARE", 0)
    watched = Usage(os.getpid(), [str(tmp_path)], 0, UsageLimits(memory=1 << 60))
    assert not watched.is_over()
    assert watched.is_over()
    assert "less than 256.0 MiB of the machine's memory was free" in watched.reason


@pytest.mark.parametrize(
    ("number", "shown"),
    [(5, "5 bytes"), (2048, "2.0 KiB"), (5 << 20, "5.0 MiB"), (3 << 29, "1.5 GiB")],
)
def test_sizes(number: int, shown: str) -> None:
    assert size(number) == shown
