"""Styled lines, before a screen or the command line gives them colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

LineStyle = Literal["", "heading", "error", "warning", "good", "quiet"]
LONGEST = 2_000
"""Characters of one line."""
MOST = 400
"""Lines of one part."""


class StyledLine(NamedTuple):
    """One line. The text may hold anything: whoever shows it makes it safe."""

    text: str
    style: LineStyle = ""
    indent: int = 0


def section(title: str, lines: Sequence[StyledLine]) -> Iterator[StyledLine]:
    """A heading and what stands below it; nothing where nothing does."""
    if not lines:
        return
    yield StyledLine(title, "heading")
    for line in lines[:MOST]:
        text = line.text
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text):,} characters)"
        yield line._replace(text=text, indent=line.indent + 1)
    if len(lines) > MOST:
        yield StyledLine(f"… {len(lines) - MOST:,} more", "quiet", 1)
