"""What changed in the texts of a skill's files, as `diff -u` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from skillstudio.files.tree import FileTree
from skillstudio.session.comparing.text import FileDiff, compare_texts
from skillstudio.text.source import decode

MOST_LINES = 5_000
"""Lines that are shown of all files together."""


def unified_lines(old: FileTree | None, new: FileTree | None) -> Iterator[str]:
    """The lines of a unified diff of every file, or a line that says why there are none of it."""
    found = _lines(old, new)
    yield from islice(found, MOST_LINES)
    more = sum(1 for _ in found)
    if more:
        yield f"{more} more lines of the texts are not shown"


def _lines(old: FileTree | None, new: FileTree | None) -> Iterator[str]:
    found = compare_texts(old, new)
    if found.trouble:
        yield found.trouble
    for file in found.files:
        yield ""
        yield from _file(file, old, new)
    if found.left_off:
        yield f"{found.left_off} more files differ"


def _file(file: FileDiff, old: FileTree | None, new: FileTree | None) -> Iterator[str]:
    from skillstudio.text.hunks import unified

    if file.note:
        yield f"{file.path}: {file.what}; {file.note}"
        return
    before = decode(old.read(file.path))[0] if old is not None and file.what != "added" else ""
    after = decode(new.read(file.path))[0] if new is not None and file.what != "removed" else ""
    names = (
        "/dev/null" if file.what == "added" else f"a/{file.path}",
        "/dev/null" if file.what == "removed" else f"b/{file.path}",
    )
    text = unified(before, after, *names)
    if not text:
        yield f"{file.path}: {file.what}"
    yield from text.removesuffix("\n").split("\n") if text else ()
