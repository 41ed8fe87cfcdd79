"""Locate the cursor in TOML: the table header above it, and its line."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillstudio.manifest.caret import Caret
from skillstudio.manifest.caret.brackets import TOML, bracket_caret, open_at
from skillstudio.text.source import Span

_PART = r"(?:[\w-]+|\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')"
_DOTTED_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"^[ \t]*(\[\[?)[ \t]*({_DOTTED_KEY})[ \t]*\]\]?", re.MULTILINE)
_ASSIGNMENT = re.compile(rf"^[ \t]*({_DOTTED_KEY})[ \t]*=[ \t]*", re.MULTILINE)
_LINE_START = re.compile(r"[^\r\n]*\Z")
_LINE_END = re.compile(r"[^\r\n]*")
_HEADER_TYPED = re.compile(r"[ \t]*\[\[?[ \t]*([^\]\r\n]*)\Z")
_KEY_TYPED = re.compile(r"[ \t]*((?:[\w-]+[ \t]*\.[ \t]*)*)([\"']?)([\w-]*)\Z")
_KEY_REST = re.compile(r"[\w-]*[\"']?")
_QUOTED_TEXT = re.compile(r"\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*'")
_PARTS = re.compile(rf"{_PART}")


class _Table(NamedTuple):
    """A header: its keys, its offset, and its index among equal array headers."""

    keys: tuple[str, ...]
    start: int
    end: int
    many: bool


def toml_caret(text: str, span: Span, offset: int) -> Caret | None:
    """The place of an offset in TOML."""
    tables = _tables(text, span)
    table = next((table for table in reversed(tables) if table.end <= offset), None)
    base = _pointer(tables, table)
    region = Span(
        table.end if table else span.start,
        next((other.start for other in tables if other.start >= offset), span.end),
    )
    assignments = list(_ASSIGNMENT.finditer(text, region.start, region.end))
    inside = _in_value(text, span, assignments, offset, base)
    if inside is not None:
        return inside[0]
    before = _LINE_START.search(text, span.start, offset)
    rest = _LINE_END.match(text, offset)
    line, behind = before.group() if before else "", rest.group() if rest else ""
    if "#" in line:
        return None
    header = _HEADER_TYPED.match(line)
    if header:
        typed_text = header.group(1)
        end = offset + len(behind.partition("]")[0].rstrip())
        begin = offset - len(typed_text)
        names = {".".join(other.keys) for other in tables if not other.start < offset <= other.end}
        return Caret("table", (), begin, end, typed_text, siblings=frozenset(names))
    key = _KEY_TYPED.match(line)
    if key is None:
        return None
    parent_names = tuple(_names(key.group(1)))
    key_rest = _KEY_REST.match(behind)
    end = offset + (key_rest.end() if key_rest else 0)
    siblings = {
        names[len(parent_names)]
        for assignment in assignments
        if not assignment.start(1) <= offset <= assignment.end(1)
        for names in [_names(assignment.group(1))]
        if len(names) > len(parent_names) and tuple(names[: len(parent_names)]) == parent_names
    }
    above = (*(table.keys if table else ()), *parent_names)
    siblings |= {
        other.keys[len(above)]
        for other in tables
        if len(other.keys) > len(above) and other.keys[: len(above)] == above
    }
    return Caret(
        "key",
        (*base, *parent_names),
        offset - len(key.group(3)) - len(key.group(2)),
        end,
        key.group(3),
        key.group(2),
        frozenset(siblings),
        is_assigned=text[end : end + 20].lstrip(" \t").startswith("="),
    )


def _in_value(
    text: str, span: Span, assignments: list[re.Match[str]], offset: int, base: tuple[str, ...]
) -> tuple[Caret | None] | None:
    """The place in the value of the assignment before the cursor; None after the value."""
    assignment = next(
        (assignment for assignment in reversed(assignments) if assignment.end() <= offset), None
    )
    if assignment is None:
        return None
    begin = assignment.end()
    pointer = (*base, *_names(assignment.group(1)))
    line = _LINE_END.match(text, begin)
    line_end = line.end() if line else begin
    if text[begin : begin + 1] in ("[", "{"):
        if open_at(text, begin, offset, TOML):
            return (bracket_caret(text, begin, span.end, offset, TOML, pointer),)
        return (None,) if offset <= line_end else None
    if text.startswith(('"""', "'''"), begin):
        close = text.find(text[begin : begin + 3], begin + 3)
        return (None,) if close < 0 or offset < close + 3 or offset <= line_end else None
    if offset > line_end:
        return None
    quoted_match = _QUOTED_TEXT.match(text, begin)
    if quoted_match:
        if offset >= quoted_match.end():
            return (None,)
        typed_text = text[begin + 1 : offset]
        return (Caret("value", pointer, begin, quoted_match.end(), typed_text, text[begin]),)
    quote = text[begin : begin + 1] if text[begin : begin + 1] in ('"', "'") else ""
    value = text[begin:line_end].partition("#")[0].rstrip()
    if offset > begin + len(value) and value:
        return (None,)
    end = offset if quote else begin + len(value)
    return (Caret("value", pointer, begin, end, text[begin + len(quote) : offset], quote),)


def _tables(text: str, span: Span) -> list[_Table]:
    return [
        _Table(tuple(_names(match.group(2))), match.start(), match.end(), match.group(1) == "[[")
        for match in _HEADER.finditer(text, span.start, span.end)
    ]


def _pointer(tables: list[_Table], table: _Table | None) -> tuple[str, ...]:
    """The pointer of a table, with an index after the name of each array of tables."""
    if table is None:
        return ()
    pointer: list[str] = []
    for count in range(1, len(table.keys) + 1):
        pointer.append(table.keys[count - 1])
        same = [
            other
            for other in tables
            if other.many and other.keys == table.keys[:count] and other.start <= table.start
        ]
        if same:
            pointer.append(str(len(same) - 1))
    return tuple(pointer)


def _names(dotted_key: str) -> list[str]:
    parts = _PARTS.findall(dotted_key)
    return [part[1:-1] if part[0] in "\"'" else part for part in parts]
