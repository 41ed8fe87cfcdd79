"""Comments in Markdown that ignore rules, outside of code.

`<!-- skillstudio: ignore[rule] reason -->` applies to its own line or, alone on a line, to the next
line that is not blank; `ignore-file` applies to the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from skillstudio.manifest.named_links import CodeSpans
from skillstudio.text.reading.fences import fences
from skillstudio.text.source import Source, Span

_MOST = 1_000  # Comments of a file.
_BETWEEN = 10  # Blank lines and other comments between a comment and its line.
_COMMENT = re.compile(
    r"<!--[ \t]{0,9}skillstudio:[ \t]{0,9}ignore(-file)?\[([^\]\n]{0,500})\]([^\n]{0,500}?)-->"
)


class MarkdownIgnore(NamedTuple):
    """A rule that a comment ignores, on a line or in the file."""

    rule: str
    line: int  # 0 for the whole file.
    span: Span


def markdown_ignores(source: Source, body: int) -> Iterator[MarkdownIgnore]:
    """The comments in a Markdown text from the offset of its body on."""
    text = source.text
    blocks = iter(fences(text, Span(body, len(text))))
    block = next(blocks, None)
    code = CodeSpans(text)
    for match in islice(_COMMENT.finditer(text, body), _MOST):
        while block is not None and block.inner.end <= match.start():
            block = next(blocks, None)
        if block is not None and block.inner.start <= match.start():
            continue
        if match.start() in code:
            continue
        line = 0 if match[1] else _line(source, match)
        for rule in match[2].split(","):
            yield MarkdownIgnore(rule.strip(), line, Span(*match.span()))


def _line(source: Source, match: re.Match[str]) -> int:
    line = source.line_at(match.start())
    if source.line(line).strip() != match[0]:
        return line
    for next_line in range(line + 1, min(line + 1 + _BETWEEN, len(source.line_starts) + 1)):
        text = source.line(next_line).strip()
        if text and not _COMMENT.fullmatch(text):
            return next_line
    return line + 1
