"""Show the differing lines of two files, or their hashes if there are too many."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from skillstudio.files.kind import HEAD, kind_of
from skillstudio.preview.source import ByteSource, Special
from skillstudio.preview.spans import Line, StyledSpan, cut, line, plain, size_words
from skillstudio.preview.spans import width as cells_of
from skillstudio.preview.view import LazyView
from skillstudio.text.hunks import Hunk, hunks, split_lines, unified_diff
from skillstudio.text.splicing import common_ends

MAX_CHANGED_LINES = 2_000  # Differing lines above which only sizes and hashes are shown.
READ = 1 << 20  # Bytes of each side that are compared by lines.
_HASHED_BYTES = 64 << 20
_PIECE = 1 << 20
_COUNTED_BYTES = 64 << 10  # Bytes of each side whose differing lines are counted for a list.
_LONG = 2_000
BESIDE = 100  # Cells from which the two sides are shown side by side.
_CONTEXT = 3  # Equal lines around a change.
_MARKED_CHARACTERS = 500  # Characters of a line whose differing part is marked.
_STYLES = {"+": "added", "-": "removed", "@": "marker", "\\": "quiet"}

_GAP = line(("⋯", "quiet"))
_REST = line((f"… only the first {MAX_CHANGED_LINES:,} lines are shown", "quiet"))

Side = ByteSource | Special | None  # One side of a comparison; None where there is no file.


def difference(old: Side, new: Side, width: int = 0) -> LazyView:
    """The differences of two files: lines, mode, link target, kind.

    Without a `width` they are those of a patch. With one, lines have their numbers, and their
    differing parts are marked; from BESIDE cells on they are side by side.
    """
    title = next((side.name for side in (new, old) if side is not None), "")
    notes: list[str] = []
    return LazyView(title, "diff", _lines(title, old, new, notes, width), notes)


def _lines(title: str, old: Side, new: Side, notes: list[str], width: int) -> Iterator[Line]:
    original, other = (getattr(side, "mode", None) for side in (old, new))
    if None not in (original, other) and original != other:
        yield line(
            ("mode ", "quiet"), (f"{original:04o}", "removed"), " → ", (f"{other:04o}", "added")
        )
    if isinstance(old, Special) or isinstance(new, Special):
        if _side_text(old) == _side_text(new):
            notes.append("the same")
        else:
            yield line(("- ", "removed"), (_side_text(old), "removed"))
            yield line(("+ ", "added"), (_side_text(new), "added"))
        return
    if max(side.size if side else 0 for side in (old, new)) > READ:
        yield from _hashes(old, new, f"more than {size_words(READ)}")
        return
    before, after = (side.read(0, READ) if side else b"" for side in (old, new))
    notes += [side.state for side in (old, new) if side is not None and side.state]
    if before == after and (old is None) == (new is None):
        notes.append("the same bytes")
        return
    original, other = (_text(title, data) for data in (before, after))
    if original is None or other is None:
        yield from _hashes(old, new, "not text")
    else:
        yield from _text_lines(original, other, old, new, width)


def _text_lines(before: str, after: str, old: Side, new: Side, width: int) -> Iterator[Line]:
    has_both = old is not None and new is not None
    is_too_much = has_both and _least(before, after) > MAX_CHANGED_LINES
    changes = [] if is_too_much else hunks(before, after)
    added_count, removed_count = _counts(changes)
    if is_too_much or (has_both and removed_count + added_count > MAX_CHANGED_LINES):
        yield from _hashes(old, new, f"more than {MAX_CHANGED_LINES:,} lines differ")
        return
    if width:
        lines = split_lines(before), split_lines(after)
        beside = width >= BESIDE and has_both
        yield from _beside(*lines, changes, width) if beside else _stack_lines(*lines, changes)
        return
    yield line((f"+{added_count:,}", "added"), " ", (f"-{removed_count:,}", "removed"))
    names = ["nothing" if side is None else side.name for side in (old, new)]
    changed_count = 0
    # Names can contain line breaks, so they are not part of the text that is split below.
    for number, text in enumerate(
        unified_diff(before, after, "", "", changes=changes).split("\n")[:-1]
    ):
        if number < 2:
            sign = "+" if number else "-"
            yield line((f"{sign * 3} {names[number]}", "quiet"))
            continue
        changed_count += text[:1] in "+-"
        if changed_count > MAX_CHANGED_LINES:
            yield _REST
            return
        yield line((text[:_LONG].removesuffix("\r"), _STYLES.get(text[:1], "")))


def line_counts(old: Side, new: Side) -> tuple[int, int] | None:
    """The lines that are added and removed; None for what is large or not text."""
    if old is None or new is None or isinstance(old, Special) or isinstance(new, Special):
        return None
    if max(old.size, new.size) > _COUNTED_BYTES:
        return None
    before, after = (_text(side.name, side.read(0, _COUNTED_BYTES)) for side in (old, new))
    return None if before is None or after is None else _counts(hunks(before, after))


def _counts(changes: Sequence[Hunk]) -> tuple[int, int]:
    added_count = sum(len(change.new_lines) for change in changes)
    return added_count, sum(len(change.old_lines) for change in changes)


class _Equal(NamedTuple):
    """Lines that both sides have."""

    old_rows: range
    shift: int  # How much further down they are in the new text.


def _stretches(old: list[str], changes: list[Hunk]) -> Iterator[Hunk | _Equal | None]:
    """The changes with some equal lines around them; None where lines are left out."""
    at = 0
    for number, change in enumerate(changes):
        start, end = change.old_start, change.old_start + len(change.old_lines)
        lead = max(at, start - _CONTEXT)
        if lead > at or (not number and lead):
            yield None
        yield _Equal(range(lead, start), change.new_start - start)
        yield change
        next_start = changes[number + 1].old_start if number + 1 < len(changes) else len(old)
        at = min(end + _CONTEXT, next_start)
        yield _Equal(range(end, at), change.new_start + len(change.new_lines) - end)
    if changes and at < len(old):
        yield None


def _stack_lines(old: list[str], new: list[str], changes: list[Hunk]) -> Iterator[Line]:
    """The lines of both texts below each other, with their numbers."""
    digits = len(str(max(len(old), len(new))))
    changed_count = 0
    for part in _stretches(old, changes):
        if part is None:
            yield _GAP
        elif isinstance(part, _Equal):
            for row in part.old_rows:
                yield _half(old[row], old[row], row + part.shift, " ", digits, _LONG)
        else:
            pairs = list(zip_longest(part.old_lines, part.new_lines))
            for row, (before, after) in enumerate(pairs[: len(part.old_lines)]):
                yield _half(before, after, part.old_start + row, "-", digits, _LONG)
            for row, (before, after) in enumerate(pairs[: len(part.new_lines)]):
                changed_count += 1
                if changed_count > MAX_CHANGED_LINES:
                    yield _REST
                    return
                yield _half(after, before, part.new_start + row, "+", digits, _LONG)


def _beside(old: list[str], new: list[str], changes: list[Hunk], width: int) -> Iterator[Line]:
    """Two columns of a text's lines."""
    digits = len(str(max(len(old), len(new))))
    room = (width - 1) // 2 - digits - 3
    half = room + digits + 3
    for part in _stretches(old, changes):
        if part is None:
            yield _GAP
        elif isinstance(part, _Equal):
            for row in part.old_rows:
                left_line = _half(old[row], old[row], row, " ", digits, room)
                right = _half(old[row], old[row], row + part.shift, " ", digits, room)
                yield _two(left_line, right, half)
        else:
            pairs = zip_longest(part.old_lines, part.new_lines)
            for row, (before, after) in enumerate(pairs):
                left_line = _half(before, after, part.old_start + row, "-", digits, room)
                right = _half(after, before, part.new_start + row, "+", digits, room)
                yield _two(left_line, right, half)


def _half(
    text: str | None, other: str | None, number: int, sign: str, digits: int, room: int
) -> Line:
    """A line of one side, with its number; its part that the other side lacks is marked."""
    if text is None:
        return ()
    style = {"-": "removed", "+": "added"}.get(sign, "")
    bare = text.rstrip("\r\n")[:_LONG]
    parts: list[tuple[str, str]] = [(bare, style)]
    if style and other is not None and other.rstrip("\r\n") == text.rstrip("\r\n"):
        ending = text[len(text.rstrip("\r\n")) :]
        parts.append((f" {ending}" if ending else " no line end", "quiet"))
    elif style and other is not None and len(bare) <= _MARKED_CHARACTERS:
        head, tail = common_ends(bare, other.rstrip("\r\n")[:_LONG])
        end = len(bare) - tail
        # A line with little in common is another line.
        if 2 * (end - head) < len(bare):
            mark = "deleted" if sign == "-" else "inserted"
            parts = [(bare[:head], style), (bare[head:end], mark), (bare[end:], style)]
    spans: list[StyledSpan] = []
    budget = room
    for span in line(*parts):
        if budget <= 0:
            break
        visible_text = cut(span.text, budget)
        spans.append(StyledSpan(visible_text, span.style))
        budget -= cells_of(visible_text)
    return (*line((f"{number + 1:>{digits}} ", "quiet"), (f"{sign} ", style)), *spans)


def _two(left_line: Line, right: Line, half: int) -> Line:
    gap = " " * max(half - cells_of(plain(left_line)), 0)
    return (*left_line, StyledSpan(gap), StyledSpan("│", "quiet"), *right)


def _least(before: str, after: str) -> int:
    """A lower bound of differing lines, counted without alignment."""
    old_counts, other = Counter(before.split("\n")), Counter(after.split("\n"))
    return sum((old_counts - other).values()) + sum((other - old_counts).values())


def _hashes(old: Side, new: Side, why: str) -> Iterator[Line]:
    yield line((f"only sizes and hashes are compared: {why}", "quiet"))
    for sign, style, side in (("-", "removed", old), ("+", "added", new)):
        if side is None:
            yield line((f"{sign} nothing", style))
        elif not isinstance(side, Special):
            yield line((f"{sign} {size_words(side.size)}, {_hash(side)}", style))


def _hash(source: ByteSource) -> str:
    if source.size > _HASHED_BYTES:
        return f"not hashed: it is larger than {size_words(_HASHED_BYTES)}"
    digest = hashlib.sha256()
    for at in range(0, source.size, _PIECE):
        digest.update(source.read(at, _PIECE))
    return f"sha256 {digest.hexdigest()}"


def _side_text(side: Side) -> str:
    if side is None:
        return "nothing"
    return side.description if isinstance(side, Special) else f"a file of {size_words(side.size)}"


def _text(name: str, data: bytes) -> str | None:
    if data and not kind_of(name, data[:HEAD]).is_text:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
