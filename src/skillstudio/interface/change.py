"""Differences between two interfaces."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import hashlib
import json
from typing import Any, Literal, NamedTuple

from skillstudio.interface.model import ABSENT, Place

Level = Literal["major", "minor", "patch", "none"]
LEVELS: tuple[Level, ...] = ("major", "minor", "patch", "none")
"""Highest first."""
Side = Literal["old", "new"]


class Witness(NamedTuple):
    """A value that one side accepts and the other rejects."""

    value: Any
    accepted_by: Side
    refused_by: Side


class Change(NamedTuple):
    """One difference: its kind, its location and its level."""

    kind: str
    operation: str
    pointer: str
    """JSON Pointer (RFC 6901) into the interface, made of names."""
    level: Level
    review: bool
    routing: bool
    old: Any
    """The old value in the manifest's terms; ABSENT if there was none."""
    new: Any
    message: str
    source: str
    witness: Witness | None = None
    old_place: Place | None = None
    new_place: Place | None = None
    waived: str = ""
    hits: tuple[str, ...] = ()
    """Files of the workspace that are affected."""

    @property
    def fingerprint(self) -> str:
        """12 hexadecimal digits that stay the same as long as the change is the same."""
        parts = [
            self.kind,
            self.operation,
            self.pointer,
            _canonical_part(self.old),
            _canonical_part(self.new),
        ]
        text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _canonical_part(value: Any) -> list[Any]:
    return [] if value is ABSENT else [value]
