"""Long lines for a terminal, broken between words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

_NARROWEST = 40
_DEEPER = 2


def folded(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Lines of at most `width` columns where words allow, each going on deeper than it began.

    Without a width they stay as they are: whoever reads them from a file breaks none.
    """
    for line in lines:
        # What is coloured is a heading, and short; its codes take no room.
        if width is None or len(line) <= width or "\x1b" in line:
            yield line
            continue
        import textwrap

        indent = " " * (len(line) - len(line.lstrip(" ")))
        yield from textwrap.wrap(
            line.strip(),
            max(width, _NARROWEST),
            initial_indent=indent,
            subsequent_indent=indent + " " * _DEEPER,
            break_long_words=False,
            break_on_hyphens=False,
        )


def terminal_width() -> int | None:
    """The columns of the terminal that results are printed to; None where they go elsewhere."""
    if not sys.stdout.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except OSError:
        return None
