"""Diagnostics, fixes and edits."""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from typing import Any, Literal, NamedTuple

from skillstudio.text.source import Span

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Splice(NamedTuple):
    """Replace the characters from `start` to `end` with `text`."""

    start: int
    end: int
    text: str


class Set(NamedTuple):
    """Set the value at a JSON Pointer; a missing key is added, `-` appends (RFC 6902)."""

    pointer: str
    value: Any


class Remove(NamedTuple):
    """Remove a key with its value, or a list item."""

    pointer: str


class Rename(NamedTuple):
    """Rename the key at the end of a JSON Pointer."""

    pointer: str
    name: str


class CreateFile(NamedTuple):
    """Create a file in the skill; `path` is relative to the skill's folder, with `/`."""

    path: str
    text: str


class RenameFile(NamedTuple):
    """Move a file of the skill; both paths are relative to the skill's folder."""

    old: str
    new: str


Edit = Splice | Set | Remove | Rename | CreateFile | RenameFile
"""One step of a fix. `text.edit` turns `Set`, `Remove` and `Rename` into splices of the document
that the diagnostic's dialect identifies."""


class Fix(NamedTuple):
    """A way to fix a problem; `safe` if it cannot change what the author intended."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


class Diagnostic(NamedTuple):
    """A problem found by one rule at one place.

    `path` is relative to the skill's folder; `span` has offsets into that file's text, None for a
    problem without a place. `dialect` identifies the manifest whose document `pointer` and the
    edits of `fixes` refer to. `severity` None is the rule's default, filled in by `check`.
    """

    rule: str
    message: str
    span: Span | None = None
    pointer: str = ""
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None
    path: str = ""
    dialect: str = ""
