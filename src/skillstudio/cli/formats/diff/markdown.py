"""`--format markdown`: a comment for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.compared import comparison_parts
from skillstudio.cli.diff import Comparisons
from skillstudio.cli.formats.markdown import markdown


def lines(found: Comparisons) -> Iterator[str]:
    parts = comparison_parts(found.rows, found.in_words, found.shows_text, is_comment=True)
    return markdown(parts, "diff")
