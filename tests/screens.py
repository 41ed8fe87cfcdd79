"""Read a screen as text."""

from __future__ import annotations

import re

_UNDER = re.compile("(?<=[─ │])━+(?=[─ │])")


def with_tabs(lines: list[str]) -> list[str]:
    """The lines of a screen with brackets around each tab that is underlined."""
    marked = list(lines)
    for at, line in enumerate(lines[1:]):
        for under in _UNDER.finditer(line):
            start, end = under.span()
            above = marked[at]
            start += len(above[start:end]) - len(above[start:end].lstrip())
            marked[at] = f"{above[: start - 1]}[{above[start:end]}]{above[end + 1 :]}"
    return marked
