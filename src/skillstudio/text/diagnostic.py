"""What is wrong, where, and how it can be mended: plain values for every door."""

# Annotations are values here, not strings: NamedTuple would compile each string at every start.

from typing import Any, Literal, NamedTuple

from skillstudio.text.source import Span

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Splice(NamedTuple):
    """Put `text` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


class Set(NamedTuple):
    """Give the value at a JSON Pointer; a missing key is added, `-` appends (RFC 6902)."""

    pointer: str
    value: Any


class Remove(NamedTuple):
    """Take out a key with its value, or a list item."""

    pointer: str


class Rename(NamedTuple):
    """Give the key at the end of a JSON Pointer another name."""

    pointer: str
    name: str


class CreateFile(NamedTuple):
    """Write a new file in the skill; `path` is relative to the skill's folder, with `/`."""

    path: str
    text: str


class RenameFile(NamedTuple):
    """Move a file of the skill; both paths are relative to the skill's folder."""

    old: str
    new: str


Edit = Splice | Set | Remove | Rename | CreateFile | RenameFile
"""One step of a fix. `Set`, `Remove` and `Rename` are made into splices by `text.edit`, in the
document of the manifest that the diagnostic names."""


class Fix(NamedTuple):
    """A way to mend a diagnostic; `safe` when it cannot change what the author meant."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


class Diagnostic(NamedTuple):
    """A finding of one rule at one place.

    `path` is relative to the skill's folder; `span` holds offsets into that file's text, None
    for a finding without a place. `dialect` names the manifest whose document `pointer` and the
    edits of `fixes` speak of. `severity` None is the rule's own level, filled in by `check`.
    """

    rule: str
    message: str
    span: Span | None = None
    pointer: str = ""
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None
    path: str = ""
    dialect: str = ""
