"""What is wrong with the values that a caller gives to a skill, whatever dialect says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

FindVersion = Callable[[str], str | None]
"""A command to the text in which it tells its version, or None where it is not on the PATH."""
FileExists = Callable[[str, str], bool | None]
"""A base and a path to whether the file is there; None where the base is not known."""


class BindingProblem(NamedTuple):
    """A rule that a binding breaks. `subject` is the input, command, file or variable."""

    rule: str
    message: str
    subject: str = ""
