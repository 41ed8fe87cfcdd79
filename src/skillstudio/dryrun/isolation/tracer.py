"""The command line of strace.

The tracer is a grandchild (`-D`): the program keeps its own exit code, and a daemon that it leaves
behind does not keep the run from ending. It writes into a pipe. What it starts is the launcher's
other half, which closes that pipe before it becomes the program. `-q` keeps the line on how each
process ended: where one is missing the log has a gap.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence

_TEXT = 256
"""Bytes of a string that are kept: a host name, a path, a short argument."""
_HARMLESS = "SIGCHLD,SIGURG,SIGWINCH,SIGCONT"
"""Signals that end nothing by default; which other one ended a process must be in the log."""


def traced(strace: str, argv: Sequence[str], log_fd: int, quick: bool) -> list[str]:
    """`argv` watched by strace.

    `quick` stops the program only at the calls that are watched. Where our own filter refuses some
    of them it must be false: what is refused by a filter never reaches a quick tracer.
    """
    return [
        strace,
        "-D",
        "-f",
        "-q",
        "-y",
        *(("--seccomp-bpf",) if quick else ()),
        "-s",
        str(_TEXT),
        "-e",
        f"signal=!{_HARMLESS}",
        "-e",
        f"trace={_calls()}",
        "-o",
        f"/proc/self/fd/{log_fd}",
        "--",
        *argv,
    ]


@functools.cache
def _calls() -> str:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "traced.toml"), "rb") as file:
        return ",".join(tomllib.load(file)["calls"])
