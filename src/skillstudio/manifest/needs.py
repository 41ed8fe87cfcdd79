"""A skill that another one needs, whatever dialect says so."""

from __future__ import annotations

from typing import NamedTuple


class Need(NamedTuple):
    """A skill that is needed or suggested, by its id; the pointers are into the manifest."""

    id: str
    pointer: str
    """The key or value that names it."""
    range: str | None = None
    """The versions that are admitted; None for any."""
    range_pointer: str = ""
    features: tuple[tuple[str, str], ...] = ()
    """Pointer and name of each feature that is needed."""
    optional: bool = False
    suggested: bool = False
    """It is only recommended: nothing but its absence is reported."""
