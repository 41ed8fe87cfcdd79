"""Predict the output paths of a run and what exists there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import glob
from skillstudio.preview.source import open_source

State = Literal["new", "exists", "link", "taken", "pattern", "unknown"]

_MOST_ENTRIES = 10_000  # Folder entries that are searched for one pattern.
_MATCHES = 1_000  # Files of a pattern that are listed.
_LITERAL = (("[*]", "*"), ("[?]", "?"), ("[[]", "["))


class ExistingFile(NamedTuple):
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
    existing: tuple[ExistingFile, ...] = ()
    why: str = ""  # A remark about the state.


def look_ahead(outputs: Iterable[ExpectedOutput]) -> tuple[ExpectedOutput, ...]:
    """Each output with the existing files. A link at the end of a path is not followed."""
    return tuple(_predict_output(output) if output.path else output for output in outputs)


def _predict_output(output: ExpectedOutput) -> ExpectedOutput:
    bare = plain = output.path
    for literal, character in _LITERAL:
        bare = bare.replace(literal, "")
        plain = plain.replace(literal, character)
    if any(sign in bare for sign in "*?["):
        return _of_pattern(output)
    source = open_source(os.path.join(output.folder, *plain.split("/")), plain)
    prediction = output._replace(path=plain)
    if not isinstance(source, tuple):
        return prediction._replace(state="exists", existing=(ExistingFile(plain, source.size),))
    if source.what == "missing":
        return prediction._replace(state="new")
    if source.what == "unreadable":
        return prediction._replace(
            state="exists", existing=(ExistingFile(plain, 0),), why=source.description
        )
    return prediction._replace(
        state="link" if source.what == "link" else "taken", why=source.description
    )


def _of_pattern(output: ExpectedOutput) -> ExpectedOutput:
    paths = glob(DiskTree(output.folder), output.path, _MOST_ENTRIES)[:_MATCHES]
    sources = (open_source(os.path.join(output.folder, *path.split("/")), path) for path in paths)
    files = tuple(
        ExistingFile(source.name, source.size)
        for source in sources
        if not isinstance(source, tuple)
    )
    return output._replace(state="pattern", existing=files)
