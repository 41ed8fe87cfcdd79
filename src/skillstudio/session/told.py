"""Lines about a run with the weight of each, before any screen gives them colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

Tone = Literal["", "heading", "error", "warning", "good", "quiet"]
LONGEST = 2_000
"""Characters of one line."""
MOST = 400
"""Lines of one part."""


class Told(NamedTuple):
    """One line. The text may hold anything: whoever shows it makes it safe."""

    text: str
    tone: Tone = ""
    indent: int = 0


def part(title: str, lines: Sequence[Told]) -> Iterator[Told]:
    """A heading and what stands below it; nothing where nothing does."""
    if not lines:
        return
    yield Told(title, "heading")
    for line in lines[:MOST]:
        text = line.text
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text):,} characters)"
        yield line._replace(text=text, indent=line.indent + 1)
    if len(lines) > MOST:
        yield Told(f"… {len(lines) - MOST:,} more", "quiet", 1)
