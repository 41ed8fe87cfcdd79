"""What the comparison of two schemas comes to."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Literal, NamedTuple


class _Included(Enum):
    INCLUDED = "included"

    def __repr__(self) -> str:
        return "INCLUDED"


Included = Literal[_Included.INCLUDED]
INCLUDED: Final = _Included.INCLUDED


class Escape(NamedTuple):
    """A value that the narrow schema accepts and the wide one refuses."""

    value: Any
    """Any value of JSON, null too."""
    pointer: str
    """Into the wide schema, to the keyword that refuses the value; "" for the schema `false`."""


class Undecided(NamedTuple):
    """A question that was not answered."""

    keyword: str
    """What stands in the way; "" for the schema as a whole."""
    pointer: str
    """To the keyword, in the wide schema if it is there, else in the narrow one."""
    reason: str


InclusionVerdict = Escape | Undecided
"""Something against an inclusion."""
