"""Where the outputs of a run would lie, and what is there already, before anything runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import glob
from skillstudio.preview.source import open_source

State = Literal["new", "exists", "link", "taken", "pattern", "unknown"]

_LOOKED = 10_000
"""Entries of folders that are looked at for one pattern."""
_MATCHES = 1_000
"""Files of a pattern that are told."""
_LITERAL = (("[*]", "*"), ("[?]", "?"), ("[[]", "["))


class DeclaredOutput(NamedTuple):
    """A declared output with the inputs in it: who plans a run knows it."""

    pattern: str
    path: str
    """Relative to `folder`, what is meant literally in brackets; "" where it is not known."""
    folder: str
    """Absolute."""
    base: str
    """What the manifest calls the folder."""
    why: str = ""
    """Why the path is not known."""


class Existing(NamedTuple):
    """A file that stands where an output would be written."""

    path: str
    size: int


class ExpectedOutput(NamedTuple):
    """A declared output before a run."""

    pattern: str
    path: str
    """Relative to the folder; of a pattern with wildcards the pattern, inputs put in."""
    folder: str
    base: str
    state: State
    """`new`; `exists`: it would be overwritten; `link`: a write would go where it leads; `taken`:
    something stands there that is no file; `pattern`: any number of files; `unknown`."""
    existing: tuple[Existing, ...] = ()
    """The files that are there."""
    why: str = ""
    """What there is to say of the state."""


def look_ahead(outputs: Iterable[DeclaredOutput]) -> tuple[ExpectedOutput, ...]:
    """Each output with what stands in its place. No link at the end of a path is followed."""
    return tuple(_one(each) for each in outputs)


def _one(wanted: DeclaredOutput) -> ExpectedOutput:
    made = ExpectedOutput(
        wanted.pattern, wanted.path, wanted.folder, wanted.base, "unknown", (), wanted.why
    )
    if not wanted.path:
        return made
    if _is_wild(wanted.path):
        return _of_pattern(made)
    plain = wanted.path
    for literal, character in _LITERAL:
        plain = plain.replace(literal, character)
    found = open_source(os.path.join(wanted.folder, *plain.split("/")), plain)
    made = made._replace(path=plain)
    if not isinstance(found, tuple):
        return made._replace(state="exists", existing=(Existing(plain, found.size),))
    if found.what == "missing":
        return made._replace(state="new")
    if found.what == "link":
        return made._replace(state="link", why=found.told)
    if found.what == "unreadable":
        return made._replace(state="exists", existing=(Existing(plain, 0),), why=found.told)
    return made._replace(state="taken", why=found.told)


def _of_pattern(made: ExpectedOutput) -> ExpectedOutput:
    existing: list[Existing] = []
    for path in glob(DiskTree(made.folder), made.path, _LOOKED)[:_MATCHES]:
        found = open_source(os.path.join(made.folder, *path.split("/")), path)
        if not isinstance(found, tuple):
            existing.append(Existing(path, found.size))
    return made._replace(state="pattern", existing=tuple(existing))


def _is_wild(path: str) -> bool:
    for literal, _ in _LITERAL:
        path = path.replace(literal, "")
    return any(sign in path for sign in "*?[")
