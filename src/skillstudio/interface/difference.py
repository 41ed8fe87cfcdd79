"""A difference before it is named: its location and what happened."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from typing import Any, NamedTuple

from skillstudio.interface.change import Witness
from skillstudio.interface.model import ABSENT


class InterfaceDifference(NamedTuple):
    """One difference; surface, facet and action are the coordinate of its kind."""

    surface: str
    facet: str
    action: str
    pointer: str
    name: str
    """The subject of the message."""
    old: Any = ABSENT
    new: Any = ABSENT
    detail: str = ""
    """Further details: the keyword within a schema, or why the difference is undecided."""
    witness: Witness | None = None
    operation: str = ""
    old_pointer: str = ""
    """The pointer into the old interface, if it differs."""
