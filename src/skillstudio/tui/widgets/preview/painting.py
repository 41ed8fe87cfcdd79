"""The part of a line that is in sight, with its colours: a line may be far longer than a screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rich.cells import cell_len
from textual.content import Content, Span

from skillstudio.preview.spans import Line, plain
from skillstudio.tui.widgets.compare.colours import STYLES as OF_LANGUAGES

STYLES: Mapping[str, str] = {
    **OF_LANGUAGES,
    "place": "bold",
    "quiet": "dim",
    "added": "$text-success",
    "removed": "$text-error",
    "error": "$text-error",
    "warning": "$text-warning",
}
"""The styles of `preview.spans`, as a style of `Content`."""


def in_sight(line: Line, left: int, cells: int, marks: Iterable[Span] = ()) -> Content:
    """So many cells of a line, from the cell `left` on; half a wide character is a space.

    `marks` lie above its colours; their places are those of the whole line's text.
    """
    text = plain(line)
    start, end, missing = _places(text, left, cells)
    shown = " " * missing + text[start:end]
    spans = [
        Span(max(each.start, start) - start + missing, min(each.end, end) - start + missing,
             each.style)
        for each in (*_spans(line, end), *marks)
        if each.end > start and each.start < end
    ]  # fmt: skip
    return Content(shown, spans)


def cells_of(text: str) -> int:
    """The cells that a text takes, of a long one too."""
    if text.isascii():
        return len(text)
    return sum(number * cell_len(each) for each, number in Counter(text).items())


def places_of(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a text in small letters stands in another, whatever the case of that."""
    folded = text.casefold()
    # Where small letters are longer than large ones, their places are not the text's.
    start = folded.find(wanted) if wanted and len(folded) == len(text) else -1
    while start >= 0:
        end = start + len(wanted)
        yield start, end
        start = folded.find(wanted, end)


def _spans(line: Line, end: int) -> Iterator[Span]:
    at = 0
    for each in line:
        if at >= end:
            return
        if each.style in STYLES:
            yield Span(at, at + len(each.text), STYLES[each.style])
        at += len(each.text)


def _places(text: str, left: int, cells: int) -> tuple[int, int, int]:
    """The characters from one to another that stand in these cells, and the cells before them
    that belong to a character which does not."""
    if text.isascii():
        return left, left + cells, 0
    at = start = 0
    while start < len(text) and at < left:
        at += cell_len(text[start])
        start += 1
    missing = at - left if at > left else 0
    # What has no width belongs to the character before it.
    while left and start < len(text) and not cell_len(text[start]):
        start += 1
    end = start
    while end < len(text) and at + cell_len(text[end]) <= left + cells:
        at += cell_len(text[end])
        end += 1
    return start, end, min(missing, cells)
