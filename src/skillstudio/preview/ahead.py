"""Predict the output paths of a run and what exists there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import glob
from skillstudio.preview.source import open_source

State = Literal["new", "exists", "link", "taken", "pattern", "unknown"]

_LOOKED = 10_000  # Folder entries that are searched for one pattern.
_MATCHES = 1_000  # Files of a pattern that are listed.
_LITERAL = (("[*]", "*"), ("[?]", "?"), ("[[]", "["))


class Existing(NamedTuple):
    """An existing file at an output path."""

    path: str
    size: int


class ExpectedOutput(NamedTuple):
    """A declared output before a run."""

    pattern: str
    path: str
    """The path relative to the folder, or the pattern with inputs inserted; "" if unknown. Before
    `look_ahead`, its literal characters are in brackets."""
    folder: str  # Absolute.
    base: str  # The folder's name in the manifest.
    state: State = "unknown"
    """`new`; `exists`: would be overwritten; `link`: would write to its target; `taken`: exists
    but is not a file; `pattern`: any number of files; `unknown`."""
    existing: tuple[Existing, ...] = ()
    why: str = ""  # A remark about the state.


def look_ahead(outputs: Iterable[ExpectedOutput]) -> tuple[ExpectedOutput, ...]:
    """Each output with the existing files. A link at the end of a path is not followed."""
    return tuple(_one(output) if output.path else output for output in outputs)


def _one(wanted: ExpectedOutput) -> ExpectedOutput:
    bare = plain = wanted.path
    for literal, character in _LITERAL:
        bare = bare.replace(literal, "")
        plain = plain.replace(literal, character)
    if any(sign in bare for sign in "*?["):
        return _of_pattern(wanted)
    found = open_source(os.path.join(wanted.folder, *plain.split("/")), plain)
    made = wanted._replace(path=plain)
    if not isinstance(found, tuple):
        return made._replace(state="exists", existing=(Existing(plain, found.size),))
    if found.what == "missing":
        return made._replace(state="new")
    if found.what == "unreadable":
        return made._replace(state="exists", existing=(Existing(plain, 0),), why=found.told)
    return made._replace(state="link" if found.what == "link" else "taken", why=found.told)


def _of_pattern(wanted: ExpectedOutput) -> ExpectedOutput:
    paths = glob(DiskTree(wanted.folder), wanted.path, _LOOKED)[:_MATCHES]
    found = (open_source(os.path.join(wanted.folder, *path.split("/")), path) for path in paths)
    files = tuple(
        Existing(source.name, source.size) for source in found if not isinstance(source, tuple)
    )
    return wanted._replace(state="pattern", existing=files)
