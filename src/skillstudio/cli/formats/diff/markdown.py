"""`--format markdown`: a comment for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.compared import Comparisons, comparison_parts
from skillstudio.cli.formats.markdown import markdown


def lines(found: Comparisons) -> Iterator[str]:
    return markdown(comparison_parts(found, is_comment=True), "diff")
