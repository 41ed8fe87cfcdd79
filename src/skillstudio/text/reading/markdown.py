"""Split a SKILL.md into frontmatter, body and fenced blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Fault
from skillstudio.text.source import BOM, Source, Span

if TYPE_CHECKING:
    from skillstudio.text.reading.fences import Fence


class Markdown(NamedTuple):
    """The parts of a Markdown file. `frontmatter` is the span between the `---` lines."""

    source: Source
    frontmatter: Span | None
    opening: Span  # The first `---` line, or an empty span at the start.
    body: Span
    faults: tuple[Fault, ...]

    @property
    def fences(self) -> tuple[Fence, ...]:
        """The fenced blocks of the body. Most have none and need no pattern."""
        text = self.source.text
        if "```" not in text and "~~~" not in text:
            return ()
        from skillstudio.text.reading.fences import fences

        return fences(text, self.body)


LINK = lazy_pattern(
    r"\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))"
    r"|^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(?:<([^<>\n]*)>|([^\s<>]+))",
    re.MULTILINE,
)
"""A link or a link definition; the last group that matched is its target."""
_WIDE_COLON = "\uff1a"
_WIDE = lazy_pattern(r"^[A-Za-z_-]{1,60}(\uff1a[ \t]*)", re.MULTILINE)
_OPENS = lazy_pattern(r"---[ \t]*(?:\r\n|\r|\n|\Z)")
_CLOSES = lazy_pattern(r"[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")


def read_markdown(source: Source) -> Markdown:
    """Find the parts of a SKILL.md. Never raises."""
    text = source.text
    first = 1 if text.startswith(BOM) else 0
    opens = _OPENS.match(text, first)
    if not opens:
        from skillstudio.text.reading.displaced import diagnose_missing

        fault = diagnose_missing(text, first)
        body = Span(first, len(text))
        return Markdown(source, None, Span(first, first), body, (fault,))
    opening = Span(first, first + 3)
    faults: tuple[Fault, ...] = ()
    spaces = opening.end + len(opens[0][3:].rstrip("\r\n"))
    if spaces > opening.end:
        message = "spaces after the --- line keep some targets from reading it; remove them"
        edits = ((opening.end, spaces, ""),)
        faults = (
            Fault("frontmatter-line", message, opening.end, spaces, "Remove them", edits, True),
        )
    start = opens.end()
    closes = _CLOSES.search(text, start - 1)
    closing_line = Span(closes.start() + 1, closes.end()) if closes else None
    end = _end_in_prose(source, start, closing_line)
    if _WIDE_COLON in text:
        faults += _wide_colons(text, start, closing_line.start if closing_line else len(text))
    if closing_line and end is None:
        frontmatter, body = Span(start, closing_line.start), Span(closing_line.end, len(text))
        if text.startswith("...", closing_line.start):
            dots = Span(closing_line.start, closing_line.start + 3)
            message = "many targets read no frontmatter that ... closes; write ---"
            faults += (
                Fault("frontmatter-line", message, *dots, "Write ---", ((*dots, "---"),), True),
            )
    else:
        end = start if end is None else end
        frontmatter, body = Span(start, end), Span(end, len(text))
        message = "unclosed frontmatter: add a closing --- line"
        faults += (Fault("frontmatter-unclosed", message, *opening),)
    return Markdown(source, frontmatter, opening, body, faults)


def _wide_colons(text: str, start: int, end: int) -> tuple[Fault, ...]:
    """The full-width colons after keys of frontmatter."""
    colons = [Span(*match.span(1)) for match in _WIDE.finditer(text, start, end)]
    if not colons:
        return ()
    message = "a full-width colon separates no key from its value; write `: `"
    edits = tuple((*colon, ": ") for colon in colons)
    return (Fault("syntax-yaml", message, *colons[0], "Write `: `", edits, True),)


def _end_in_prose(source: Source, start: int, closing_line: Span | None) -> int | None:
    """Where frontmatter turns into prose without a closing line; None if it has one."""
    if closing_line and not source.text.endswith(("\n\n", "\n\r\n"), start, closing_line.start):
        return None
    from skillstudio.text.reading.unclosed import likely_end, prose_before

    return (
        prose_before(source.text, start, closing_line)
        if closing_line
        else likely_end(source, start)
    )
