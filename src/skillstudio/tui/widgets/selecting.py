"""Select text with the mouse in widgets that draw their lines themselves."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Span
from textual.geometry import Offset
from textual.selection import Selection
from textual.widget import Widget


def selected_text(
    selection: Selection, line: Callable[[int], str], count: int
) -> tuple[str, str] | None:
    """The text of a selection in `count` lines, and what follows it; None if it has no line.

    `line` is called for selected lines alone: there may be millions.
    """
    first = selection.start or Offset(0, 0)
    last = min(count - 1, selection.end.y if selection.end is not None else count - 1)
    texts = [line(index) for index in range(first.y, last + 1)]
    if not texts:
        return None
    if selection.end is not None and selection.end.y == last:
        texts[-1] = texts[-1][: selection.end.x]
    texts[0] = texts[0][first.x :]
    return "\n".join(text.rstrip() for text in texts), "\n"


def selected_spans(widget: Widget, index: int, length: int) -> list[Span]:
    """What is selected of a line with `length` characters, with its style."""
    selection = widget.text_selection
    columns = selection.get_span(index) if selection is not None else None
    if columns is None:
        return []
    start, end = columns
    style = widget.screen.get_visual_style("screen--selection", partial=True)
    return [Span(start, length if end < 0 else min(end, length), style)]
