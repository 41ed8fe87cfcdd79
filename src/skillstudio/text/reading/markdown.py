"""SKILL.md by lines: frontmatter and fences, with CommonMark's rules for fences."""

from __future__ import annotations

from dataclasses import dataclass

from skillstudio.text.node import Fault
from skillstudio.text.source import Source, Span


@dataclass(frozen=True)
class Fence:
    """A fenced block: its info string, the opening line, and the lines inside."""

    info: str
    opening: Span
    inner: Span
    closed: bool
    top_level: bool = True
    """False inside a list item or a quotation."""


@dataclass(frozen=True)
class Markdown:
    """Where the parts of a Markdown file lie. `frontmatter` is the span between the `---` lines."""

    source: Source
    frontmatter: Span | None
    opening: Span
    """The first `---` line, or an empty span at the start."""
    body: Span
    fences: tuple[Fence, ...]
    faults: tuple[Fault, ...]
    """`frontmatter-missing` and `frontmatter-unclosed`."""


def read_markdown(source: Source) -> Markdown:
    """Find the parts of a SKILL.md. Never raises."""
    raise NotImplementedError
