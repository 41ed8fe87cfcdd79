"""`skillstudio [PATH]`: open the workbench. Only this module imports `tui`."""

from __future__ import annotations

import os
import sys

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import UsageError


def run(options: CommandOptions) -> int:
    """Open the workbench on a path, or on nothing; its exit status. Raises UsageError."""
    path = options.path
    if path is not None and not os.path.exists(path):
        raise UsageError(f"{path}: no such file or folder")
    if options.plain:
        from skillstudio.cli.open_plain import plain_lines

        print("\n".join(plain_lines(path or os.curdir)), flush=True)
        return OK
    # A driver of Textual that is set, such as that of textual-serve, needs no terminal.
    is_driven = bool(os.environ.get("TEXTUAL_DRIVER"))
    if not is_driven and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the workbench needs a terminal; skillstudio check works without one, and "
            "skillstudio --plain lists the commands for every job"
        )
    if options.color == "never":
        os.environ["NO_COLOR"] = "1"  # Textual reads it.
    elif options.color == "always":
        os.environ.pop("NO_COLOR", None)
    from skillstudio.files.saving.in_place import finish_all
    from skillstudio.tui.app import open_workbench

    if options.follow:
        path = path or os.curdir
    return open_workbench(path, finish_all(), options.follow)
