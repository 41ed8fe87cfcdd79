"""What the hooks of dialects return, besides the values that other packages define."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

FindVersion = Callable[[str], str | None]
"""A command to the output with its version, or None if it is not on the PATH."""
FileExists = Callable[[str, str], bool | None]
"""A base and a path to whether the file exists; None if the base is not known."""


class BindingProblem(NamedTuple):
    """A rule that a binding breaks. `subject` is the input, command, file or variable."""

    rule: str
    message: str
    subject: str = ""


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


class Digest(NamedTuple):
    """A digest by the name that its dialect gives it, and a note about it."""

    name: str
    value: str
    note: str = ""


class DigestRefused(Exception):
    """A manifest that has no digest: why, and the offset of the reason in its text."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at
