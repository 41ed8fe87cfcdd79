"""Locate the cursor in block style YAML, by indentation."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillstudio.manifest.caret import Caret
from skillstudio.manifest.caret.brackets import YAML, bracket_caret, open_at
from skillstudio.text.source import Span

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_DASH = re.compile(r"-(?:[ \t]+|$)")
_KEY = re.compile(
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#&*!|>%@`\"'\[\]{},][^#\"'\[\]{}]*?)[ \t]*:(?=\s|$)"
)
_PROPERTY = re.compile(r"(?:[&!]\S*[ \t]*)+")
_PLAIN_END = re.compile(r"[ \t]+#|[ \t]*$")
_WORD = re.compile(r"[\w.-]*")
_BRACKET_LINES = 200
_DASH_MARK = "\n"  # Represents a dash among the keys of a line; no key contains a line break.


class _YamlLine(NamedTuple):
    """The structure of a line: the columns of dashes and of at most one key, and the value."""

    start: int
    text: str
    marks: tuple[tuple[int, str], ...]
    key: re.Match[str] | None  # With the colon; its name is also the last of the marks.
    value: int  # The column of the value, or of the text if there is no key.

    @property
    def dashes(self) -> tuple[tuple[int, str], ...]:
        return self.marks[:-1] if self.key else self.marks

    @property
    def rest(self) -> str:
        return self.text[self.value :]


def yaml_caret(text: str, span: Span, offset: int) -> Caret | None:
    """The place of an offset in the YAML of a span."""
    lines, row = _lines(text, span, offset)
    inside = _flow(text, span, lines, row, offset)
    if inside is not None:
        return inside[0]
    line = lines[row]
    column = offset - line.start
    if _in_comment(line.text[:column]):
        return None
    dashes, key = line.dashes, line.key
    if key and column >= key.end():
        pointer = _pointer(lines, row, key.start(), dashes)
        is_separated = line.text[column - 1] in " \t" or column > line.value
        if not is_separated or pointer is None:
            return None
        return _value(line, column, (*pointer, line.marks[-1][1]))
    begin = key.start() if key else min(line.value, column)
    if column < begin:
        return None
    pointer = _pointer(lines, row, begin, dashes)
    if pointer is None:
        return None
    if not key and line.rest[:1] in ("|", ">", "&", "*", "!", "#") and column > begin:
        return None
    quote = line.text[begin : begin + 1] if line.text[begin : begin + 1] in ('"', "'") else ""
    typed_text = line.text[begin + len(quote) : column]
    end = column
    if key:
        end = key.end(1)
    elif quote and line.text.rstrip().endswith(quote) and len(line.rest.rstrip()) > 1:
        end = max(len(line.text.rstrip()), column)
    else:
        word = _WORD.match(line.text, column)
        end = word.end() if word else column
    return Caret(
        "item" if dashes and not key else "key",
        pointer,
        line.start + begin,
        line.start + end,
        typed_text,
        quote,
        _siblings(lines, row, begin, bool(dashes)),
        begin,
        is_assigned=key is not None,
    )


def _lines(text: str, span: Span, offset: int) -> tuple[list[_YamlLine], int]:
    lines: list[_YamlLine] = []
    row, at = 0, span.start
    while True:
        match = _LINE.match(text, at, span.end)
        if match is None:
            break
        if at <= offset:
            row = len(lines)
        lines.append(_structure(at, match.group(1)))
        if match.end() == match.end(1):
            break
        at = match.end()
    return lines, row


def _structure(start: int, text: str) -> _YamlLine:
    marks = []
    at = len(text) - len(text.lstrip(" \t"))
    while dash := _DASH.match(text, at):
        marks.append((at, _DASH_MARK))
        at = dash.end()
    key = _KEY.match(text, at)
    if key:
        name = key.group(1)
        marks.append((at, name[1:-1] if name[0] in "\"'" else name))
        at = key.end()
        at += len(text[at:]) - len(text[at:].lstrip(" \t"))
    return _YamlLine(start, text, tuple(marks), key, at)


def _in_comment(before: str) -> bool:
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'", "", before)
    return bool(re.search(r"(?:^|\s)#", bare))


def _flow(
    text: str, span: Span, lines: list[_YamlLine], row: int, offset: int
) -> tuple[Caret | None] | None:
    """The place within open brackets; None if none are open."""
    for above in range(row, max(row - _BRACKET_LINES, -1), -1):
        line = lines[above]
        rest = line.rest
        begin = line.start + line.value
        match = _PROPERTY.match(rest)
        if match:
            begin, rest = begin + match.end(), rest[match.end() :]
        if rest[:1] in ("[", "{") and begin < offset and open_at(text, begin, offset, YAML):
            column = line.key.start() if line.key else line.value
            pointer = _pointer(lines, above, column, line.dashes)
            if pointer is None:
                continue
            base = (*pointer, line.marks[-1][1]) if line.key else pointer
            return (bracket_caret(text, begin, span.end, offset, YAML, base),)
    return None


def _pointer(
    lines: list[_YamlLine], row: int, column: int, dashes: tuple[tuple[int, str], ...]
) -> tuple[str, ...] | None:
    """The pointer of the mapping or item at a column; None within a block or continued scalar."""
    path: list[str] = []
    below = column
    sequence = -1
    index = 0
    marks = [(dash, row) for dash in reversed(dashes)]
    for (at, name), where in _upwards(lines, row, marks):
        if sequence >= 0:
            if name == _DASH_MARK and at == sequence:
                index += 1
                continue
            if at > sequence or (name == _DASH_MARK and at >= sequence):
                continue
            path.append(str(index))
            sequence, index = -1, 0
            below = at + 1
        if at >= below:
            continue
        below = at
        if name == _DASH_MARK:
            sequence = at
            continue
        if not _opens(lines[where]):
            return None
        path.append(name)
        if at == 0:
            break
    if sequence >= 0:
        path.append(str(index))
    return tuple(reversed(path))


def _upwards(
    lines: list[_YamlLine], row: int, own_marks: list[tuple[tuple[int, str], int]]
) -> list[tuple[tuple[int, str], int]]:
    marks = list(own_marks)
    for above in range(row - 1, -1, -1):
        line = lines[above]
        if line.marks:
            marks += [(mark, above) for mark in reversed(line.marks)]
            if line.marks[0][0] == 0 and line.marks[0][1] != _DASH_MARK:
                break
    return marks


def _opens(line: _YamlLine) -> bool:
    """Whether a key has its value on the lines below it."""
    rest = _PROPERTY.sub("", line.rest, count=1).strip()
    return not rest or rest.startswith("#")


def _siblings(lines: list[_YamlLine], row: int, column: int, is_dashed: bool) -> frozenset[str]:
    """The keys at a column in the mapping around a row, without that of the row."""
    keys: set[str] = set()
    above = () if is_dashed else range(row - 1, -1, -1)
    for rows, upwards in ((above, True), (range(row + 1, len(lines)), False)):
        for other_row in rows:
            line = lines[other_row]
            bare = line.text.strip()
            if not bare or bare.startswith("#"):
                continue
            first = len(line.text) - len(line.text.lstrip(" \t"))
            if first >= column or upwards:
                keys |= {name for at, name in line.marks if at == column and name != _DASH_MARK}
            if first < column:
                break
    return frozenset(keys)


def _value(line: _YamlLine, column: int, pointer: tuple[str, ...]) -> Caret | None:
    """The place in the value after a key."""
    rest = line.rest
    begin = line.value
    quote = rest[:1] if rest[:1] in ('"', "'") else ""
    if rest[:1] in ("|", ">", "&", "*", "!", "[", "{"):
        return None
    if quote:
        close = rest.find(quote, 1)
        end = begin + close + 1 if close > 0 else column
        if close > 0 and column >= end:
            return None
    else:
        match = _PLAIN_END.search(rest)
        end = begin + (match.start() if match else len(rest))
    begin = min(begin, column)
    typed_text = line.text[begin + len(quote) : column]
    return Caret(
        "value", pointer, line.start + begin, line.start + max(end, column), typed_text, quote,
        column=line.marks[-1][0],
    )  # fmt: skip
