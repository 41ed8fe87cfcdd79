"""`--card --format markdown`: a comment for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from skillstudio.cli.formats.markdown import markdown
from skillstudio.present.lines import Part


def lines(parts: Callable[[], Iterable[Part]]) -> Iterator[str]:
    return markdown(parts(), "preview")
