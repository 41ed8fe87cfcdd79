"""Values that the hooks of dialects return."""

from __future__ import annotations

from typing import Any, NamedTuple


class BindingProblem(NamedTuple):
    """A rule that a binding violates. `subject` is the input, command, file or variable."""

    rule: str
    message: str
    subject: str = ""


class Need(NamedTuple):
    """A required or suggested skill, by its id; the pointers are into the manifest."""

    id: str
    pointer: str  # The key or value with the id.
    range: str | None = None  # The accepted versions; None for any.
    range_pointer: str = ""
    features: tuple[tuple[str, str], ...] = ()  # Pointer and name of each required feature.
    optional: bool = False
    suggested: bool = False  # It is only recommended: only its absence is reported.


class DraftedOperation(NamedTuple):
    """An operation that `new --from` found in scripts."""

    description: str
    inputs: dict[str, dict[str, Any]]  # Name to `type`, `required`, `default` and `description`.
    entrypoints: dict[str, list[str]]
    """`unix` and `windows` to the arguments, with `{input}` placeholders."""


class Digest(NamedTuple):
    """A digest with its name in the dialect, and a note about it."""

    name: str
    value: str
    note: str = ""


class DigestRefused(Exception):
    """A manifest without a digest: the reason, and its offset in the text."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at
