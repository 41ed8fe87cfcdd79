"""The version of `bd`, the tool that spawns protos, if it is installed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from skillstudio.files.paths import below

TIMEOUT = 5.0  # Seconds to wait for an answer of `bd`.

_VERSION = re.compile(r"\b[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?")
_MOST = 4096


def beads_version(away_from: Iterable[str]) -> str:
    """The version that `bd --version` prints; "" if it does not answer.

    A `bd` below one of the folders `away_from` or the current one, or found by a relative entry
    of PATH, is not started: it may belong to a skill.
    """
    program = _program([os.path.realpath(folder) for folder in (*away_from, ".")])
    if not program:
        return ""
    import subprocess
    import tempfile

    # A file and not a pipe: a grandchild that keeps a pipe open would be waited for.
    with tempfile.TemporaryFile() as output:
        try:
            subprocess.run(  # noqa: S603  (no shell, a tool of the machine, one fixed argument)
                [program, "--version"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                cwd=os.path.dirname(program),
                timeout=TIMEOUT,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        output.seek(0)
        match = _VERSION.search(output.read(_MOST).decode("utf-8", "replace"))
    return match.group() if match else ""


def _program(away_from: list[str]) -> str:
    import shutil

    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if not os.path.isabs(folder):
            continue
        executable = shutil.which(os.path.join(folder, "bd"))
        if executable is None:
            continue
        places = (executable, os.path.realpath(executable))
        if all(below(place, root) is None for place in places for root in away_from):
            return executable
    return ""
