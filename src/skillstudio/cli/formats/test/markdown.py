"""`--format markdown`: a comment for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillstudio.cli.formats.markdown import markdown
from skillstudio.present.samples import SampleResult, sample_lines


def lines(results: Sequence[SampleResult]) -> Iterator[str]:
    return markdown(sample_lines(results), "test")
