"""`--format github`: workflow commands that GitHub shows beside the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillstudio.cli.formats.check.github import data, property_
from skillstudio.present.samples import SampleResult, diff_lines


def lines(results: Sequence[SampleResult]) -> Iterator[str]:
    """One command for each difference."""
    for each in results:
        for difference in each.differs:
            title = property_(each.name)
            text = "\n".join((difference.message, *diff_lines(difference)))
            yield f"::error file={property_(each.path)},line=1,title={title}::{data(text)}"
