"""The kinds of changes of every system: those that all share, and those of each dialect."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from skillstudio.interface.kinds import ChangeKinds, core_text
from skillstudio.manifest.registry import HERE, dialects


@cache
def all_kinds() -> ChangeKinds:
    """Every kind of change, each read when it is asked for."""
    return ChangeKinds(kind_texts())


def kind_texts() -> Iterator[tuple[str, bytes]]:
    """The files that hold kinds, those of all systems first: name and bytes."""
    yield core_text()
    for folder in sorted({dialect.folder for dialect in dialects()}):
        path = os.path.join(HERE, folder, "changes.toml")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                yield f"manifest/{folder}/changes.toml", file.read()
