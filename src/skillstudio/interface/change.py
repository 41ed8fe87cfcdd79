"""Differences between two interfaces."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

import hashlib
import json
from typing import Any, Literal, NamedTuple

from skillstudio.interface.model import ABSENT, Interface, Place

Level = Literal["major", "minor", "patch", "none"]
LEVELS: tuple[Level, ...] = ("major", "minor", "patch", "none")  # Highest first.
ChangeGroup = Literal["major", "undecided", "minor", "patch", "none", "waived"]
CHANGE_GROUPS: tuple[ChangeGroup, ...] = ("major", "undecided", "minor", "patch", "none", "waived")
Side = Literal["old", "new"]


class Witness(NamedTuple):
    """A value that one side accepts and the other rejects."""

    value: Any
    accepted_by: Side
    refused_by: Side


class Spot:
    """A pointer into an interface, whose place is looked up on demand, because that takes long.

    Its representation does not show the interface, which may contain sensitive values.
    """

    __slots__ = ("_interface", "_pointer")

    def __init__(self, interface: Interface, pointer: str) -> None:
        self._interface = interface
        self._pointer = pointer

    @property
    def place(self) -> Place | None:
        """The place of the element or of its nearest parent."""
        return self._interface.place(self._pointer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spot) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)


class Change(NamedTuple):
    """One difference: its kind, its location and its level."""

    kind: str
    operation: str
    pointer: str  # JSON Pointer (RFC 6901) into the interface, made of names.
    level: Level
    review: bool
    routing: bool
    old: Any  # The old value in the manifest's terms; ABSENT if there was none.
    new: Any
    message: str
    source: str
    witness: Witness | None = None
    old_spot: Spot | None = None
    new_spot: Spot | None = None
    waived: str = ""
    hits: tuple[str, ...] = ()  # Files of the workspace that are affected.
    undecided_keyword: str = ""  # The keyword because of which the effect is not known.

    @property
    def group(self) -> ChangeGroup:
        """How reports group the change. An undecided change that is major is one of those."""
        if self.waived:
            return "waived"
        return "undecided" if self.undecided_keyword and self.level != "major" else self.level

    @property
    def old_place(self) -> Place | None:
        """Where the old version has it; None if it has none."""
        return self.old_spot.place if self.old_spot else None

    @property
    def new_place(self) -> Place | None:
        """Where the new version has it; None if it has none."""
        return self.new_spot.place if self.new_spot else None

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
