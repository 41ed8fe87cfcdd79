"""What skillstudio can do on which system, and on this one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation.levels import IsolationLevel
from skillstudio.files.beneath import has_folder_handles
from skillstudio.resources import toml_table

SYSTEMS = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
"""The systems of `systems.toml`, and their names."""
_PLATFORMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


class Ability(NamedTuple):
    """Something that skillstudio can do on some systems."""

    id: str
    on: Mapping[str, str]
    """By system: `yes`, `no`, or what works of it."""
    here: str
    """The same of this machine."""
    instead: str
    """What to do where it does not work completely; "" if it always does."""


def this_system() -> str:
    """The system of this machine; one that is not in the table is taken for its nearest."""
    return _PLATFORMS.get(sys.platform, "macos" if os.name == "posix" else "windows")


def abilities(levels: tuple[IsolationLevel, ...]) -> list[Ability]:
    """Everything in the table, with what this machine offers of it."""
    missing = _find_missing(levels)
    system = this_system()
    result = []
    for record in _table():
        here = "no" if record["id"] in missing else record[system]
        on = {name: record[name] for name in SYSTEMS}
        result.append(Ability(record["id"], on, here, record.get("instead", "")))
    return result


def _table() -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = toml_table(__file__, "systems.toml")["ability"]
    return records


def _find_missing(levels: tuple[IsolationLevel, ...]) -> set[str]:
    """The abilities that this machine lacks, whatever its system."""
    missing = {f"isolation level {level.id}" for level in levels if not level.available}
    checks = {
        "observation": any(level.traced for level in levels) or sys.platform != "linux",
        "links out of folders": has_folder_handles() or this_system() == "windows",
        "revisions": shutil.which("git") is not None,
    }
    return missing | {name for name, is_offered in checks.items() if not is_offered}
