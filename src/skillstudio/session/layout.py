"""The sizes of panes that the user has changed, kept between sessions."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from skillstudio.files.saving.writer import write_file
from skillstudio.files.state import make_private

_FILE = "layout.json"
_LARGEST = 4096
_MOST = 1000  # The largest size in cells.


def pane_sizes(state: str) -> dict[str, int]:
    """The sizes in cells by pane, from the user's state folder; none if it cannot be read."""
    try:
        with open(os.path.join(state, _FILE), encoding="utf-8") as file:
            found = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return {}
    sizes = found.items() if isinstance(found, dict) else ()
    return {pane: size for pane, size in sizes if type(size) is int and 0 < size < _MOST}


def remember_sizes(state: str, sizes: Mapping[str, int]) -> None:
    """Keep the sizes; a state folder that cannot be written to changes nothing."""
    with suppress(OSError):
        make_private(state)
        write_file(os.path.join(state, _FILE), json.dumps(dict(sizes), indent=1).encode())
