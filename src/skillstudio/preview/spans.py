"""Lines of styled text for the CLI and the TUI.

A style is a name that the theme or the terminal maps to a color. All text is made safe here and
never parsed as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category, east_asian_width

from skillstudio.text.safe import safe_text

STYLES = (
    *("key", "string", "number", "word", "comment", "punctuation"),
    *("heading", "strong", "emphasis", "code", "link", "marker"),
    *("place", "quiet", "rule", "added", "removed", "error", "warning"),
    *("inserted", "deleted"),
)
"""Every style of a span, besides "" for plain text, and `#rrggbb` or `#rrggbb on #rrggbb`, the
colours of a picture on a screen."""

TAB = 8
_WORD = re.compile("[^ ]+ *| +")  # With its trailing spaces.
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_WIDEST = 1 << 16  # Characters of one span; callers should cut longer texts.


class StyledSpan(NamedTuple):
    """A piece of a line, safe to show."""

    text: str
    style: str = ""


Line = tuple[StyledSpan, ...]  # A line without its end.


def line(*parts: str | tuple[str, str]) -> Line:
    """A line of plain or styled texts; tabs become spaces."""
    spans: list[StyledSpan] = []
    column = 0
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        if "\t" in text:
            text = (" " * (column % TAB) + text).expandtabs(TAB)[column % TAB :]
        safe = safe_text(text[:_WIDEST])
        column += len(safe)
        _add(spans, safe, style)
    return tuple(spans)


def _add(spans: list[StyledSpan], text: str, style: str) -> None:
    """Append a text, merged with the last span if that has the same style."""
    if text and spans and spans[-1].style == style:
        spans[-1] = StyledSpan(spans[-1].text + text, style)
    elif text:
        spans.append(StyledSpan(text, style))


def plain(of: Line) -> str:
    """A line's text."""
    return "".join(span.text for span in of)


def width(text: str) -> int:
    """The width of a safe text in terminal cells."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(4096)
def _cells(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def cut(text: str, cells: int) -> str:
    """A safe text cut to a number of cells, with `…` at the end if cut."""
    if width(text) <= cells:
        return text
    characters: list[str] = []
    room = cells - 1
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        characters.append(character)
    return "".join(characters) + "…"


def pad(text: str, cells: int, right: bool = False) -> str:
    """A safe text padded to a number of cells."""
    space = " " * (cells - width(text))
    return space + text if right else text + space


def wrap_line(of: Line, cells: int, indent: int = 0) -> Iterable[Line]:
    """Wrap a line to a number of cells, at spaces if possible; indent all lines but the first."""
    row: list[StyledSpan] = []
    used = 0
    for span in of:
        for word in _WORD.findall(span.text):
            for piece in _pieces(word, max(cells - indent, 8)):
                need = width(piece.rstrip())
                if used + need > cells and used > indent:
                    yield _trim_row(row)
                    row, used = ([StyledSpan(" " * indent)] if indent else []), indent
                    piece = piece.lstrip()
                    if not piece:
                        continue
                row.append(StyledSpan(piece, span.style))
                used += width(piece)
    yield _trim_row(row)


def _pieces(word: str, cells: int) -> Iterable[str]:
    while width(word) > cells:
        size = max(len(cut(word, cells)) - 1, 1)
        yield word[:size]
        word = word[size:]
    yield word


def _trim_row(row: list[StyledSpan]) -> Line:
    """Merge adjacent spans of one style and strip trailing spaces."""
    spans: list[StyledSpan] = []
    for span in row:
        _add(spans, *span)
    if spans:
        spans[-1] = spans[-1]._replace(text=spans[-1].text.rstrip(" "))
    return tuple(span for span in spans if span.text)


def size_words(size: int, exactly: bool = True) -> str:
    """A size for people, and exactly in bytes."""
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value /= 1024
        unit += 1
    if not unit:
        return f"{size:,} byte{'' if size == 1 else 's'}"
    return f"{value:.1f} {_UNITS[unit]}" + (f" ({size:,} bytes)" if exactly else "")


def fact_lines(rows: Sequence[tuple[str, str]]) -> list[Line]:
    """Names and values in two columns, without empty values."""
    facts = [(name, value) for name, value in rows if value]
    room = max((len(name) for name, _ in facts), default=0) + 2
    return [line((f"{name:<{room}}", "quiet"), value) for name, value in facts]


def align_rows(rows: Sequence[Sequence[str]], numbers: bool = True) -> Iterator[Line]:
    """Aligned rows of safe cells, the first one as a header; `numbers` are right-aligned."""
    columns = max(map(len, rows), default=0)
    if not columns:
        return
    full = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(width(row[at]) for row in full) for at in range(columns)]
    right = [numbers and _is_numeric([row[at] for row in full[1:]]) for at in range(columns)]
    for number, row in enumerate(full):
        cells = [pad(cell, widths[at], right[at]) for at, cell in enumerate(row)]
        yield (StyledSpan(" │ ".join(cells).rstrip(), "" if number else "strong"),)
        if number == 0:
            yield (StyledSpan("─┼─".join("─" * size for size in widths), "rule"),)


def _is_numeric(cells: Sequence[str]) -> bool:
    digits = [
        cell.lstrip("+-").replace(".", "", 1).replace(",", "").removesuffix("%")
        for cell in cells
        if cell
    ]
    return bool(digits) and all(cell.isascii() and cell.isdigit() for cell in digits)
