"""The kinds of changes of all dialects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from skillstudio.interface.kinds import ChangeKinds, KindsInvalid, core_text
from skillstudio.manifest.registry import folders


@cache
def all_kinds() -> ChangeKinds:
    """All kinds of changes, parsed on demand."""
    return ChangeKinds(kind_texts())


def kind_texts() -> Iterator[tuple[str, bytes]]:
    """The files with kinds, shared ones first, without invalid ones of installed dialects."""
    texts = [core_text()]
    for dialect in folders():
        path = os.path.join(dialect.path, "changes.toml")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                text = f"manifest/{dialect.folder}/changes.toml", file.read()
            if not dialect.distribution or _is_valid([*texts, text]):
                texts.append(text)
    return iter(texts)


def _is_valid(texts: list[tuple[str, bytes]]) -> bool:
    try:
        return bool(ChangeKinds(texts).by_id)
    except KindsInvalid:
        return False
