"""Compare the texts of two versions line by line, with limits on files, lines and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.present.lines import count
from skillstudio.text.hunks import Hunk, hunks, split_lines

MOST_FILES = 500
MOST_LINES = 50_000  # Lines of both sides together.
LARGEST = 1 << 20  # Bytes of one file.
CONTEXT = 3

Mark = Literal["file", "note", "gap", "same", "old", "new", "both"]
"""`both` is a row with a line and its replacement."""


class FileDiff(NamedTuple):
    """A file that differs, with its lines if they can be compared."""

    path: str
    what: str  # `added`, `removed` or `changed`.
    note: str = ""
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    @property
    def counts(self) -> tuple[int, int]:
        """The number of removed and of added lines."""
        return (
            sum(len(hunk.old_lines) for hunk in self.hunks),
            sum(len(hunk.new_lines) for hunk in self.hunks),
        )


class TextDiff(NamedTuple):
    """The files that differ, by path."""

    files: tuple[FileDiff, ...] = ()
    left_off: int = 0  # The number of differing files beyond the limit.
    trouble: str = ""


class TextRow(NamedTuple):
    """A row of a text diff: the indices of its lines from 0, -1 for none."""

    file: int
    mark: Mark
    old: int = -1
    new: int = -1
    instead: int = -1  # In one column, the replaced or replacing line of the other side.


def compare_texts(old: FileTree | None, new: FileTree | None) -> TextDiff:
    """The differing files of two versions, among those that a content hash covers."""
    from skillstudio.skill.hashing.content_hash import HashRefused

    try:
        before, after = _digests(old), _digests(new)
    except (HashRefused, OSError) as error:
        return TextDiff(trouble=f"the files cannot be compared: {error}")
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    files = []
    lines = 0
    for path in paths[:MOST_FILES]:
        file_diff = _file(path, old, new, path in before, path in after, MOST_LINES - lines)
        lines += len(file_diff.old) + len(file_diff.new)
        files.append(file_diff)
    return TextDiff(tuple(files), max(len(paths) - MOST_FILES, 0))


def _digests(tree: FileTree | None) -> dict[str, tuple[str, str]]:
    from skillstudio.skill.hashing.content_hash import hash_tree

    if tree is None:
        return {}
    return {file.path: (file.sha256, file.mode) for file in hash_tree(tree).files}


def _file(
    path: str, old: FileTree | None, new: FileTree | None, was: bool, is_: bool, room: int
) -> FileDiff:
    what = "changed" if was and is_ else "added" if is_ else "removed"
    try:
        before = old.read(path, LARGEST + 1) if old is not None and was else b""
        after = new.read(path, LARGEST + 1) if new is not None and is_ else b""
    except OSError as error:
        return FileDiff(path, what, f"cannot be read: {error.strerror or error}")
    if max(len(before), len(after)) > LARGEST:
        return FileDiff(path, what, "larger than 1 MiB, so its lines are not compared")
    if before == after:
        return FileDiff(path, what, "only its permissions changed" if what == "changed" else "")
    sizes = f"{len(before):,} → {len(after):,} bytes"
    not_text = f"not text: {sizes if was and is_ else count(len(before or after), 'byte')}"
    try:
        texts = before.decode("utf-8"), after.decode("utf-8")
    except UnicodeDecodeError:
        return FileDiff(path, what, not_text)
    if "\0" in texts[0] or "\0" in texts[1]:
        return FileDiff(path, what, not_text)
    if texts[0].count("\n") + texts[1].count("\n") > room:
        return FileDiff(path, what, "too many lines to compare")
    sides = tuple(_lines(texts[0])), tuple(_lines(texts[1]))
    line_hunks = tuple(hunks(*texts))
    note = "only its line endings changed" if sides[0] == sides[1] else ""
    return FileDiff(path, what, note, *sides, () if note else line_hunks)


def _lines(text: str) -> Iterator[str]:
    return (line.rstrip("\r\n") for line in split_lines(text))


def text_rows(diff: TextDiff, beside: bool) -> list[TextRow]:
    """The rows of a diff: removed lines `beside` their replacements, or above them."""
    rows: list[TextRow] = []
    for index, file in enumerate(diff.files):
        rows.append(TextRow(index, "file"))
        if file.note:
            rows.append(TextRow(index, "note"))
        rows += _inside(index, file, beside)
    return rows


def _inside(index: int, file: FileDiff, beside: bool) -> Iterator[TextRow]:
    # The next old line, and the offset of the new side.
    at = shift = 0
    for position, hunk in enumerate(file.hunks):
        start = max(hunk.old_start - CONTEXT, at)
        if start > at or (position == 0 and start > 0):
            yield TextRow(index, "gap", start, start + shift)
        for row in range(start, hunk.old_start):
            yield TextRow(index, "same", row, row + shift)
        yield from _hunk(index, hunk, beside)
        at = hunk.old_start + len(hunk.old_lines)
        shift = hunk.new_start + len(hunk.new_lines) - at
        next_hunk = file.hunks[position + 1] if position + 1 < len(file.hunks) else None
        end = min(at + CONTEXT, next_hunk.old_start if next_hunk else len(file.old))
        for row in range(at, end):
            yield TextRow(index, "same", row, row + shift)
        at = end


def _hunk(index: int, hunk: Hunk, beside: bool) -> Iterator[TextRow]:
    old, new = len(hunk.old_lines), len(hunk.new_lines)
    pairs = min(old, new)
    paired_rows = pairs if beside else 0
    for row in range(paired_rows):
        yield TextRow(index, "both", hunk.old_start + row, hunk.new_start + row)
    for row in range(paired_rows, old):
        instead = hunk.new_start + row if row < pairs else -1
        yield TextRow(index, "old", hunk.old_start + row, -1, instead)
    for row in range(paired_rows, new):
        instead = hunk.old_start + row if row < pairs else -1
        yield TextRow(index, "new", -1, hunk.new_start + row, instead)
