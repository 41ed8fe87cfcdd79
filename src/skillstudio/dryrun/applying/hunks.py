"""The hunks of a patch in git's format."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence

from skillstudio.text.hunks import Stretch, differing

_CONTEXT = 3
"""Lines of context around a change."""
_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_LINE = 52
"""Bytes per line of a binary hunk; the line's first character counts them."""


def is_binary(data: bytes) -> bool:
    """Whether content is binary: it contains a NUL."""
    return b"\0" in data


def text_hunks(old: bytes, new: bytes) -> Iterator[bytes]:
    """The hunks between two texts. Only `\\n` ends a line, as in git."""
    # Each byte becomes one character, so that bytes that are not UTF-8 survive.
    before, after = _lines(old), _lines(new)
    for group in _grouped(differing(before, after)):
        yield from _hunk(before, after, group)


def binary_hunks(old: bytes, new: bytes) -> Iterator[bytes]:
    """The whole new and old content, so that the patch can be reverted."""
    yield b"GIT binary patch\n"
    for data in (new, old):
        yield b"literal %d\n" % len(data)
        packed = zlib.compress(data)
        for start in range(0, len(packed), _LINE):
            piece = packed[start : start + _LINE]
            first = len(piece) + (0x40 if len(piece) <= 26 else 0x60 - 26)
            yield bytes([first]) + base64.b85encode(piece, pad=True) + b"\n"
        yield b"\n"


def _lines(data: bytes) -> list[str]:
    pieces = data.decode("latin-1").split("\n")
    last = pieces.pop()
    lines = [piece + "\n" for piece in pieces]
    return [*lines, last] if last else lines


def _grouped(stretches: Iterator[Stretch]) -> Iterator[list[Stretch]]:
    """Stretches close enough for their context lines to meet."""
    group: list[Stretch] = []
    for stretch in stretches:
        if group and stretch.old_start - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(stretch)
    if group:
        yield group


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[Stretch]) -> Iterator[bytes]:
    first, last = group[0], group[-1]
    lead = min(_CONTEXT, first.old_start)
    old_start, new_start = first.old_start - lead, first.new_start - lead
    old_end = min(last.old_end + _CONTEXT, len(old))
    new_end = last.new_end + old_end - last.old_end
    ranges = (_range(old_start, old_end), _range(new_start, new_end))
    yield b"@@ -%s +%s @@\n" % ranges
    at = old_start
    for stretch in group:
        yield from (_line(b" ", line) for line in old[at : stretch.old_start])
        yield from (_line(b"-", line) for line in old[stretch.old_start : stretch.old_end])
        yield from (_line(b"+", line) for line in new[stretch.new_start : stretch.new_end])
        at = stretch.old_end
    yield from (_line(b" ", line) for line in old[at:old_end])


def _range(start: int, end: int) -> bytes:
    """Lines counted from 1; for an empty range, the line before it."""
    return b"%d,%d" % (start + (1 if end > start else 0), end - start)


def _line(mark: bytes, line: str) -> bytes:
    data = mark + line.encode("latin-1")
    return data if data.endswith(b"\n") else data + _NO_NEWLINE
