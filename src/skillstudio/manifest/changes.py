"""The kinds of changes of all dialects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from skillstudio.interface.kinds import ChangeKinds, core_text
from skillstudio.manifest.registry import HERE, dialects


@cache
def all_kinds() -> ChangeKinds:
    """All kinds of changes, parsed on demand."""
    return ChangeKinds(kind_texts())


def kind_texts() -> Iterator[tuple[str, bytes]]:
    """The files with kinds, the shared ones first: name and content."""
    yield core_text()
    for folder in sorted({dialect.folder for dialect in dialects()}):
        path = os.path.join(HERE, folder, "changes.toml")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                yield f"manifest/{folder}/changes.toml", file.read()
