"""`skillstudio [PATH]`: the workbench. The one module of this door that knows the other."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from skillstudio.cli.output import Parser, UsageError

_NAMED = 2
"""Files that are named of an apply that was made good: more would hide the screen."""


def run(arguments: Sequence[str]) -> int:
    """Open the workbench on the path given, or on nothing; its exit code. Raises UsageError."""
    parser = Parser("open", "Open the workbench on a skill or a folder of skills.")
    parser.add_argument("path", nargs="?", help="a skill, a file of one, or a folder of skills")
    path = parser.parse_args(list(arguments)).path
    if path is not None and not os.path.exists(path):
        raise UsageError(f"{path}: no such file or folder")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the workbench needs a terminal; skillstudio check works without one")
    from skillstudio.cli.applying import recover_applies
    from skillstudio.tui.app import open_workbench

    return open_workbench(path, recover_applies(_NAMED))
