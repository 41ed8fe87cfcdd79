"""The kinds of changes of every system: those that all share, and those of each dialect."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from skillstudio.interface.kinds import Kinds, KindsInvalid, core_text
from skillstudio.manifest.registry import folders


@cache
def all_kinds() -> Kinds:
    """Every kind of change, each read when it is asked for."""
    return Kinds(kind_texts())


def kind_texts() -> Iterator[tuple[str, bytes]]:
    """The files that hold kinds, those of all systems first: name and bytes."""
    yield core_text()
    for dialect in folders():
        path = os.path.join(dialect.path, "changes.toml")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                text = f"manifest/{dialect.folder}/changes.toml", file.read()
            if not dialect.distribution or _is_readable(text):
                yield text


def _is_readable(text: tuple[str, bytes]) -> bool:
    """Whether the kinds of an installed dialect can be read: else its terms have none."""
    try:
        return bool(Kinds([core_text(), text]).by_id)
    except KindsInvalid:
        return False
