"""The sizes of panes that the user has changed, by the width of the screen, kept between
sessions."""

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
WIDE, WIDER, WIDEST = 100, 150, 220
"""The columns from which panes have sizes, one pane is beside the text, and two are."""
_CLASSES = ((WIDEST, "widest"), (WIDER, "wider"), (WIDE, "wide"))
Sizes = dict[str, dict[str, int]]
"""The sizes of panes in cells, by size class and pane."""


def size_class(columns: int) -> str:
    """The size class of a screen: sizes that suit one do not suit another; "" without sizes."""
    return next((name for least, name in _CLASSES if columns >= least), "")


def pane_sizes(state: str) -> Sizes:
    """The sizes in the user's state folder; none if they cannot be read."""
    try:
        with open(os.path.join(state, _FILE), encoding="utf-8") as file:
            stored_sizes = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return {}
    if not isinstance(stored_sizes, dict):
        return {}
    return {
        name: {
            pane: size
            for pane, size in stored_sizes[name].items()
            if type(size) is int and 0 < size < _MOST
        }
        for _, name in _CLASSES
        if isinstance(stored_sizes.get(name), dict)
    }


def remember_sizes(state: str, sizes: Mapping[str, Mapping[str, int]]) -> None:
    """Keep the sizes; a state folder that cannot be written to changes nothing."""
    with suppress(OSError):
        make_private(state)
        write_file(os.path.join(state, _FILE), json.dumps(sizes, indent=1).encode())
