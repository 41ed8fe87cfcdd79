"""Remove a key or an item from a YAML text, with its lines, comment and comma."""

from __future__ import annotations

import re

from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing.yaml_places import (
    LINE_END,
    attached,
    begins_line,
    line_end_at,
    next_line_at,
)
from skillstudio.text.node import Document, Mapping, Sequence


def block_removal(doc: Document, starts: list[int], ends: list[int], index: int) -> list[Splice]:
    """Remove one of the keys or items between `starts` and `ends`, with its lines."""
    text = doc.source.text
    start, end = starts[index], ends[index]
    end = max(end, start + 1)
    if not begins_line(doc, start):
        # The first of a list item or of a document line: the next one takes its place.
        between = text[line_end_at(doc, end) : starts[index + 1]]
        if between.strip():
            start = len(text[:start].rstrip(" "))
            return [Splice(start, line_end_at(doc, end), "")]
        return [Splice(start, starts[index + 1], "")]
    least = ends[index - 1] if index else doc.span.start
    first = attached(doc, start, least)
    after = end if text[end - 1] in "\r\n" else next_line_at(doc, end)
    if after == doc.span.end and text[after - 1 : after] not in ("\r", "\n"):
        before = LINE_END.search(text, max(first - 2, doc.span.start), first)
        first = before.start() if before else first
    return [Splice(first, after, "")]


def flow_removal(
    doc: Document, holder: Mapping | Sequence, starts: list[int], ends: list[int], index: int
) -> Splice:
    """The same within brackets, with one of the adjacent commas."""
    text = doc.source.text
    if index + 1 < len(starts):
        between = text[ends[index] : starts[index + 1]]
        if "#" not in between:
            return Splice(starts[index], starts[index + 1], "")
        return Splice(starts[index], ends[index] + between.index(",") + 1, "")
    if index:
        return Splice(ends[index - 1], ends[index], "")
    inside = text[ends[0] : holder.end - 1]
    comma = re.match(r"[ \t]*,", inside)
    return Splice(starts[0], ends[0] + (comma.end() if comma else 0), "")
