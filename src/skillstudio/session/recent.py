"""The folders that were opened last, the most recent first."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from skillstudio.files.saving.writer import write_file
from skillstudio.files.state import make_private

_MOST = 12
_LARGEST = 64 * 1024


def recent_folders(state: str) -> list[str]:
    """The folders that still exist, from the user's state folder; none if it cannot be read."""
    try:
        with open(os.path.join(state, "recent.json"), encoding="utf-8") as file:
            value = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return []
    paths = value if isinstance(value, list) else []
    return [path for path in paths if isinstance(path, str) and os.path.isdir(path)][:_MOST]


def remember_folder(state: str, path: str) -> None:
    """Put a folder first; a state folder that cannot be written to changes nothing."""
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        return
    other_folders = [other for other in recent_folders(state) if other != folder]
    with suppress(OSError):
        make_private(state)
        text = json.dumps([folder, *other_folders][:_MOST], indent=1)
        write_file(os.path.join(state, "recent.json"), text.encode())
