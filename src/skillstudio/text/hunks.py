"""Differences of two texts, line by line, with line endings."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillstudio.text.alignment import differing

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_CONTEXT = 3
_NO_END = "\\ No newline at end of file\n"


class Hunk(NamedTuple):
    """Replaced lines of the old text; line numbers start at 0."""

    old_start: int
    old_lines: tuple[str, ...]
    new_start: int
    new_lines: tuple[str, ...]


def split_lines(text: str) -> list[str]:
    """The lines with their endings: LF, CR LF and a lone CR only."""
    return _LINE.findall(text)


def hunks(old: str, new: str) -> list[Hunk]:
    """The runs of lines in which two texts differ, in order."""
    if old == new:
        return []
    before, after = split_lines(old), split_lines(new)
    return [
        Hunk(
            old_start, tuple(before[old_start:old_end]), new_start, tuple(after[new_start:new_end])
        )
        for old_start, old_end, new_start, new_end in differing(before, after)
    ]


def unified(
    old: str, new: str, old_name: str, new_name: str, changes: list[Hunk] | None = None
) -> str:
    """A unified diff, as `diff -u` prints it; `changes` is the result of `hunks`, if known."""
    changes = hunks(old, new) if changes is None else changes
    if not changes:
        return ""
    before, after = split_lines(old), split_lines(new)
    parts = [f"--- {old_name}\n+++ {new_name}\n"]
    for group in _groups(changes):
        first, last = group[0], group[-1]
        start = max(first.old_start - _CONTEXT, 0)
        end = min(last.old_start + len(last.old_lines) + _CONTEXT, len(before))
        new_first = first.new_start - (first.old_start - start)
        new_end = last.new_start + len(last.new_lines) + end - last.old_start - len(last.old_lines)
        ranges = f"-{_range(start, end)} +{_range(new_first, min(new_end, len(after)))}"
        parts.append(f"@@ {ranges} @@\n")
        at = start
        for hunk in group:
            parts += [_line(" ", line) for line in before[at : hunk.old_start]]
            parts += [_line("-", line) for line in hunk.old_lines]
            parts += [_line("+", line) for line in hunk.new_lines]
            at = hunk.old_start + len(hunk.old_lines)
        parts += [_line(" ", line) for line in before[at:end]]
    return "".join(parts)


def _groups(changes: list[Hunk]) -> list[list[Hunk]]:
    groups: list[list[Hunk]] = []
    for hunk in changes:
        last = groups[-1][-1] if groups else None
        if last and hunk.old_start - last.old_start - len(last.old_lines) <= 2 * _CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _line(mark: str, line: str) -> str:
    return mark + line if line.endswith(("\n", "\r")) else f"{mark}{line}\n{_NO_END}"
