"""Find the end of frontmatter without a closing line, or with a horizontal rule instead."""

from __future__ import annotations

import re
from itertools import pairwise

from skillstudio.text.source import Source, Span

_YAML_LINE = re.compile(r"[ \t]+\S|-(?:[ \t]|$)|[\w\"'.-]+[ \t]*:(?:[ \t]|$)")
_MEANT_TO_CLOSE = re.compile(r"---|\.\.\.|(?:--|\*\*\*+|===+|```+|~~~+)\s*$")
_HEADED_PARAGRAPH = re.compile(r"(?<=\n)\r?\n(?=#{1,6} [^\n]*\n(?:\r?\n)+([^\s#][^\r\n]*))")


def likely_end(source: Source, start: int) -> int:
    """Where unclosed frontmatter ends: after a blank line, or at a mistyped closing line."""
    text = source.text
    starts = [at for at in source.line_starts if at >= start]
    lines = [(at, text[at:end]) for at, end in pairwise((*starts, len(text)))]
    for index, (at, line) in enumerate(lines):
        if _MEANT_TO_CLOSE.match(line):
            return at
        if line.strip():
            continue
        after = iter(later for _, later in lines[index + 1 :])
        next_line = next((later for later in after if later.strip()), "")
        while next_line.startswith("#"):  # a comment is directly above its key, a heading is not
            next_line = next(after, "")
        if not _YAML_LINE.match(next_line.rstrip("\r\n")):
            return at
    return len(text)


def prose_before(text: str, start: int, closing_line: Span) -> int | None:
    """Where prose starts above a seemingly closing line that is a horizontal rule.

    Required are a heading between blank lines, a paragraph that cannot be YAML, and, checked by the
    caller, a blank line directly above the rule.
    """
    inside = text[start : closing_line.start]
    headings = list(_HEADED_PARAGRAPH.finditer(inside))
    prose = any(not _YAML_LINE.match(heading.group(1)) for heading in headings)
    return start + headings[0].start() if prose else None
