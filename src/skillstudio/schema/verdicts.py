"""Results of comparing two schemas."""

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
    """A value that the narrow schema accepts and the wide one rejects."""

    value: Any
    """Any JSON value, including null."""
    pointer: str
    """To the keyword of the wide schema that rejects the value; "" for the schema `false`."""


class Undecided(NamedTuple):
    """An unanswered question."""

    keyword: str
    """The unsupported keyword; "" for the schema as a whole."""
    pointer: str
    """To the keyword, in the wide schema if it has it, else in the narrow one."""
    reason: str


InclusionVerdict = Escape | Undecided
"""An obstacle to inclusion."""
