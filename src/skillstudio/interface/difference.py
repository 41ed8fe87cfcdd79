"""A difference before it has a name: where it is and what happened there."""

# Annotations are values here, not strings: NamedTuple would compile each string at every start.

from typing import Any, NamedTuple

from skillstudio.interface.change import Witness
from skillstudio.interface.model import ABSENT


class InterfaceDifference(NamedTuple):
    """One difference; surface, facet and action together are the coordinate of its kind."""

    surface: str
    facet: str
    action: str
    pointer: str
    name: str
    """What it is about, as the message calls it."""
    old: Any = ABSENT
    new: Any = ABSENT
    detail: str = ""
    """What more there is to say: the keyword within a schema, why something is undecided."""
    witness: Witness | None = None
    operation: str = ""
    old_pointer: str = ""
    """Where it stands in the old interface, when that is another place."""
