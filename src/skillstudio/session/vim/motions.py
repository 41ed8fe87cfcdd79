"""Where the motions and text objects of vim lead, as functions of a text and an offset.

A cursor is on a character. A text that ends with a line end has no further line after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

END = 1 << 30  # A column beyond every line: that of `$`.
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CLOSERS = {close: open_ for open_, close in _PAIRS.items()}
_NAMES = {"b": "(", "B": "{"}
_BRACKET = re.compile(r"[\[\](){}]")


class Target(NamedTuple):
    """Where a motion leads; `kind` says what an operator takes from there."""

    offset: int
    kind: Literal["exclusive", "inclusive", "lines"] = "exclusive"
    column: int | None = None  # The column to keep in lines that are shorter.


class Extent(NamedTuple):
    """A part of the text, from `start` up to but without `end`; `lines` if it is whole lines."""

    start: int
    end: int
    lines: bool = False


# Lines


def line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end(text: str, at: int) -> int:
    """The offset of the end of a line, before its line end."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    earlier = text.find("\r", at, end)
    return end if earlier < 0 else earlier


def _after_end(text: str, end: int) -> int:
    return min(end + (2 if text.startswith("\r\n", end) else 1), len(text))


def below(text: str, at: int) -> int | None:
    """The start of the next line, None in the last one."""
    start = _after_end(text, line_end(text, at))
    return None if start == len(text) else start


def above(text: str, at: int) -> int | None:
    """The start of the previous line, None in the first one."""
    start = line_start(text, at)
    if not start:
        return None
    return line_start(text, start - (2 if text.startswith("\r\n", start - 2) else 1))


def last_line(text: str) -> int:
    """The start of the last line."""
    start = line_start(text, len(text))
    return above(text, start) or 0 if start == len(text) and text else start


def text_end(text: str) -> int:
    """The end of the last line."""
    return line_end(text, last_line(text))


def first_nonblank(text: str, at: int) -> int:
    start, end = line_start(text, at), line_end(text, at)
    return start + len(text[start:end]) - len(text[start:end].lstrip())


def on_character(text: str, at: int) -> int:
    """The nearest offset that a cursor can be at in normal mode."""
    at = min(max(at, 0), len(text))
    return max(min(at, line_end(text, at) - 1), line_start(text, at))


def is_blank(text: str, at: int) -> bool:
    """Whether the line at an offset has only spaces."""
    return not text[line_start(text, at) : line_end(text, at)].strip()


def line_number(text: str, number: int) -> int:
    """The start of a line by its number from 1, limited to the text."""
    at = 0
    for _ in range(number - 1):
        next_line = below(text, at)
        if next_line is None:
            break
        at = next_line
    return at


def whole_lines(text: str, offset: int, other: int) -> Extent:
    """The lines from one offset to another, with the last line end."""
    first, last = sorted((offset, other))
    return Extent(line_start(text, first), _after_end(text, line_end(text, last)), True)


# Words


def _kind(text: str, at: int, big: bool) -> int:
    """0 for a space, 1 for a letter, digit or underscore, 2 for another character."""
    character = text[at]
    if character.isspace():
        return 0
    return 1 if big or character.isalnum() or character == "_" else 2


def _is_empty_line(text: str, at: int) -> bool:
    return at == line_start(text, at) and at == line_end(text, at)


def next_word(text: str, at: int, big: bool = False) -> int:
    """The start of the next word; an empty line is one, too."""
    start, size = at, len(text)
    if at < size and (kind := _kind(text, at, big)):
        while at < size and _kind(text, at, big) == kind:
            at += 1
    while at < size and not _kind(text, at, big):
        if at > start and _is_empty_line(text, at):
            break
        at += 1
    return at


def word_end(text: str, at: int, big: bool = False) -> int:
    """The last character of this word, or of the next one."""
    at += 1
    while at < len(text) and not _kind(text, at, big):
        at += 1
    if at >= len(text):
        return on_character(text, text_end(text))
    kind = _kind(text, at, big)
    while at + 1 < len(text) and _kind(text, at + 1, big) == kind:
        at += 1
    return at


def previous_word(text: str, at: int, big: bool = False) -> int:
    """The start of this word, or of the previous one."""
    at -= 1
    while at > 0 and not _kind(text, at, big) and not _is_empty_line(text, at):
        at -= 1
    if at <= 0:
        return 0
    if kind := _kind(text, at, big):
        while at > 0 and _kind(text, at - 1, big) == kind:
            at -= 1
    return at


def _repeat_step(
    step: Callable[[str, int, bool], int], text: str, at: int, count: int, big: bool
) -> int:
    for _ in range(count):
        at = step(text, at, big)
    return at


# Motions


def _vertical(text: str, at: int, count: int, column: int | None) -> Target | None:
    """`count` lines down, or up if it is negative."""
    start = line_start(text, at)
    column = at - start if column is None else column
    line = start
    for moved_lines in range(abs(count)):
        next_line = below(text, line) if count > 0 else above(text, line)
        if next_line is None:
            if not moved_lines:
                return None
            break
        line = next_line
    return Target(min(line + column, line_end(text, line)), "lines", column)


def _to_line(text: str, line: int) -> Target:
    return Target(first_nonblank(text, line), "lines")


def _paragraph(text: str, at: int, count: int) -> Target | None:
    """The blank line after this paragraph, or with a negative count before it."""
    step = below if count > 0 else above
    for remaining_steps in reversed(range(abs(count))):
        line: int | None = line_start(text, at)
        while line is not None and is_blank(text, line):
            line = step(text, line)
        while line is not None and not is_blank(text, line):
            line = step(text, line)
        if line is None:
            return None if remaining_steps else Target(text_end(text) if count > 0 else 0)
        at = line
    return Target(at)


def _partner(text: str, at: int) -> int | None:
    """The partner of the first bracket from the cursor on."""
    match = _BRACKET.search(text, at, line_end(text, at))
    if match is None:
        return None
    bracket, start = match[0], match.start()
    other = _PAIRS.get(bracket) or _CLOSERS[bracket]
    way = 1 if bracket in _PAIRS else -1
    depth, place = 0, start
    while 0 <= place < len(text):
        if text[place] == bracket:
            depth += 1
        elif text[place] == other:
            depth -= 1
            if not depth:
                return place
        place += way
    return None


def find_in_line(
    text: str, at: int, count: int, how: str, character: str, again: bool = False
) -> Target | None:
    """`f`, `t`, `F` or `T` and a character; `again` skips a match that `t` is already at."""
    start, end = line_start(text, at), line_end(text, at)
    way = 1 if how in "ft" else -1
    place = at + way if again and how in "tT" else at
    for _ in range(count):
        place = (
            text.find(character, place + 1, end) if way > 0 else text.rfind(character, start, place)
        )
        if place < 0:
            return None
    place -= way * (how in "tT")
    return Target(place, "inclusive" if way > 0 else "exclusive")


def search(text: str, at: int, count: int, search_text: str, forward: bool) -> int | None:
    """The match of a text after the cursor, or before it; around the end of the text.

    Case counts only if the text has capitals.
    """
    flags = re.NOFLAG if search_text != search_text.lower() else re.IGNORECASE
    starts = [match.start() for match in re.finditer(re.escape(search_text), text, flags)]
    if not search_text or not starts:
        return None
    after = [start for start in starts if start > at]
    before = [start for start in starts if start < at]
    ordered_starts = [*after, *(s for s in starts if s <= at)] if forward else [
        *reversed(before), *reversed([s for s in starts if s >= at])
    ]  # fmt: skip
    return ordered_starts[(count - 1) % len(ordered_starts)]


def _move_left(text: str, at: int, count: int) -> Target:
    return Target(max(at - count, line_start(text, at)))


def _right(text: str, at: int, count: int) -> Target:
    return Target(min(at + count, line_end(text, at)))


def _line_edge(text: str, at: int, count: int) -> Target | None:
    line = _vertical(text, at, count - 1, 0) if count > 1 else Target(at)
    if line is None:
        return None
    end = line_end(text, line.offset)
    return Target(max(end - 1, line_start(text, end)), "inclusive", END)


def move(text: str, at: int, name: str, count: int, column: int | None) -> Target | None:
    """Where a motion of its own leads, None if it leads nowhere; `count` is 0 if there is none."""
    times = max(count, 1)
    big = name in ("W", "B", "E")
    match name:
        case "h" | "left" | "backspace":
            return _move_left(text, at, times)
        case "l" | "right" | " ":
            return _right(text, at, times)
        case "j" | "down":
            return _vertical(text, at, times, column)
        case "k" | "up":
            return _vertical(text, at, -times, column)
        case "w" | "W":
            return Target(min(_repeat_step(next_word, text, at, times, big), text_end(text)))
        case "b" | "B":
            return Target(_repeat_step(previous_word, text, at, times, big))
        case "e" | "E":
            return Target(_repeat_step(word_end, text, at, times, big), "inclusive")
        case "0" | "home":
            return Target(line_start(text, at))
        case "^":
            return Target(first_nonblank(text, at))
        case "$" | "end":
            return _line_edge(text, at, times)
        case "gg":
            return _to_line(text, line_number(text, times))
        case "G":
            return _to_line(text, line_number(text, count) if count else last_line(text))
        case "enter" | "+":
            down = _vertical(text, at, times, 0)
            return _to_line(text, down.offset) if down else None
        case "-":
            up = _vertical(text, at, -times, 0)
            return _to_line(text, up.offset) if up else None
        case "_":
            line = _vertical(text, at, times - 1, 0) if times > 1 else Target(at)
            return _to_line(text, line.offset) if line else None
        case "{" | "}":
            return _paragraph(text, at, times if name == "}" else -times)
        case "%":
            partner = _partner(text, at)
            return None if partner is None else Target(partner, "inclusive")
    return None


# Text objects


def text_object(text: str, at: int, name: str, count: int) -> Extent | None:
    """The part of the text that an object such as `iw` or `a(` is; None if there is none here."""
    inner, what, times = name[0] == "i", name[1], max(count, 1)
    if what in "wW":
        return _word(text, at, inner, times, what == "W")
    if what in "\"'`":
        return _find_quotes(text, at, what, inner)
    if what == "p":
        return _paragraphs(text, at, inner, times)
    return _find_brackets(text, at, _NAMES.get(what, _CLOSERS.get(what, what)), inner, times)


def _word(text: str, at: int, inner: bool, count: int, big: bool) -> Extent | None:
    start, end = line_start(text, at), line_end(text, at)
    if start == end:
        return None

    def run(place: int, way: int) -> int:
        """The end of the characters of one kind in the line."""
        kind = _kind(text, place, big)
        while start <= place + way < end and _kind(text, place + way, big) == kind:
            place += way
        return place

    first, last = run(at, -1), run(at, 1) + 1
    for number in range(count if inner else 2 * count - 1):
        if last >= end:
            break
        if number or not inner:
            last = run(last, 1) + 1
    is_spaced = text[last - 1].isspace() or text[first].isspace()
    if not inner and not is_spaced and first > start and text[first - 1].isspace():
        first = run(first - 1, -1)
    return Extent(first, last)


def _find_quotes(text: str, at: int, mark: str, inner: bool) -> Extent | None:
    start, end = line_start(text, at), line_end(text, at)
    marks, place = [], start
    while place < end:
        if text[place] == "\\":
            place += 1
        elif text[place] == mark:
            marks.append(place)
        place += 1
    for first, last in zip(marks[::2], marks[1::2], strict=False):
        if at <= last:
            if inner:
                return Extent(first + 1, last)
            after = last + 1
            while after < end and text[after].isspace():
                after += 1
            while after == last + 1 and first > start and text[first - 1].isspace():
                first -= 1
            return Extent(first, after)
    return None


def _find_brackets(text: str, at: int, open_: str, inner: bool, count: int) -> Extent | None:
    close = _PAIRS[open_]
    depth, first = 0, min(at, len(text) - 1)
    if text[at : at + 1] == close:
        first -= 1
    while first >= 0:
        if text[first] == close:
            depth += 1
        elif text[first] == open_:
            depth -= 1
            if depth == -count:
                break
        first -= 1
    if first < 0:
        return None
    depth, last = 0, first
    while last < len(text):
        depth += (text[last] == open_) - (text[last] == close)
        if not depth:
            break
        last += 1
    if last == len(text):
        return None
    if not inner:
        return Extent(first, last + 1)
    close_line = line_start(text, last)
    if first + 1 == line_end(text, first) < close_line - 1 and not text[close_line:last].strip():
        return Extent(_after_end(text, first + 1), line_start(text, last), True)
    return Extent(first + 1, last)


def _paragraphs(text: str, at: int, inner: bool, count: int) -> Extent:
    def run(line: int, way: Callable[[str, int], int | None]) -> int:
        """The last line of the same kind, blank or not."""
        blank = is_blank(text, line)
        while (other := way(text, line)) is not None and is_blank(text, other) == blank:
            line = other
        return line

    first = run(line_start(text, at), above)
    last = run(line_start(text, at), below)
    for _ in range((count if inner else 2 * count) - 1):
        next_line = below(text, last)
        if next_line is None:
            if not inner and (before := above(text, first)) is not None:
                first = run(before, above)
            break
        last = run(next_line, below)
    return whole_lines(text, first, last)
