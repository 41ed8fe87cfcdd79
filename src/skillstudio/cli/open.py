"""`skillstudio [PATH]`: the workbench. The one module of this door that knows the other."""

from __future__ import annotations


def open_workbench(path: str | None) -> int:
    """Open the workbench on a skill, a folder of skills, or nothing; its exit code."""
    from skillstudio.tui.app import open_workbench as open_it

    return open_it(path)
